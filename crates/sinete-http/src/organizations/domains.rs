//! Domains that an organization verified.

pub(crate) mod handlers;
pub(crate) mod routes;
