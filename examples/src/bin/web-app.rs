//! The web application of the examples, at `http://127.0.0.1:7002`.

use sinete_examples::web_app::{Settings, Trouble, router};

#[expect(clippy::disallowed_methods, reason = "a program of its own draws its own randomness")]
fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    // Without randomness there is no safe way on: the operating system has none only when it is broken.
    if getrandom::fill(&mut bytes).is_err() {
        std::process::abort();
    }
    bytes
}

#[tokio::main]
async fn main() -> Result<(), Trouble> {
    let issuer = std::env::args().nth(1).unwrap_or_else(|| "http://localhost:8080".to_owned());
    let settings = Settings {
        issuer,
        address: "http://127.0.0.1:7002".to_owned(),
        api: "http://127.0.0.1:7001".to_owned(),
        scope: "openid profile".to_owned(),
        random,
    };
    let app = router(settings).await?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:7002").await?;
    println!("Open http://127.0.0.1:7002");
    Ok(axum::serve(listener, app).await?)
}
