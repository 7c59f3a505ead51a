//! `/flows/links`: magic links over the API.

pub(crate) mod handlers;
