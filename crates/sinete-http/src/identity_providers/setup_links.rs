//! Set-up links: operations of the management API for owners. The pages for the holder of a link are in the console.

pub(crate) mod handlers;
pub(crate) mod routes;
