//! The protected API of the examples, at `http://127.0.0.1:7001`.

use sinete_examples::protected_api::{Api, router};
use std::time::{SystemTime, UNIX_EPOCH};

#[expect(clippy::disallowed_methods, reason = "a program of its own reads its own clock")]
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_secs()).unwrap_or(i64::MAX)
}

#[tokio::main]
async fn main() -> std::io::Result<()> {
    let issuer = std::env::args().nth(1).unwrap_or_else(|| "http://localhost:8080".to_owned());
    let api = Api { issuer, identifier: "http://127.0.0.1:7001".to_owned(), now };
    let listener = tokio::net::TcpListener::bind("127.0.0.1:7001").await?;
    println!("The API stands at http://127.0.0.1:7001");
    axum::serve(listener, router(api)).await
}
