//! SCIM users and groups.

pub(crate) mod handlers;
