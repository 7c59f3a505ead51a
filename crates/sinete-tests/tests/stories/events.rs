//! The audit log, the event stream and webhooks.

pub(in crate::stories) mod audit_log;
mod audit_retention;
mod failed_sign_ins;
pub(in crate::stories) mod security_log;
pub(in crate::stories) mod usage;
pub(in crate::stories) mod webhooks;
