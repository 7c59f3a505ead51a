//! The web application of the examples. Arguments: the issuer, the base URL of the application and that of the API, all
//! optional.

use sinete_examples::web_app::{WebAppError, WebAppSettings, build_router};

#[expect(clippy::disallowed_methods, reason = "the program uses the randomness of the operating system")]
fn random() -> [u8; 32] {
    let mut bytes = [0; 32];
    // Without randomness the program cannot continue safely. The operating system has none only if it is broken.
    if getrandom::fill(&mut bytes).is_err() {
        std::process::abort();
    }
    bytes
}

#[tokio::main]
async fn main() -> Result<(), WebAppError> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |default: &str| arguments.next().unwrap_or_else(|| default.to_owned());
    let settings = WebAppSettings {
        issuer: next("http://localhost:8080"),
        base_url: next("http://127.0.0.1:7002"),
        api: next("http://127.0.0.1:7001"),
        scope: "openid profile invoices:read".to_owned(),
        random,
    };
    let base_url = settings.base_url.clone();
    let app = build_router(settings).await?;
    let listener = tokio::net::TcpListener::bind(base_url.trim_start_matches("http://")).await?;
    println!("Open {base_url}");
    Ok(axum::serve(listener, app).await?)
}
