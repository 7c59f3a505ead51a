//! Token revocation (RFC 7009).

pub(crate) mod handlers;
