//! The authorization endpoint.

pub(crate) mod handlers;
pub(crate) mod interaction;
pub(crate) mod refusals;
pub(crate) mod response;
pub(crate) mod routes;
