//! The device authorization endpoint (RFC 8628 §3.1).

pub(crate) mod handlers;
