//! Introspection over HTTP (RFC 7662).

use super::shown_token::{said, shown};
use crate::call::RoutedRequest;
use crate::reply::HandlerResult;
use crate::reply::json::{answer, written};
use crate::state::HttpState;
use axum::http::StatusCode;
use sinete_engine::{client_authentication, introspect};

/// Tells a client what the token it shows is good for now.
pub(crate) async fn post(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let said = said(&call)?;
    let (form, presented) = &said;
    // A client that proved itself before is asked for together with its token.
    if let Some(token) = form.get("token")
        && let Some(supposed) = client_authentication::suppose(state.engine(), presented)
        && let Some(told) = introspect::introspect_supposing(state.engine(), &supposed, token).await?
    {
        return Ok(answer(StatusCode::OK, written(&told)?));
    }
    let shown = shown(&state, &call, &said).await?;
    let told = introspect::introspect(state.engine(), &shown.client, &shown.token).await?;
    Ok(answer(StatusCode::OK, written(&told)?))
}
