//! A web application that registers itself, signs users in with the authorization code flow and PKCE, and calls the API.

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

/// The settings of the application.
pub struct WebAppSettings {
    /// The issuer.
    pub issuer: String,
    /// The base URL of this application.
    pub base_url: String,
    /// The API that it calls.
    pub api: String,
    /// The requested scope.
    pub scope: String,
    /// Returns random bytes.
    pub random: fn() -> [u8; 32],
}

/// Why a sign-in failed.
pub type WebAppError = Box<dyn std::error::Error + Send + Sync>;

struct WebApp {
    settings: WebAppSettings,
    http: reqwest::Client,
    server: Value,
    client_id: String,
    /// The code verifier of each sign-in in progress, by its state.
    pending_sign_ins: Mutex<HashMap<String, String>>,
}

/// Reads the metadata of the issuer, registers a client, and builds the router.
pub async fn build_router(settings: WebAppSettings) -> Result<Router, WebAppError> {
    let http = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build()?;
    let discovery = format!("{}/.well-known/openid-configuration", settings.issuer);
    let server: Value = http.get(discovery).send().await?.error_for_status()?.json().await?;
    if server["issuer"] != settings.issuer.as_str() {
        return Err("the metadata is of another issuer".into());
    }
    let registration = json!({
        "client_name": "Example application",
        "redirect_uris": [format!("{}/callback", settings.base_url)],
        "token_endpoint_auth_method": "none",
        "scope": settings.scope,
    });
    let registered = http.post(endpoint(&server, "registration_endpoint")?).json(&registration);
    let registered: Value = registered.send().await?.error_for_status()?.json().await?;
    let client_id = registered["client_id"].as_str().ok_or("no client_id")?.to_owned();
    let app = WebApp { settings, http, server, client_id, pending_sign_ins: Mutex::default() };
    Ok(Router::new()
        .route("/", get(async || Html("<h1>Example application</h1><p><a href=\"/login\">Sign in</a></p>")))
        .route("/login", get(login))
        .route("/callback", get(callback))
        .with_state(Arc::new(app)))
}

async fn login(State(app): State<Arc<WebApp>>) -> Response {
    respond(app.start_sign_in().await)
}

async fn callback(State(app): State<Arc<WebApp>>, Query(params): Query<HashMap<String, String>>) -> Response {
    respond(app.finish_sign_in(&params).await)
}

fn respond(outcome: Result<Response, WebAppError>) -> Response {
    outcome.unwrap_or_else(|error| (StatusCode::BAD_REQUEST, error.to_string()).into_response())
}

impl WebApp {
    /// Redirects the browser to the authorization endpoint, with a code challenge.
    async fn start_sign_in(&self) -> Result<Response, WebAppError> {
        let (state, verifier) = (self.random(), self.random());
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
        let mut url = Url::parse(endpoint(&self.server, "authorization_endpoint")?)?;
        url.query_pairs_mut().extend_pairs([
            ("response_type", "code"),
            ("client_id", &self.client_id),
            ("redirect_uri", &self.redirect_uri()),
            ("scope", &self.settings.scope),
            ("resource", &self.settings.api),
            ("state", &state),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        self.pending_sign_ins.lock().await.insert(state, verifier);
        Ok(Redirect::to(url.as_str()).into_response())
    }

    /// Redeems the authorization code, calls the API, and shows the result.
    async fn finish_sign_in(&self, params: &HashMap<String, String>) -> Result<Response, WebAppError> {
        // RFC 9207: a response of another issuer must not be used.
        if params.get("iss") != Some(&self.settings.issuer) {
            return Err("the response is from another issuer".into());
        }
        let state = params.get("state").ok_or("the response has no state")?;
        let verifier = self.pending_sign_ins.lock().await.remove(state).ok_or("the state is unknown")?;
        if let Some(error) = params.get("error") {
            return Err(format!("the issuer answered {error}").into());
        }
        let code = params.get("code").ok_or("the response has no code")?;
        let form = [
            ("grant_type", "authorization_code"),
            ("client_id", &self.client_id),
            ("code", code),
            ("code_verifier", &verifier),
            ("redirect_uri", &self.redirect_uri()),
        ];
        let tokens = self.http.post(endpoint(&self.server, "token_endpoint")?).form(&form).send().await?;
        let tokens: Value = tokens.error_for_status()?.json().await?;
        let access = tokens["access_token"].as_str().ok_or("no access_token")?;
        let (user, invoices) =
            (self.call_api("/whoami", access).await?, self.call_api("/invoices", access).await?);
        let invoices = invoices["invoices"].as_array().map(Vec::as_slice).unwrap_or_default();
        let invoices: String = invoices.iter().map(|it| format!("<li>{}</li>", escape_text(it))).collect();
        Ok(Html(format!(
            "<h1>Signed in</h1><p>As {} in {}.</p><ul>{invoices}</ul>",
            escape_text(&user["sub"]),
            escape_text(&user["org"])
        ))
        .into_response())
    }

    /// Calls the API with the access token.
    async fn call_api(&self, path: &str, token: &str) -> Result<Value, WebAppError> {
        let request = self.http.get(format!("{}{path}", self.settings.api)).bearer_auth(token);
        Ok(request.send().await?.error_for_status()?.json().await?)
    }

    fn redirect_uri(&self) -> String {
        format!("{}/callback", self.settings.base_url)
    }

    fn random(&self) -> String {
        URL_SAFE_NO_PAD.encode((self.settings.random)())
    }
}

/// Removes characters that have a meaning in HTML.
fn escape_text(text: &Value) -> String {
    text.as_str().unwrap_or_default().replace(['<', '&', '"'], "")
}

fn endpoint<'a>(server: &'a Value, name: &str) -> Result<&'a str, WebAppError> {
    server[name].as_str().ok_or_else(|| format!("the metadata has no {name}").into())
}
