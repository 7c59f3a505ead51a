//! Assignments: roles that operators hold in an organization.

pub(crate) mod handlers;
pub(crate) mod routes;
