//! Token revocation (RFC 7009).

use crate::oauth::presented_token::{authenticate_token_request, parse_token_form};
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::body::Body;
use axum::response::Response;
use sinete_engine::oauth::revocation;
use sinete_server::reply::HandlerResult;

/// Revokes a token. The response does not reveal whether it was valid.
pub(crate) async fn post_revocation(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (form, presented) = parse_token_form(&call)?;
    let shown = authenticate_token_request(&state, &call, &form, &presented).await?;
    revocation::revoke_token(state.engine(), &shown.client, &shown.token, &shown.cause).await?;
    Ok(Response::new(Body::empty()))
}
