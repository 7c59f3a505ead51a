//! Identity providers of organizations: connections, provider metadata, and validation of ID tokens and SAML
//! responses.

pub mod backoff;
pub mod connections;
pub mod identity_resolution;
pub mod oidc;
pub mod owner_confirmation;
pub mod provider_presets;
pub mod saml;
