//! The device authorization endpoint (RFC 8628 §3.1).

use crate::oauth::unverified_clients;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde::Serialize;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::oauth::authorize::raw_params::RawAuthorizationParams;
use sinete_engine::EventCause;
use sinete_engine::oauth::client_authentication::authenticate_client;
use sinete_engine::oauth::device_authorization;
use sinete_server::reply::{HandlerResult, json};

/// The response (RFC 8628 §3.2).
#[derive(Serialize)]
struct DeviceAuthorizationView {
    device_code: String,
    user_code: String,
    verification_uri: String,
    verification_uri_complete: String,
    expires_in: i64,
    interval: i64,
}

/// Starts a device authorization.
pub(crate) async fn post_device_authorization(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (engine, form) = (state.engine(), request.form_params()?);
    let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: request.origin() };
    let client = authenticate_client(engine, &request.client_auth(&form)?, &cause).await?;
    unverified_clients::limit_unverified_clients(&state, &request, &client)?;
    let started = device_authorization::start_device_authorization(
        engine,
        &client,
        RawAuthorizationParams::new(form.iter()),
        &cause,
    )
    .await?;
    let view = DeviceAuthorizationView {
        device_code: started.device_code.reveal(),
        user_code: started.user_code.to_string(),
        verification_uri: started.verification_uri,
        verification_uri_complete: started.verification_uri_complete,
        expires_in: started.lifetime.seconds(),
        interval: started.interval.seconds(),
    };
    Ok(json::json_response(StatusCode::OK, json::serialize_json(&view)?))
}
