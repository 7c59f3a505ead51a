//! The behavior of the server over HTTP, on SQLite and PostgreSQL.

pub(crate) mod accounts;
pub(crate) mod administration;
mod authzen;
mod console;
pub(crate) mod events;
mod identity_providers;
pub(crate) mod oauth;
pub(crate) mod organizations;
pub(crate) mod platform;
mod scim;
pub(crate) mod sign_in;
