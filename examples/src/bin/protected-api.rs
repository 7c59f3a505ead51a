//! The protected API of the examples. Arguments: the issuer and the base URL of the API, both optional.

use sinete_examples::protected_api::{ApiSettings, build_router};
use std::time::{SystemTime, UNIX_EPOCH};

#[expect(clippy::disallowed_methods, reason = "the program reads the system clock")]
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let (issuer, identifier) = (next("http://localhost:8080"), next("http://127.0.0.1:7001"));
    let listener = tokio::net::TcpListener::bind(identifier.trim_start_matches("http://")).await?;
    println!("The API listens at {identifier}");
    let router = build_router(ApiSettings { issuer, identifier, now }).map_err(std::io::Error::other)?;
    axum::serve(listener, router).await
}
