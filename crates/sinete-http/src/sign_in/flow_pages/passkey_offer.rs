//! The offer to create a passkey after a sign-in with another method.

use crate::state::HttpState;
use crate::state::RoutedRequest;
use sinete_core::secret::Secret;
use sinete_core::sign_in::credentials::enrollment::EnrollableFactor;
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_engine::UseCaseResult;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{FlowActor, FlowRequest, FlowSnapshot};
use sinete_engine::sign_in::sessions;
use sinete_server::reply::HandlerError;

/// Starts the enrollment of a passkey, for a user who signed in without one.
pub(super) async fn start_passkey_offer(
    state: &HttpState,
    request: &RoutedRequest,
    actor: &FlowActor,
    snapshot: &mut FlowSnapshot,
) -> Result<Option<FlowSnapshot>, HandlerError> {
    let engine = state.engine();
    if !snapshot.flow.is_finished() {
        return Ok(None);
    }
    if !flows::load_offers(engine, &snapshot.flow).await?.may_enroll.contains(&EnrollableFactor::Passkey) {
        return Ok(None);
    }
    let Some(token) = snapshot.issued_secrets.session.take().map(Secret::reveal) else { return Ok(None) };
    let session = sessions::find(engine, &token).await?;
    snapshot.issued_secrets.session = Secret::parse(&token).ok();
    let actor = FlowActor { session, ..actor.clone() };
    let flow_request = FlowRequest::Enroll { factor: EnrollableFactor::Passkey };
    if state.rate_limit(request).check_flow_start(&actor, flow_request.kind()).is_err() {
        return Ok(None);
    }
    Ok(flows::start_flow(engine, &flow_request, FlowTokenTransport::Cookie, &actor).await.unless_refused()?)
}
