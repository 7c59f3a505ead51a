//! What is recorded of everything that matters to safety.

pub mod chain;
pub mod event;
pub mod travel;
