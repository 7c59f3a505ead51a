//! `/account/identities`: identities at upstream identity providers.

pub(crate) mod handlers;
pub(crate) mod routes;
