//! What is recorded of everything that matters to safety.

pub mod log_chain;
pub mod security_event;
pub mod webhooks;
