//! The CIBA endpoint (OpenID CIBA §7).

use crate::oauth::unverified_clients;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde::Serialize;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::oauth::authorize::raw_params::RawAuthorizationParams;
use sinete_core::oauth::client_metadata::ClientAuthMethod;
use sinete_core::oauth::grants::unauthorized_client;
use sinete_engine::EventCause;
use sinete_engine::oauth::ciba;
use sinete_engine::oauth::client_authentication::authenticate_client;
use sinete_server::reply::{HandlerResult, json};

/// The response (OpenID CIBA §7.3).
#[derive(Serialize)]
struct CibaResponse {
    auth_req_id: String,
    expires_in: i64,
    interval: i64,
}

/// Starts a CIBA request.
pub(crate) async fn post_backchannel_authentication(
    state: HttpState,
    request: RoutedRequest,
) -> HandlerResult {
    let (engine, form) = (state.engine(), request.form_params()?);
    let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: request.origin() };
    let client = authenticate_client(engine, &request.client_auth(&form)?, &cause).await?;
    if client.client.metadata.token_endpoint_auth_method == ClientAuthMethod::None {
        // The id of a public client can be used by anyone.
        return Err(unauthorized_client("a public client sent a CIBA request").into());
    }
    unverified_clients::limit_unverified_clients(&state, &request, &client)?;
    let started =
        ciba::start_ciba_request(engine, &client, RawAuthorizationParams::new(form.iter()), &cause).await?;
    let view = CibaResponse {
        auth_req_id: started.request.reveal(),
        expires_in: started.lifetime.seconds(),
        interval: started.interval.seconds(),
    };
    Ok(json::json_response(StatusCode::OK, json::serialize_json(&view)?))
}
