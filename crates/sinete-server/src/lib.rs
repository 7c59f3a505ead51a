//! The HTTP server: listeners, TLS, connections, limits, headers, and the types that routes are written with.
//!
//! It knows no route. A request is read within limits and handed to the route that its table names; the response
//! goes out with an id, with the headers that none may lack, counted and logged. [`dispatcher`] has the limits and
//! the ids, `route_service` the body, the deadline and panics, `connection` slow and unreadable clients.
//! What the server needs of the routes' side is the trait [`application::Application`].

pub mod application;
pub mod base_address;
mod connection;
pub mod context;
pub mod cookies;
mod cors;
pub mod dispatcher;
pub mod extract;
pub mod fapi_interaction_id;
pub mod limits;
pub mod log_context;
pub mod rate_limits;
pub mod registration_limits;
pub mod reply;
pub mod request_context;
mod request_ids;
pub mod route;
mod route_service;
pub mod routed_request;
pub mod schema;
pub mod security_headers;
pub mod serve;
pub mod telemetry;
pub mod tls;
