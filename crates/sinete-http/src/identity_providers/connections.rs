//! Connections of an organization to its identity providers.

pub(crate) mod dto;
pub(crate) mod handlers;
pub(crate) mod routes;
