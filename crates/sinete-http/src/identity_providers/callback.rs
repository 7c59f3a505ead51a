//! The redirect URI and assertion consumer service of identity providers.

pub(crate) mod handlers;
pub(crate) mod routes;
