//! `/undo-email`: the link that restores an earlier e-mail address.

pub(crate) mod handlers;
pub(crate) mod routes;
