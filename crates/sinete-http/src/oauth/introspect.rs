//! Introspection over HTTP (RFC 7662).

use super::shown_token::shown;
use crate::call::Call;
use crate::reply::Answer;
use crate::reply::json::{answer, written};
use crate::state::State;
use axum::http::StatusCode;
use sinete_engine::introspect;

/// Tells a client what the token it shows is good for now.
pub(crate) async fn post(state: State, call: Call) -> Answer {
    let shown = shown(&state, &call).await?;
    let told = introspect::introspect(state.engine(), &shown.client, &shown.token).await?;
    Ok(answer(StatusCode::OK, written(&told)?))
}
