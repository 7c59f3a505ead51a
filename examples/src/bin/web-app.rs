//! The web application of the examples. It takes the address of the instance, its own, and that of the API, where
//! they are not the usual ones.

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
    let mut arguments = std::env::args().skip(1);
    let mut next = |usual: &str| arguments.next().unwrap_or_else(|| usual.to_owned());
    let settings = Settings {
        issuer: next("http://localhost:8080"),
        address: next("http://127.0.0.1:7002"),
        api: next("http://127.0.0.1:7001"),
        scope: "openid profile invoices:read".to_owned(),
        random,
    };
    let address = settings.address.clone();
    let app = router(settings).await?;
    let listener = tokio::net::TcpListener::bind(address.trim_start_matches("http://")).await?;
    println!("Open {address}");
    Ok(axum::serve(listener, app).await?)
}
