//! Account pages: profile, contacts, credentials, sessions.

pub mod activity;
pub mod my_account;
