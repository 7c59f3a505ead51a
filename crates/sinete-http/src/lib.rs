//! The routes: one table, assembled from the `routes.rs` of each resource.
//!
//! This crate contains no business logic. A handler passes the request to one function of the engine, and the
//! result is converted to the format of its route. Code that all requests and responses share is in
//! `sinete-server`.

pub(crate) mod accounts;
pub(crate) mod administration;
mod application;
pub(crate) mod authzen;
#[cfg(feature = "screens")]
pub(crate) mod console;
pub(crate) mod events;
pub(crate) mod identity_providers;
mod management_api;
pub(crate) mod organizations;
pub(crate) mod platform;
pub(crate) mod sign_in;

pub mod router;
pub mod schema;
pub mod state;

#[cfg(feature = "screens")]
pub use console::console_operations;

mod authorization_fault;
mod flow_csrf;
mod route_table;

mod oauth;
mod openapi;
#[cfg_attr(not(feature = "screens"), path = "no_pages.rs")]
mod pages;
mod scim;
#[cfg(feature = "screens")]
pub mod screens;
