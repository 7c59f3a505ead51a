//! The token endpoint.

pub(crate) mod handlers;
pub(crate) mod routes;
