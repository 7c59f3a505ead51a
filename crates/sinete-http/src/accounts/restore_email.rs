//! `/undo-email`: the link that restores an earlier e-mail address.

pub(crate) mod handlers;
#[cfg(feature = "screens")]
mod pages;
pub(crate) mod routes;
