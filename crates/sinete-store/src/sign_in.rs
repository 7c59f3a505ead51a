//! Signing in: flows, credentials, sessions, assurance.

pub mod attempt_counters;
pub mod credentials;
pub mod flows;
pub mod known_devices;
pub mod logout_deliveries;
pub mod long_lived_access;
pub mod sessions;
