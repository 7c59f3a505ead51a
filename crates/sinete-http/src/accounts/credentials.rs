//! `/account/credentials`: the credentials of the account.

pub(crate) mod handlers;
