//! Operators: instance, assignments, import, console access.

pub(in crate::stories) mod bootstrap;
pub(in crate::stories) mod import;
pub(in crate::stories) mod instance;
pub(in crate::stories) mod security_events;
