//! An API: anybody with a token for it may ask who they are, and invoices take a permission. They are an
//! organization's, and a token speaks for one.

use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use sinete_client::{Guard, GuardSettings, Identity, Misconfigured, Needs, Refused, Shown};
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
pub fn router(api: Api) -> Result<Router, Misconfigured> {
    let settings =
        GuardSettings { clock: Arc::new(api.now), ..GuardSettings::new(&api.issuer, &api.identifier) };
    let guard = Guard::new(settings)?;
    Ok(Router::new()
        .route("/whoami", get(who_am_i))
        .route("/invoices", get(invoices))
        .route("/organizations/{organization}/invoices", get(invoices_of))
        .route("/.well-known/oauth-protected-resource", get(metadata))
        .with_state(Arc::new(Shared { api, guard })))
}

async fn who_am_i(State(shared): State<Arc<Shared>>, request: Parts) -> Response {
    match shared.identity(&request, Needs::default()).await {
        Ok(who) => Json(json!({"sub": who.subject, "org": who.organization})).into_response(),
        Err(refused) => refuse(&refused),
    }
}

/// What reading invoices takes.
const PERMISSION: &str = "invoices:read";

/// The invoices of the organization that the token speaks for, and nobody else's.
async fn invoices(State(shared): State<Arc<Shared>>, request: Parts) -> Response {
    shown(shared.identity(&request, Needs { scopes: &[PERMISSION], organization: None }).await)
}

/// The same, where the address names the organization: it must be the one that the token speaks for.
async fn invoices_of(
    State(shared): State<Arc<Shared>>,
    Path(organization): Path<String>,
    request: Parts,
) -> Response {
    let needs = Needs { scopes: &[PERMISSION], organization: Some(&organization) };
    shown(shared.identity(&request, needs).await)
}

fn shown(allowed: Result<Identity, Refused>) -> Response {
    match allowed {
        Ok(who) => Json(json!({"organization": who.organization, "invoices": ["2026-001"]})).into_response(),
        Err(refused) => refuse(&refused),
    }
}

/// Who guards this API (RFC 9728): what `GET /manage/apis/{id}/protected-resource` shows.
async fn metadata(State(shared): State<Arc<Shared>>) -> Json<serde_json::Value> {
    Json(json!({
        "resource": shared.api.identifier,
        "authorization_servers": [shared.api.issuer],
        "bearer_methods_supported": ["header"],
        "dpop_signing_alg_values_supported": ["ES256", "EdDSA", "PS256", "RS256"],
        "scopes_supported": [PERMISSION],
    }))
}

impl Shared {
    async fn identity(&self, request: &Parts, needs: Needs<'_>) -> Result<Identity, Refused> {
        let (method, path) = (request.method.as_str(), request.uri.path());
        self.guard.check(&Shown::by(method, path, &request.headers), &needs).await
    }
}

/// A refusal that tells a client how to come back: the library knows how.
fn refuse(refused: &Refused) -> Response {
    let mut response = StatusCode::from_u16(refused.status).unwrap_or_default().into_response();
    for (name, value) in refused.headers() {
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().append(HeaderName::from_static(name), value);
        }
    }
    response
}
