//! Tests of the HTTP layer over real sockets: headers of every response, refusals, timeouts, and shutdown.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test stops where it fails, and measures how long things really take"
)]

#[path = "base/harness.rs"]
mod harness;
#[path = "base/raw_client.rs"]
mod raw_client;
#[path = "base/test_routes.rs"]
mod test_routes;

#[path = "base/headers.rs"]
mod headers;
#[path = "base/http2.rs"]
mod http2;
#[path = "base/limits.rs"]
mod limits;
#[path = "base/overload.rs"]
mod overload;
#[path = "base/responses.rs"]
mod responses;
#[path = "base/shutdown.rs"]
mod shutdown;
#[path = "base/slow_clients.rs"]
mod slow_clients;
#[path = "base/telemetry.rs"]
mod telemetry;
#[path = "base/tls.rs"]
mod tls;
