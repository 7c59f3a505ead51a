//! `/account/access`: access that outlives sessions.

pub(crate) mod handlers;
