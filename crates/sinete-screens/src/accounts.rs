//! Accounts: the person, contacts, profile, export and deletion.

pub mod my_account;
