//! Running an instance: declarative configuration, import, export, cleanup.

pub mod bootstrap;
pub mod cleanup;
pub mod console;
pub mod declarative;
pub mod import;
pub mod signing_keys;
