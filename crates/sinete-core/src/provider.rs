//! Providers of organizations, at which their members sign in: how one is connected, what it says about itself, and what
//! it must say about somebody to be believed.

pub mod asking;
pub mod confirmation;
pub mod connection;
pub mod id_token;
pub mod metadata;
pub mod saml;
pub mod silence;
