//! Dynamic client registration (RFC 7591, RFC 7592).

pub(crate) mod handlers;
pub(crate) mod routes;
