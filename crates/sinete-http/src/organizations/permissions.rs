//! The catalog of permissions.

pub(crate) mod handlers;
