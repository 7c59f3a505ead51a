//! Running an instance: declarative configuration, import, export, cleanup.

pub mod declarative;
pub mod import;
