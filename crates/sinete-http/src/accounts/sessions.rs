//! `/account/sessions`: where the account is signed in.

pub(crate) mod handlers;
