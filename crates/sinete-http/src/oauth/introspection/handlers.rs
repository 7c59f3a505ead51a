//! Token introspection (RFC 7662).

use crate::oauth::presented_token::{authenticate_token_request, parse_token_form};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use sinete_engine::oauth::{client_authentication, introspection};
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{json_response, serialize_json};

/// Introspects a token.
pub(crate) async fn post_introspection(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (form, auth_request) = parse_token_form(&request)?;
    // For a cached client authentication, client and token are confirmed in one query.
    if let Some(token) = form.get("token")
        && let Some(client) = client_authentication::find_cached_client(state.engine(), &auth_request)
        && let Some(response) =
            introspection::introspect_for_unconfirmed_client(state.engine(), &client, token).await?
    {
        return Ok(json_response(StatusCode::OK, serialize_json(&response)?));
    }
    let token_request = authenticate_token_request(&state, &request, &form, &auth_request).await?;
    let response =
        introspection::introspect_token(state.engine(), &token_request.client, &token_request.token).await?;
    Ok(json_response(StatusCode::OK, serialize_json(&response)?))
}
