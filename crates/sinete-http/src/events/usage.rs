//! Usage of the instance and of an organization.

pub(crate) mod handlers;
pub(crate) mod routes;
