//! Grants that members gave to applications.

pub(crate) mod handlers;
pub(crate) mod routes;
