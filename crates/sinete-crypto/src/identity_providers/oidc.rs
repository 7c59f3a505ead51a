//! Upstream identity providers over OpenID Connect.

pub mod id_token;
