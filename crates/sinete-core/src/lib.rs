//! The decision rules of Sinete, as pure functions of facts, a request and the time.
//!
//! Nothing here performs I/O, reads a clock, generates randomness, handles HTTP or knows a database.
//! Decisions can therefore be tested without any of these; the other crates only apply them.

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
pub mod organization_kind;
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
