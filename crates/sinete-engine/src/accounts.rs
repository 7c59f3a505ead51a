//! Accounts: profile, contacts, memberships, export and deletion.

pub mod contacts;
pub mod deletion;
pub mod export;
pub mod linked_identities;
pub mod management;
pub mod memberships;
pub mod picture;
pub mod profile;
