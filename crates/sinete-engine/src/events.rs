//! Events: the security log and its chain, audit logs, webhooks and the event stream.

pub mod audit_log;
pub mod event_stream;
pub(crate) mod failure_rate_limit;
pub mod log_status;
pub mod security_log;
pub mod usage;
pub mod webhooks;
