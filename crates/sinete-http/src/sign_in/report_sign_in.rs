//! `/not-me`: the link that reports a sign-in.

pub(crate) mod handlers;
pub(crate) mod routes;
