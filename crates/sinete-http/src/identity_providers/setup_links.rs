//! Set-up links: operations of the management API for owners, and pages for the holder of a link.

pub(crate) mod handlers;
#[cfg(feature = "screens")]
pub(crate) mod pages;
pub(crate) mod routes;
