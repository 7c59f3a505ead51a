//! Handlers of invitations.

pub(crate) mod handlers;
pub(crate) mod routes;
