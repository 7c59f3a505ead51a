//! Token introspection (RFC 7662).

pub(crate) mod handlers;
pub(crate) mod routes;
