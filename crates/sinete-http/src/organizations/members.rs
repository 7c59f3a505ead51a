//! Members of an organization.

pub(crate) mod dto;
pub(crate) mod handlers;
pub(crate) mod routes;
