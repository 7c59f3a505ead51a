//! The cast of the stories: servers, databases, clocks, mailboxes, and people's devices.

pub mod clock;
pub mod database;
pub mod mailbox;
pub mod passkey_device;
pub mod world;
