//! Where a client asks for somebody's approval (OpenID CIBA §7).

use crate::call::RoutedRequest;
use crate::extract::client_proof;
use crate::oauth::unverified;
use crate::reply::{HandlerResult, json};
use crate::state::HttpState;
use axum::http::StatusCode;
use serde::Serialize;
use sinete_core::authorize::unvalidated::RawAuthorizationParams;
use sinete_core::client::metadata::ClientAuthMethod;
use sinete_core::grant::may_not;
use sinete_core::security::event::SecurityEventActor;
use sinete_engine::client_authentication::authenticate;
use sinete_engine::{EventCause, approval};

/// OpenID CIBA §7.3.
#[derive(Serialize)]
struct CibaResponse {
    auth_req_id: String,
    expires_in: i64,
    interval: i64,
}

/// Asks the person, and tells the client what it waits with.
pub(crate) async fn post(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (engine, form) = (state.engine(), call.form()?);
    let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: call.origin() };
    let client = authenticate(engine, &client_proof::presented(&call, &form)?, &cause).await??;
    if client.known.metadata.token_endpoint_auth_method == ClientAuthMethod::None {
        // Anybody can name a client that keeps no secret.
        return Err(may_not("a public client asks for an approval").into());
    }
    unverified::limit(&state, &call, &client)?;
    let started =
        approval::start(engine, &client, RawAuthorizationParams::new(form.iter()), &cause).await??;
    let view = CibaResponse {
        auth_req_id: started.request.reveal(),
        expires_in: started.lifetime.seconds(),
        interval: started.interval.seconds(),
    };
    Ok(json::answer(StatusCode::OK, json::written(&view)?))
}
