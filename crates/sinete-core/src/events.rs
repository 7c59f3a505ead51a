//! The security log: security events, the hash chain over them, and webhooks.

pub mod log_chain;
pub mod security_event;
pub mod usage;
pub mod webhooks;
