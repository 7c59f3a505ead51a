//! `/flows`: the authentication flow API.

pub(crate) mod dto;
pub(crate) mod handlers;
pub(crate) mod routes;
pub(crate) mod schemas;
