//! Token introspection (RFC 7662).

use crate::oauth::presented_token::{authenticate_token_request, parse_token_form};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use sinete_engine::oauth::{client_authentication, introspection};
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{json_response, serialize_json};

/// Introspects a token.
pub(crate) async fn post_introspection(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (form, presented) = parse_token_form(&call)?;
    // For a cached client authentication, client and token are confirmed in one query.
    if let Some(token) = form.get("token")
        && let Some(supposed) = client_authentication::find_cached_client(state.engine(), &presented)
        && let Some(told) =
            introspection::introspect_for_unconfirmed_client(state.engine(), &supposed, token).await?
    {
        return Ok(json_response(StatusCode::OK, serialize_json(&told)?));
    }
    let shown = authenticate_token_request(&state, &call, &form, &presented).await?;
    let told = introspection::introspect_token(state.engine(), &shown.client, &shown.token).await?;
    Ok(json_response(StatusCode::OK, serialize_json(&told)?))
}
