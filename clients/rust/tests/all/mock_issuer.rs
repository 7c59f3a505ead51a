//! A mock issuer that records requests. It is reached as an HTTP proxy, so that it can have any URL.

use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use sinete_client::HttpClient;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// The responses of the mock issuer, and the requests it received.
#[derive(Default)]
pub struct MockScript {
    /// The response of each path.
    pub answers: HashMap<String, (u16, Value)>,
    /// How often each path was requested.
    pub request_counts: HashMap<String, usize>,
    /// `Authorization` and body of the last request that had a body.
    pub last: (String, String),
    /// The next responses of the token endpoint.
    pub tokens: VecDeque<MockResponse>,
    /// The requests of the token endpoint: headers and body.
    pub token_requests: Vec<(HeaderMap, String)>,
    /// The next responses of the management API.
    pub management: VecDeque<MockResponse>,
    /// The requests of the management API.
    pub calls: Vec<RecordedCall>,
    /// How long every response takes.
    pub slowness: Duration,
}

/// A request of the management API.
pub struct RecordedCall {
    pub method: String,
    /// The path, with its query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl RecordedCall {
    /// The value of a header, if present.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// A response that is waiting to be sent.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MockResponse {
    pub status: u16,
    pub json: Option<Value>,
    #[serde(default)]
    pub headers: HashMap<String, String>,
    /// Whether the body is longer than the library reads.
    #[serde(default, rename = "isTooLong")]
    pub is_too_long: bool,
}

impl MockResponse {
    fn response(self) -> Response {
        let body = match self.is_too_long {
            true => " ".repeat(2 * 1024 * 1024),
            false => self.json.map(|json| json.to_string()).unwrap_or_default(),
        };
        let headers =
            self.headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let headers: HeaderMap = headers.collect();
        (StatusCode::from_u16(self.status).unwrap(), headers, body).into_response()
    }
}

pub struct MockIssuer {
    address: String,
    pub script: Arc<Mutex<MockScript>>,
}

impl MockIssuer {
    /// Starts a mock of this issuer, with these keys.
    pub async fn start(issuer: &str, keys: &Value) -> Self {
        let metadata = json!({
            "issuer": issuer,
            "jwks_uri": format!("{issuer}/.well-known/jwks.json"),
            "token_endpoint": format!("{issuer}/connect/token"),
            "introspection_endpoint": format!("{issuer}/connect/introspect"),
        });
        let answers = HashMap::from([
            ("/.well-known/openid-configuration".to_owned(), (200, metadata)),
            ("/.well-known/jwks.json".to_owned(), (200, keys.clone())),
        ]);
        let script = Arc::new(Mutex::new(MockScript { answers, ..MockScript::default() }));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&script));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, script }
    }

    /// An HTTP client that sends every request here. Its builder would follow redirects.
    pub fn http_client(&self) -> HttpClient {
        let proxy = reqwest::Proxy::all(&self.address).unwrap();
        let redirects = reqwest::redirect::Policy::limited(3);
        HttpClient::from_builder(reqwest::Client::builder().redirect(redirects).proxy(proxy)).unwrap()
    }
}

async fn answer(
    State(script): State<Arc<Mutex<MockScript>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> Response {
    let slowness = script.lock().unwrap().slowness;
    tokio::time::sleep(slowness).await;
    let mut script = script.lock().unwrap();
    *script.request_counts.entry(uri.path().to_owned()).or_default() += 1;
    if uri.path() == "/connect/token" {
        script.token_requests.push((headers, body));
        return script.tokens.pop_front().expect("an unexpected request").response();
    }
    if uri.path().starts_with("/manage") {
        let path = uri.path_and_query().unwrap().to_string();
        script.calls.push(RecordedCall { method: method.to_string(), path, headers, body });
        return script.management.pop_front().expect("an unexpected request").response();
    }
    if !body.is_empty() {
        let authorization = headers.get("authorization").map(|it| it.to_str().unwrap().to_owned());
        script.last = (authorization.unwrap_or_default(), body);
    }
    match script.answers.get(uri.path()) {
        Some((status, body)) => (StatusCode::from_u16(*status).unwrap(), Json(body.clone())).into_response(),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
