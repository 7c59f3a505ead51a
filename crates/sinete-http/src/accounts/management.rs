//! `/manage/accounts`: accounts, for operators.

pub(crate) mod handlers;
pub(crate) mod routes;
