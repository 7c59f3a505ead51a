//! Search of the AuthZEN API.

pub(crate) mod handlers;
