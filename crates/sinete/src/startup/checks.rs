//! The checks of `doctor` and `serve`.

pub mod evaluation;
pub mod examination;
pub mod facts;
pub mod identity_providers;
pub mod message_delivery;
