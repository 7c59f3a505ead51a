//! The token endpoint.

use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde::Serialize;
use serde_json::{Map, Value};
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::oauth::grants::TokenRequestParams;
use sinete_core::oauth::grants::token_exchange::ACCESS_TOKEN_TYPE;
use sinete_engine::EventCause;
use sinete_engine::oauth::client_authentication::ClientAuthRequest;
use sinete_engine::oauth::token;
use sinete_engine::oauth::token::IssuedTokens;
use sinete_server::reply::{HandlerResult, json};

/// A token response (RFC 6749 §5.1, RFC 8693 §2.2.1, RFC 9396 §7, RFC 9449 §5).
#[derive(Serialize)]
struct TokenResponse {
    access_token: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    issued_token_type: Option<&'static str>,
    token_type: &'static str,
    expires_in: i64,
    scope: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    refresh_token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    id_token: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    authorization_details: Vec<Map<String, Value>>,
}

impl TokenResponse {
    /// Creates the response; a token issued with a valid DPoP proof is bound to its key (RFC 9449 §5).
    fn from_issued(issued: IssuedTokens, auth_request: &ClientAuthRequest) -> Self {
        Self {
            access_token: issued.access_token,
            issued_token_type: issued.is_exchanged.then_some(ACCESS_TOKEN_TYPE),
            token_type: if auth_request.dpop.is_some() { "DPoP" } else { "Bearer" },
            expires_in: issued.lifetime.seconds(),
            scope: issued.scope.to_string(),
            refresh_token: issued.refresh_token.map(sinete_core::secret::RefreshTokenSecret::reveal),
            id_token: issued.id_token,
            authorization_details: issued.details,
        }
    }
}

/// Issues a token.
pub(crate) async fn post_token(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let form = request.form_params()?;
    let auth_request = request.client_auth(&form)?;
    let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: request.origin() };
    let issued =
        token::issue_token(state.engine(), &auth_request, &TokenRequestParams::new(form.iter()), &cause)
            .await?;
    Ok(json::json_response(
        StatusCode::OK,
        json::serialize_json(&TokenResponse::from_issued(issued, &auth_request))?,
    ))
}
