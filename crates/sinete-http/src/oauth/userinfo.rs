//! Userinfo (OpenID Connect Core §5.3).

pub(crate) mod handlers;
