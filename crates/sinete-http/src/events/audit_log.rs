//! The audit log of an organization.

pub(crate) mod handlers;
pub(crate) mod routes;
