//! Signing in: flows, credentials, sessions, assurance.

pub mod credentials;
