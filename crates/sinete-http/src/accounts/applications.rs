//! `/account/applications`: applications that the account holder authorized.

pub(crate) mod handlers;
