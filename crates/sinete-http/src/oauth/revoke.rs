//! Revocation over HTTP (RFC 7009).

use super::shown_token::{said, shown};
use crate::call::RoutedRequest;
use crate::reply::HandlerResult;
use crate::state::HttpState;
use axum::body::Body;
use axum::response::Response;
use sinete_engine::revoke_token;

/// Revokes the token that a client shows. Whether there was anything to revoke is not said.
pub(crate) async fn post(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let shown = shown(&state, &call, &said(&call)?).await?;
    revoke_token::revoke(state.engine(), &shown.client, &shown.token, &shown.cause).await??;
    Ok(Response::new(Body::empty()))
}
