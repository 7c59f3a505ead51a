//! The cast of the stories: servers, databases, clocks, mailboxes, and people's devices.

pub mod api;
pub mod application;
pub mod authenticator_app;
pub mod clock;
pub mod database;
pub mod devices;
pub mod directory;
pub mod dns;
pub mod dump;
pub mod grants;
pub mod hooks;
pub mod links;
pub mod mailbox;
pub mod oneself;
pub mod passkey_device;
pub mod person;
pub mod places;
pub mod provider;
pub mod range_service;
pub mod reader;
pub mod receiver;
pub mod second_factors;
pub mod tenants;
pub mod token_endpoint;
pub mod work;
pub mod world;
