//! Upstream identity providers over OpenID Connect.

pub mod authorization_request;
pub mod id_token;
pub mod metadata;
pub mod userinfo;
