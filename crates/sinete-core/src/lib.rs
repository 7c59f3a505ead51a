//! The rules of Sinete, as plain functions of facts, a request and the time.
//!
//! Nothing here waits, reads a clock, draws randomness, speaks HTTP or knows a database. A decision made
//! in this crate can be tested without any of them, and the rest of the house can only carry it out.

pub mod access_control;
pub mod accounts;
pub mod administration;
pub mod assurance;
pub mod authzen;
pub mod client_id;
pub mod entropy;
pub mod events;
pub mod id;
pub mod identity_providers;
pub mod json_schema;
pub mod limits;
pub mod oauth;
pub mod organizations;
pub mod platform;
pub mod refusal;
pub mod scim;
pub mod secret;
pub mod sign_in;
pub mod time;
pub mod unique_json;
pub mod validation;
pub mod xml;
