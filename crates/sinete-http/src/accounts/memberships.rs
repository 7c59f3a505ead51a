//! `/account/memberships`: organizations that the account belongs to.

pub(crate) mod handlers;
