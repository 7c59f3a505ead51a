//! The rules of Sinete, as plain functions of facts, a request and the time.
//!
//! Nothing here waits, reads a clock, draws randomness, speaks HTTP or knows a database. A decision made
//! in this crate can be tested without any of them, and the rest of the house can only carry it out.

pub mod id;
pub mod time;

pub mod entropy;
pub mod limits;
pub mod secret;

pub mod fault;
pub mod refusal;
pub mod schema;
pub mod unique_json;

pub mod api;
pub mod assurance;
pub mod authority;
pub mod authorize;
pub mod client;
pub mod declared;
pub mod grant;
pub mod metadata;
pub mod outbound;
pub mod pace;
pub mod people;
pub mod provider;
pub mod relation;
pub mod scim;

pub mod flow;
pub mod logout;
pub mod session;
pub mod token;
pub mod webhook;
pub mod xml;

pub mod security;
pub mod signing;
