//! Where an identity provider sends the browser back to.

pub(crate) mod handlers;
