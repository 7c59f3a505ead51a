//! A web application that registers itself, signs people in with a code and PKCE, and calls the API for them.

use axum::Router;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use axum::routing::get;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;
use url::Url;

/// What the application is told when it starts.
pub struct Settings {
    /// The address of the Sinete instance.
    pub issuer: String,
    /// Where this application stands.
    pub address: String,
    /// The API it calls for people.
    pub api: String,
    /// What it asks for.
    pub scope: String,
    /// Where random bytes come from.
    pub random: fn() -> [u8; 32],
}

/// Something went wrong between here and there.
pub type Trouble = Box<dyn std::error::Error + Send + Sync>;

struct App {
    settings: Settings,
    web: reqwest::Client,
    server: Value,
    client_id: String,
    /// The verifier of each sign-in that was begun, by its state.
    begun: Mutex<HashMap<String, String>>,
}

/// Finds out what the service does, registers there, and is ready to be served.
pub async fn router(settings: Settings) -> Result<Router, Trouble> {
    let web = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
    let discovery = format!("{}/.well-known/openid-configuration", settings.issuer);
    let server: Value = web.get(discovery).send().await?.error_for_status()?.json().await?;
    if server["issuer"] != settings.issuer.as_str() {
        return Err("the service calls itself something else".into());
    }
    let registration = json!({
        "client_name": "Example application",
        "redirect_uris": [format!("{}/callback", settings.address)],
        "token_endpoint_auth_method": "none",
        "scope": settings.scope,
    });
    let registered = web.post(endpoint(&server, "registration_endpoint")?).json(&registration);
    let registered: Value = registered.send().await?.error_for_status()?.json().await?;
    let client_id = registered["client_id"].as_str().ok_or("no client_id")?.to_owned();
    let app = App { settings, web, server, client_id, begun: Mutex::default() };
    Ok(Router::new()
        .route("/", get(async || Html("<h1>Example application</h1><p><a href=\"/login\">Sign in</a></p>")))
        .route("/login", get(login))
        .route("/callback", get(callback))
        .with_state(Arc::new(app)))
}

async fn login(State(app): State<Arc<App>>) -> Response {
    shown(app.begin().await)
}

async fn callback(State(app): State<Arc<App>>, Query(told): Query<HashMap<String, String>>) -> Response {
    shown(app.finish(&told).await)
}

fn shown(outcome: Result<Response, Trouble>) -> Response {
    outcome.unwrap_or_else(|trouble| (StatusCode::BAD_REQUEST, trouble.to_string()).into_response())
}

impl App {
    /// Sends the browser to the service, with a challenge that only we can answer.
    async fn begin(&self) -> Result<Response, Trouble> {
        let (state, verifier) = (self.random(), self.random());
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
        let mut address = Url::parse(endpoint(&self.server, "authorization_endpoint")?)?;
        address.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", &self.client_id),
            ("redirect_uri", &self.redirect_uri()),
            ("scope", &self.settings.scope),
            ("resource", &self.settings.api),
            ("state", &state),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        self.begun.lock().await.insert(state, verifier);
        Ok(Redirect::to(address.as_str()).into_response())
    }

    /// Redeems the code that came back, and shows what the API says.
    async fn finish(&self, told: &HashMap<String, String>) -> Result<Response, Trouble> {
        // RFC 9207: an answer of another server is not ours to redeem.
        if told.get("iss") != Some(&self.settings.issuer) {
            return Err("the answer comes from somebody else".into());
        }
        let state = told.get("state").ok_or("the answer has no state")?;
        let verifier = self.begun.lock().await.remove(state).ok_or("nobody began this sign-in here")?;
        if let Some(error) = told.get("error") {
            return Err(format!("the service refused: {error}").into());
        }
        let code = told.get("code").ok_or("the answer has no code")?;
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", &self.client_id),
            ("code", code),
            ("code_verifier", &verifier),
            ("redirect_uri", &self.redirect_uri()),
        ];
        let tokens = self.web.post(endpoint(&self.server, "token_endpoint")?).form(&form).send().await?;
        let tokens: Value = tokens.error_for_status()?.json().await?;
        let access = tokens["access_token"].as_str().ok_or("no access_token")?;
        let (person, invoices) = (self.ask("/whoami", access).await?, self.ask("/invoices", access).await?);
        let invoices = invoices["invoices"].as_array().map(Vec::as_slice).unwrap_or_default();
        let invoices: String = invoices.iter().map(|it| format!("<li>{}</li>", plain(it))).collect();
        Ok(Html(format!(
            "<h1>Signed in</h1><p>As {} in {}.</p><ul>{invoices}</ul>",
            plain(&person["sub"]),
            plain(&person["org"])
        ))
        .into_response())
    }

    /// What the API answers to whoever holds this token.
    async fn ask(&self, path: &str, token: &str) -> Result<Value, Trouble> {
        let asked = self.web.get(format!("{}{path}", self.settings.api)).bearer_auth(token);
        Ok(asked.send().await?.error_for_status()?.json().await?)
    }

    fn redirect_uri(&self) -> String {
        format!("{}/callback", self.settings.address)
    }

    fn random(&self) -> String {
        URL_SAFE_NO_PAD.encode((self.settings.random)())
    }
}

/// A text as a page can show it.
fn plain(text: &Value) -> String {
    text.as_str().unwrap_or_default().replace(['<', '&', '"'], "")
}

fn endpoint<'a>(server: &'a Value, name: &str) -> Result<&'a str, Trouble> {
    server[name].as_str().ok_or_else(|| format!("the service has no {name}").into())
}
