//! `/account/password`: the password of the account.

pub(crate) mod handlers;
