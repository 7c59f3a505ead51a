//! `/account/events`: security events of the account.

pub(crate) mod handlers;
