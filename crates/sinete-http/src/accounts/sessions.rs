//! `/account/sessions`: the sessions of the account.

pub(crate) mod handlers;
