//! Sign-in: flows, credentials, sessions and step-up.

pub(in crate::stories) mod account_recovery;
pub(in crate::stories) mod alerts;
pub(in crate::stories) mod credential_emails;
pub(crate) mod credentials;
pub(in crate::stories) mod flows;
pub(in crate::stories) mod screens;
