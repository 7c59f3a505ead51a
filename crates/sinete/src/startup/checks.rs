//! What `doctor` and `serve` examine before anything is served.

pub mod evaluation;
pub mod examination;
pub mod facts;
pub mod identity_providers;
pub mod message_delivery;
