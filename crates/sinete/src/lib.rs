//! The program: configuration, commands, boot.

pub mod config;
pub mod exit;
pub mod terminal;
