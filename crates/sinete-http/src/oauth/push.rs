//! Pushed authorization requests (RFC 9126).

use crate::call::RoutedRequest;
use crate::extract::client_proof;
use crate::oauth::unverified;
use crate::reply::{HandlerResult, json};
use crate::state::HttpState;
use axum::http::StatusCode;
use serde::Serialize;
use sinete_core::authorize::unvalidated::RawAuthorizationParams;
use sinete_core::security::event::SecurityEventActor;
use sinete_engine::key_proofs::authenticate;
use sinete_engine::{EventCause, push_request};

/// RFC 9126 §2.2.
#[derive(Serialize)]
struct ParResponse<'a> {
    request_uri: &'a str,
    expires_in: i64,
}

/// Keeps a request for the client that pushes it.
pub(crate) async fn post(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (engine, form) = (state.engine(), call.form()?);
    let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: call.origin() };
    let client = authenticate(engine, &client_proof::presented(&call, &form)?, &cause).await??;
    unverified::limit(&state, &call, &client)?;
    let pushed = push_request::push(engine, &client, RawAuthorizationParams::new(form.iter())).await??;
    let kept = ParResponse { request_uri: &pushed.request_uri, expires_in: pushed.lifetime.seconds() };
    Ok(json::answer(StatusCode::CREATED, json::written(&kept)?))
}
