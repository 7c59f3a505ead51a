//! Accounts: the account API of the signed-in user, and account management by operators.

#[cfg(feature = "screens")]
pub(crate) mod account_pages;
pub(crate) mod account_request;
pub(crate) mod applications;
pub(crate) mod ciba_requests;
pub(crate) mod contacts;
pub(crate) mod credentials;
pub(crate) mod events;
pub(crate) mod export;
pub(crate) mod linked_identities;
pub(crate) mod long_lived_access;
pub(crate) mod management;
pub(crate) mod memberships;
pub(crate) mod password;
pub(crate) mod picture;
pub(crate) mod profile;
pub(crate) mod restore_email;
pub(crate) mod routes;
pub(crate) mod sessions;
