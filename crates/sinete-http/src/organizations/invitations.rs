//! Invitations into an organization.

pub(crate) mod handlers;
pub(crate) mod routes;
