//! Sign-in: flows, credentials, sessions, assurance and sign-in alerts.

pub mod account_holder;
pub mod backchannel_logout;
pub mod credentials;
pub mod flows;
pub(crate) mod lockout;
pub mod long_lived_access;
pub(crate) mod message_rate_limit;
pub mod report_sign_in;
pub mod restore_email;
pub mod sessions;
pub mod sign_in_alerts;
