//! The HTTP base over real sockets: what every answer carries, what is refused, who is cut off, and how a
//! node goes away.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a test stops where it fails, and measures how long things really take"
)]

#[path = "base/harness.rs"]
mod harness;
#[path = "base/raw.rs"]
mod raw;
#[path = "base/routes.rs"]
mod routes;

#[path = "base/answers.rs"]
mod answers;
#[path = "base/headers.rs"]
mod headers;
#[path = "base/http2.rs"]
mod http2;
#[path = "base/limits.rs"]
mod limits;
#[path = "base/observed.rs"]
mod observed;
#[path = "base/overload.rs"]
mod overload;
#[path = "base/slow.rs"]
mod slow;
#[path = "base/stopping.rs"]
mod stopping;
#[path = "base/tls.rs"]
mod tls;
