//! Discovery documents below `/.well-known`.

pub(crate) mod handlers;
pub(crate) mod routes;
