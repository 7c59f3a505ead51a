//! Sign-in: credentials.

pub mod credentials;
