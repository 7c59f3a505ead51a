//! The CIBA requests to an organization's members, for its administrators.

pub(crate) mod handlers;
pub(crate) mod routes;
