//! `/manage/messages`: delivery of e-mail and SMS.

pub(crate) mod handlers;
pub(crate) mod routes;
