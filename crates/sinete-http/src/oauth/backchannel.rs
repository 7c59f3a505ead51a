//! Where a client asks for somebody's approval (OpenID CIBA §7).

use crate::call::Call;
use crate::extract::client_proof;
use crate::oauth::unverified;
use crate::reply::{Answer, json};
use crate::state::State;
use axum::http::StatusCode;
use serde::Serialize;
use sinete_core::authorize::unvalidated::Unvalidated;
use sinete_core::client::metadata::AuthenticationMethod;
use sinete_core::grant::may_not;
use sinete_core::security::event::Actor;
use sinete_engine::client_authentication::authenticate;
use sinete_engine::{Cause, approval};

/// OpenID CIBA §7.3.
#[derive(Serialize)]
struct View {
    auth_req_id: String,
    expires_in: i64,
    interval: i64,
}

/// Asks the person, and tells the client what it waits with.
pub(crate) async fn post(state: State, call: Call) -> Answer {
    let (engine, form) = (state.engine(), call.form()?);
    let cause = Cause { actor: Actor::Anonymous, origin: call.origin() };
    let client = authenticate(engine, &client_proof::presented(&call, &form)?, &cause).await??;
    if client.known.metadata.token_endpoint_auth_method == AuthenticationMethod::None {
        // Anybody can name a client that keeps no secret.
        return Err(may_not("a public client asks for an approval").into());
    }
    unverified::limit(&state, &call, &client)?;
    let started = approval::start(engine, &client, Unvalidated::new(form.iter()), &cause).await??;
    let view = View {
        auth_req_id: started.request.reveal(),
        expires_in: started.lifetime.seconds(),
        interval: started.interval.seconds(),
    };
    Ok(json::answer(StatusCode::OK, json::written(&view)?))
}
