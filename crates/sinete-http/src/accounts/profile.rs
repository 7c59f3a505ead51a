//! `/account`: the profile and the current session.

pub(crate) mod handlers;
