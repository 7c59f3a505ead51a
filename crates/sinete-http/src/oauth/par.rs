//! Pushed authorization requests (RFC 9126).

pub(crate) mod handlers;
