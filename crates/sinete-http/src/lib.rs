//! The HTTP envelope: one table of routes, limits and headers.
//!
//! Nothing is decided here. A request is read within limits, handed to one function of the engine, and the
//! outcome is put into the shape its route speaks. What every request and every answer must have is seen to
//! in one place each: limits and ids in `door.rs`, bodies, places, time and panics in `guard.rs`, slow and
//! unreadable clients in `connection/`.

pub mod base_address;
pub mod limits;
pub mod paces;
pub mod rate_limit;
pub mod security_headers;

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
mod dev_mail;
mod door;
mod guard;
mod interaction_id;
mod request_ids;

mod access;
mod account;
mod flows;
mod health;
mod manage;
mod metrics_page;
mod not_me;
mod oauth;
mod openapi;
#[cfg_attr(not(feature = "screens"), path = "no_pages.rs")]
mod pages;
mod scim;
#[cfg(feature = "screens")]
pub mod screens;
mod undo_email;
mod wellknown;
