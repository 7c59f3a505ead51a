//! Events: the security log, the audit log of an organization, and webhooks.

pub(crate) mod audit_log;
pub(crate) mod security_log;
pub(crate) mod usage;
pub(crate) mod webhooks;
