//! An API. `/whoami` needs an access token for it; invoices need a permission too. Invoices belong to an organization, and
//! a token is for one organization.

use axum::extract::{Path, State};
use axum::http::request::Parts;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use sinete_client::{
    AccessRequirements, AccessTokenVerifier, AccessTokenVerifierSettings, ConfigurationError,
};
use sinete_client::{RequestCredentials, RequestRejectedError, VerifiedAccessToken};
use std::sync::Arc;

/// The settings of the API.
pub struct ApiSettings {
    /// The issuer.
    pub issuer: String,
    /// The URI that this API is registered under, which is also its base URL.
    pub identifier: String,
    /// Returns the time in seconds since 1970.
    pub now: fn() -> i64,
}

struct ApiState {
    settings: ApiSettings,
    verifier: AccessTokenVerifier,
}

/// Builds the router of the API.
pub fn build_router(settings: ApiSettings) -> Result<Router, ConfigurationError> {
    let verifier = AccessTokenVerifier::new(AccessTokenVerifierSettings {
        clock: Arc::new(settings.now),
        ..AccessTokenVerifierSettings::new(&settings.issuer, &settings.identifier)
    })?;
    Ok(Router::new()
        .route("/whoami", get(get_identity))
        .route("/invoices", get(list_invoices))
        .route("/organizations/{organization}/invoices", get(list_organization_invoices))
        .route("/.well-known/oauth-protected-resource", get(protected_resource_metadata))
        .with_state(Arc::new(ApiState { settings, verifier })))
}

async fn get_identity(State(state): State<Arc<ApiState>>, request: Parts) -> Response {
    match state.authenticate(&request, AccessRequirements::default()).await {
        Ok(token) => Json(json!({"sub": token.subject, "org": token.organization})).into_response(),
        Err(rejected) => rejection_response(&rejected),
    }
}

/// The permission to read invoices.
const PERMISSION: &str = "invoices:read";

/// The invoices of the organization that the token is for.
async fn list_invoices(State(state): State<Arc<ApiState>>, request: Parts) -> Response {
    invoices_response(
        state.authenticate(&request, AccessRequirements { scopes: &[PERMISSION], organization: None }).await,
    )
}

/// The same, where the path names the organization: it must be the one that the token is for.
async fn list_organization_invoices(
    State(state): State<Arc<ApiState>>,
    Path(organization): Path<String>,
    request: Parts,
) -> Response {
    let requirements = AccessRequirements { scopes: &[PERMISSION], organization: Some(&organization) };
    invoices_response(state.authenticate(&request, requirements).await)
}

fn invoices_response(outcome: Result<VerifiedAccessToken, RequestRejectedError>) -> Response {
    match outcome {
        Ok(token) => {
            Json(json!({"organization": token.organization, "invoices": ["2026-001"]})).into_response()
        }
        Err(rejected) => rejection_response(&rejected),
    }
}

/// The protected resource metadata (RFC 9728), as `GET /manage/apis/{id}/protected-resource` shows it.
async fn protected_resource_metadata(State(state): State<Arc<ApiState>>) -> Json<serde_json::Value> {
    Json(json!({
        "resource": state.settings.identifier,
        "authorization_servers": [state.settings.issuer],
        "bearer_methods_supported": ["header"],
        "dpop_signing_alg_values_supported": ["ES256", "EdDSA", "PS256", "RS256"],
        "scopes_supported": [PERMISSION],
    }))
}

impl ApiState {
    async fn authenticate(
        &self,
        request: &Parts,
        requirements: AccessRequirements<'_>,
    ) -> Result<VerifiedAccessToken, RequestRejectedError> {
        let (method, path) = (request.method.as_str(), request.uri.path());
        self.verifier
            .verify(&RequestCredentials::from_request(method, path, &request.headers), &requirements)
            .await
    }
}

/// The response to a rejected request, with the challenges that the library made.
fn rejection_response(rejected: &RequestRejectedError) -> Response {
    let mut response = StatusCode::from_u16(rejected.status).unwrap_or_default().into_response();
    for (name, value) in rejected.headers() {
        if let Ok(value) = HeaderValue::try_from(value) {
            response.headers_mut().append(HeaderName::from_static(name), value);
        }
    }
    response
}
