//! Upstream identity providers: OpenID Connect and SAML.

pub mod connections;
pub mod identities;
pub mod saml_responses;
