//! The security log and its chain, audit log, webhooks, event stream.

pub mod audit_log;
pub(crate) mod audit_log_address;
pub mod audit_log_names;
pub mod audit_retention;
pub mod log_archive;
pub mod log_chain;
pub mod log_verification;
pub mod security_log;
pub(crate) mod sign_in_entries;
pub mod usage;
pub mod webhooks;
