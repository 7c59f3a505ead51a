//! `/account/credentials`: what the account holder signs in with.

pub(crate) mod handlers;
