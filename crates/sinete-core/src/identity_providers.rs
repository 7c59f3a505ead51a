//! Providers of organizations, at which their members sign in: how one is connected, what it says about itself, and what
//! it must say about somebody to be believed.

pub mod backoff;
pub mod connections;
pub mod identity_resolution;
pub mod oidc;
pub mod owner_confirmation;
pub mod saml;
