//! The picture of the signed-in user.

pub(crate) mod handlers;
pub(crate) mod routes;
