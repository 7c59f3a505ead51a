//! Signing in: flows, credentials, sessions, assurance.

pub mod attempt_counters;
pub mod credentials;
pub mod flows;
pub mod known_devices;
pub mod lasting_access;
pub mod logout_deliveries;
pub mod sessions;
