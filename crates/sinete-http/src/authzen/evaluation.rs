//! Access evaluation of the AuthZEN API.

pub(crate) mod dto;
pub(crate) mod handlers;
pub(crate) mod routes;
