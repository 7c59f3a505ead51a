//! RP-initiated logout (OpenID Connect RP-Initiated Logout 1.0).

pub(crate) mod handlers;
