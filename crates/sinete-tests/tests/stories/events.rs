//! Audit log, event stream and webhooks over real HTTP.

pub(in crate::stories) mod audit_log;
pub(in crate::stories) mod security_log;
pub(in crate::stories) mod webhooks;
