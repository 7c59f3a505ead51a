//! Instance administration: declarative configuration, import, cleanup, console and bootstrap.

pub mod bootstrap;
pub mod cleanup;
pub mod console;
pub mod declarative;
pub mod health;
pub mod import;
pub mod messages;
pub mod signing_keys;
