//! Leading somebody to a fresh proof, for what they asked for on a page of theirs. It waits until the proof is given.

use crate::call::RoutedRequest;
use crate::extract::pairs::FormParams;
use crate::reply::HandlerError;
use crate::screens::pending_form::{PendingForm, SuspendedForm};
use crate::sign_in::flow_pages;
use crate::state::HttpState;
use axum::response::Response;
use sinete_core::refusal::Refusal;
use sinete_core::secret::Secret;
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{FlowActor, FlowRequest};

/// Where somebody is led who has to prove something first.
pub(crate) enum ProofRedirect {
    /// To where they can.
    Redirect(Response),
    /// To signing in again: whoever reads mail and has nothing else proves it that way, and so does whoever asks on their
    /// own page for more than can wait.
    SignInAgain,
    /// Nowhere.
    Refused(Refusal),
}

/// Begins a proof, with what was asked for left to wait.
pub(crate) async fn start_step_up(
    (state, call): (&HttpState, &RoutedRequest),
    query: &FormParams,
    walker: &FlowActor,
    asked: &PendingForm,
) -> Result<ProofRedirect, HandlerError> {
    let wanted = FlowRequest::StepUp { needs: None };
    if let Err(refusal) = state.rate_limit(call).check_flow_start(walker, wanted.kind()) {
        return Ok(ProofRedirect::Refused(refusal));
    }
    let mut standing =
        match flows::start_flow(state.engine(), &wanted, FlowTokenTransport::Cookie, walker).await? {
            Ok(standing) => standing,
            Err(refusal) => return Ok(ProofRedirect::Refused(refusal)),
        };
    if standing.flow.available_actions().is_empty() {
        return Ok(ProofRedirect::SignInAgain);
    }
    let id = standing.flow.id().to_string();
    let token = standing.issued_secrets.flow.take().map(Secret::reveal).unwrap_or_default();
    standing.issued_secrets.flow = Secret::parse(&token).ok();
    let mut response = flow_pages::redirect_after_action(state, query, standing);
    let mut left = |asked: &PendingForm| {
        SuspendedForm::new(asked, (&id, &token)).set_cookie(&mut response, state.scheme())
    };
    let waits = left(asked) || asked.without_form().is_some_and(|short| left(&short));
    // Nobody proves anything for what would be forgotten meanwhile.
    Ok(if waits { ProofRedirect::Redirect(response) } else { ProofRedirect::SignInAgain })
}
