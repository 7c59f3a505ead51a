//! Pushed authorization requests (RFC 9126).

use crate::call::Call;
use crate::extract::client_proof;
use crate::oauth::unverified;
use crate::reply::{Answer, json};
use crate::state::State;
use axum::http::StatusCode;
use serde::Serialize;
use sinete_core::authorize::unvalidated::Unvalidated;
use sinete_core::security::event::Actor;
use sinete_engine::key_proofs::authenticate;
use sinete_engine::{Cause, push_request};

/// RFC 9126 §2.2.
#[derive(Serialize)]
struct Kept<'a> {
    request_uri: &'a str,
    expires_in: i64,
}

/// Keeps a request for the client that pushes it.
pub(crate) async fn post(state: State, call: Call) -> Answer {
    let (engine, form) = (state.engine(), call.form()?);
    let cause = Cause { actor: Actor::Anonymous, origin: call.origin() };
    let client = authenticate(engine, &client_proof::presented(&call, &form)?, &cause).await??;
    unverified::limit(&state, &call, &client)?;
    let pushed = push_request::push(engine, &client, Unvalidated::new(form.iter())).await??;
    let kept = Kept { request_uri: &pushed.request_uri, expires_in: pushed.lifetime.seconds() };
    Ok(json::answer(StatusCode::CREATED, json::written(&kept)?))
}
