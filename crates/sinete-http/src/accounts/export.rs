//! `/account/export`: everything that is stored about the account.

pub(crate) mod handlers;
