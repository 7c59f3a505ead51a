//! An API: anybody with a token for it may ask who they are, and invoices take a permission. They are an
//! organization's, and a token speaks for one.

use crate::guard::{Bearer, Guard, Refused};
use axum::extract::{Path, State};
use axum::http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use std::sync::Arc;

/// What the API is told when it starts.
pub struct Api {
    /// The address of the Sinete instance.
    pub issuer: String,
    /// The URI this API is registered under, which is also where it stands.
    pub identifier: String,
    /// What time it is, in seconds since 1970.
    pub now: fn() -> i64,
}

struct Shared {
    api: Api,
    guard: Guard,
}

/// The API, ready to be served.
pub fn router(api: Api) -> Router {
    let guard = Guard::new(&api.issuer, &api.identifier);
    Router::new()
        .route("/whoami", get(who_am_i))
        .route("/invoices", get(invoices))
        .route("/organizations/{organization}/invoices", get(invoices_of))
        .route("/.well-known/oauth-protected-resource", get(metadata))
        .with_state(Arc::new(Shared { api, guard }))
}

async fn who_am_i(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    match shared.bearer(&headers).await {
        Ok(bearer) => Json(json!({"sub": bearer.subject, "org": bearer.organization})).into_response(),
        Err(refused) => shared.refuse(refused, None),
    }
}

/// What reading invoices takes.
const PERMISSION: &str = "invoices:read";

/// The invoices of the organization that the token speaks for, and nobody else's.
async fn invoices(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let allowed = shared.bearer(&headers).await;
    shown(&shared, allowed.and_then(|bearer| bearer.must_allow(PERMISSION).map(|()| bearer)))
}

/// The same, where the address names the organization: it must be the one that the token speaks for.
async fn invoices_of(
    State(shared): State<Arc<Shared>>,
    Path(organization): Path<String>,
    headers: HeaderMap,
) -> Response {
    let allowed = shared.bearer(&headers).await;
    let allowed = allowed.and_then(|bearer| bearer.must_speak_for(&organization).map(|()| bearer));
    shown(&shared, allowed.and_then(|bearer| bearer.must_allow(PERMISSION).map(|()| bearer)))
}

fn shown(shared: &Shared, allowed: Result<Bearer, Refused>) -> Response {
    match allowed {
        Ok(bearer) => {
            Json(json!({"organization": bearer.organization, "invoices": ["2026-001"]})).into_response()
        }
        Err(refused) => shared.refuse(refused, Some(PERMISSION)),
    }
}

/// Who guards this API (RFC 9728): what `GET /manage/apis/{id}/protected-resource` shows.
async fn metadata(State(shared): State<Arc<Shared>>) -> Json<serde_json::Value> {
    Json(json!({
        "resource": shared.api.identifier,
        "authorization_servers": [shared.api.issuer],
        "bearer_methods_supported": ["header"],
        "scopes_supported": [PERMISSION],
    }))
}

impl Shared {
    async fn bearer(&self, headers: &HeaderMap) -> Result<Bearer, Refused> {
        let header = headers.get(AUTHORIZATION).and_then(|header| header.to_str().ok());
        self.guard.check(header, (self.api.now)()).await
    }

    /// A refusal that tells a client how to come back (RFC 6750 §3, RFC 9728 §5.1).
    fn refuse(&self, refused: Refused, permission: Option<&str>) -> Response {
        let (status, error) = match refused {
            Refused::NoToken => (StatusCode::UNAUTHORIZED, None),
            Refused::InvalidToken => (StatusCode::UNAUTHORIZED, Some("invalid_token")),
            Refused::InsufficientScope => (StatusCode::FORBIDDEN, Some("insufficient_scope")),
        };
        let document = format!("{}/.well-known/oauth-protected-resource", self.api.identifier);
        let parameters = [("error", error), ("resource_metadata", Some(&document)), ("scope", permission)];
        let parameters: Vec<_> = parameters
            .iter()
            .filter_map(|(name, value)| value.map(|value| format!("{name}=\"{value}\"")))
            .collect();
        let mut response = status.into_response();
        if let Ok(challenge) = HeaderValue::try_from(format!("Bearer {}", parameters.join(", "))) {
            response.headers_mut().insert(WWW_AUTHENTICATE, challenge);
        }
        response
    }
}
