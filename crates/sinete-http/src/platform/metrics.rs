//! `/metrics`.

pub(crate) mod handlers;
