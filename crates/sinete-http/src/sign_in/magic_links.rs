//! `/flows/links`: the link of a message, over the API.

pub(crate) mod handlers;
