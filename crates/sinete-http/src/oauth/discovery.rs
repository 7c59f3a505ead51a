//! Discovery documents below `/.well-known`.

pub(crate) mod handlers;
pub(crate) mod metadata_cache;
pub(crate) mod routes;
