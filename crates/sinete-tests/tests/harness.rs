//! The cast of the stories: servers, databases, clocks, mailboxes, people and their devices.

pub mod passkey_device;
