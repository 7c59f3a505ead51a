//! Pushed authorization requests (RFC 9126).

use crate::oauth::authorize::refusals;
use crate::oauth::unverified_clients;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde::Serialize;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::oauth::authorize::raw_params::RawAuthorizationParams;
use sinete_engine::oauth::dpop::authenticate_client_with_dpop;
use sinete_engine::oauth::par;
use sinete_engine::{Error, EventCause};
use sinete_server::reply::{HandlerResult, json};

/// The response (RFC 9126 §2.2).
#[derive(Serialize)]
struct ParResponse<'a> {
    request_uri: &'a str,
    expires_in: i64,
}

/// Stores a pushed request.
pub(crate) async fn post_par(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (engine, form) = (state.engine(), request.form_params()?);
    let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: request.origin() };
    let client = authenticate_client_with_dpop(engine, &request.client_auth(&form)?, &cause).await?;
    unverified_clients::limit_unverified_clients(&state, &request, &client)?;
    let parameters = RawAuthorizationParams::new(form.iter());
    let pushed = match par::push_authorization_request(engine, &client, parameters).await {
        Err(Error::Refused(refusal)) => {
            refusals::record_pushed_refusal(&state, &request, client.id(), &refusal, &form);
            return Err(refusal.into());
        }
        result => result?,
    };
    let response = ParResponse { request_uri: &pushed.request_uri, expires_in: pushed.lifetime.seconds() };
    Ok(json::json_response(StatusCode::CREATED, json::serialize_json(&response)?))
}
