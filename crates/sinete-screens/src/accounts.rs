//! Account pages: profile, contacts, credentials, sessions.

pub mod my_account;
