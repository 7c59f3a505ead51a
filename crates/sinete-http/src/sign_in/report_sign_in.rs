//! `/not-me`: the link that reports a sign-in.

pub(crate) mod handlers;
#[cfg(feature = "screens")]
mod pages;
pub(crate) mod routes;
