//! Token revocation (RFC 7009).

use crate::oauth::presented_token::{authenticate_token_request, parse_token_form};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::body::Body;
use axum::response::Response;
use sinete_engine::oauth::revocation;
use sinete_server::reply::HandlerResult;

/// Revokes a token. The response does not reveal whether it was valid.
pub(crate) async fn post_revocation(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (form, auth_request) = parse_token_form(&request)?;
    let token_request = authenticate_token_request(&state, &request, &form, &auth_request).await?;
    revocation::revoke_token(
        state.engine(),
        &token_request.client,
        &token_request.token,
        &token_request.cause,
    )
    .await?;
    Ok(Response::new(Body::empty()))
}
