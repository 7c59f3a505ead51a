//! Upstream identity providers: OpenID Connect and SAML.

pub mod oidc;
pub mod saml;
