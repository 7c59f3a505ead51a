//! An instance that is played here, and counts how often it is asked. Requests reach it as a proxy, so that it can have
//! whatever address a test wants it to have.

use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse as _, Response};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::{Value, json};
use sinete_client::Web;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What the instance says and what it was asked.
#[derive(Default)]
pub struct Script {
    /// What is answered at which path.
    pub answers: HashMap<String, (u16, Value)>,
    /// How often each path was asked.
    pub asked: HashMap<String, usize>,
    /// `Authorization` and body of the last request that had a body.
    pub last: (String, String),
    /// What the token endpoint answers next.
    pub tokens: VecDeque<TokenAnswer>,
    /// What the token endpoint was asked: headers and body.
    pub token_requests: Vec<(HeaderMap, String)>,
    /// What the management API answers next.
    pub management: VecDeque<TokenAnswer>,
    /// What the management API was asked.
    pub calls: Vec<Call>,
    /// How long every answer takes.
    pub slowness: Duration,
}

/// A request of the management API.
pub struct Call {
    pub method: String,
    /// The path, with its query.
    pub path: String,
    pub headers: HeaderMap,
    pub body: String,
}

impl Call {
    /// A header, or nothing.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }
}

/// An answer that waits to be given.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TokenAnswer {
    pub status: u16,
    pub json: Option<Value>,
    #[serde(default)]
    pub headers: HashMap<String, String>,
    /// More than anybody reads.
    #[serde(default, rename = "isEndless")]
    pub is_endless: bool,
}

impl TokenAnswer {
    fn response(self) -> Response {
        let body = match self.is_endless {
            true => " ".repeat(2 * 1024 * 1024),
            false => self.json.map(|json| json.to_string()).unwrap_or_default(),
        };
        let headers =
            self.headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        let headers: HeaderMap = headers.collect();
        (StatusCode::from_u16(self.status).unwrap(), headers, body).into_response()
    }
}

pub struct Instance {
    address: String,
    pub script: Arc<Mutex<Script>>,
}

impl Instance {
    /// An instance of this issuer, with these keys.
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
        let script = Arc::new(Mutex::new(Script { answers, ..Script::default() }));
        let router = Router::new().fallback(answer).with_state(Arc::clone(&script));
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, script }
    }

    /// A client whose every request comes here. It would follow redirects, if it were for whoever builds it.
    pub fn web(&self) -> Web {
        let here = reqwest::Proxy::all(&self.address).unwrap();
        let follows = reqwest::redirect::Policy::limited(3);
        Web::of(reqwest::Client::builder().redirect(follows).proxy(here)).unwrap()
    }
}

async fn answer(
    State(script): State<Arc<Mutex<Script>>>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: String,
) -> Response {
    let slowness = script.lock().unwrap().slowness;
    tokio::time::sleep(slowness).await;
    let mut script = script.lock().unwrap();
    *script.asked.entry(uri.path().to_owned()).or_default() += 1;
    if uri.path() == "/connect/token" {
        script.token_requests.push((headers, body));
        return script.tokens.pop_front().expect("nobody expected this request").response();
    }
    if uri.path().starts_with("/manage") {
        let path = uri.path_and_query().unwrap().to_string();
        script.calls.push(Call { method: method.to_string(), path, headers, body });
        return script.management.pop_front().expect("nobody expected this request").response();
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
