//! Running an instance: declarative configuration, import, export, cleanup.

pub mod backup;
pub mod bootstrap;
pub mod cleanup;
pub mod restore;
pub mod retention;
