//! Signing in: flows, credentials, sessions, assurance.

pub mod credentials;
pub mod flows;
pub mod impossible_travel;
pub mod lockout;
pub mod message_rate_limit;
pub mod sessions;
pub mod sign_in_methods;
