//! The HTTP server: listeners, TLS, connections, limits, headers, and the types that routes are written with.
//!
//! It contains no routes. It reads each request within limits and calls the matching route of the table. Every
//! response gets a request id and the required headers, and is counted and logged. [`dispatcher`] enforces limits
//! and assigns ids; `route_service` handles bodies, timeouts and panics; `connection` handles slow clients and
//! malformed requests. The application implements the trait [`application::Application`].

pub mod application;
pub mod base_address;
mod connection;
pub mod context;
pub mod cookies;
mod cors;
pub mod dispatcher;
pub mod extract;
pub mod fapi_interaction_id;
pub mod limit_counters;
pub mod limits;
pub mod log_context;
pub mod rate_limits;
pub mod reply;
pub mod request_context;
mod request_ids;
pub mod route;
mod route_service;
pub mod schema;
pub mod security_headers;
pub mod serve;
pub mod telemetry;
pub mod tls;
