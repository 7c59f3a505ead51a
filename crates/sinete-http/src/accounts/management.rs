//! `/manage/accounts`: accounts, for operators.

pub(crate) mod account_access;
pub(crate) mod handlers;
pub(crate) mod routes;
