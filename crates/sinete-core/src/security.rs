//! What is recorded of everything that matters to safety.

pub mod event;
