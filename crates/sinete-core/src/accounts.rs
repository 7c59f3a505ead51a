//! Accounts: users, contacts, profile, export and deletion.

pub mod email_address;
pub mod language;
pub mod phone_number;
pub mod picture;
pub mod profile_text;
pub mod standard_claims;
