//! The HTTP layer: one table of routes, with limits and headers.
//!
//! Nothing is decided here. A request is read within limits, passed to one function of the engine, and the
//! result is converted to the format of its route. Common rules are implemented once each: limits and request
//! ids in `door.rs`, bodies, request slots, timeouts and panics in `guard.rs`, slow and unreadable clients in
//! `connection/`.

pub(crate) mod accounts;
pub(crate) mod administration;
pub(crate) mod authzen;
pub mod base_address;
#[cfg(feature = "screens")]
pub(crate) mod console;
pub(crate) mod events;
pub(crate) mod identity_providers;
pub mod limits;
mod management_api;
pub(crate) mod organizations;
pub mod paces;
pub(crate) mod platform;
pub mod rate_limit;
pub mod security_headers;
pub(crate) mod sign_in;

pub mod route;
pub mod router;
pub mod schema;
pub mod state;

pub mod call;
pub mod cookies;
pub mod extract;
pub mod reply;
pub mod visit;

pub mod lines;
pub mod serve;
pub mod telemetry;
pub mod tls;

mod authorization_fault;
mod connection;
mod cross_origin;
mod door;
mod guard;
mod interaction_id;
mod request_ids;

mod oauth;
mod openapi;
#[cfg_attr(not(feature = "screens"), path = "no_pages.rs")]
mod pages;
mod scim;
#[cfg(feature = "screens")]
pub mod screens;
