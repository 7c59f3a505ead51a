//! `/account/memberships`: the memberships of the account.

pub(crate) mod handlers;
