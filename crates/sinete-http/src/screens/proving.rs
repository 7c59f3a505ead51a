//! Leading somebody to a fresh proof, for what they asked for on a page of theirs. It waits until the proof is given.

use super::waiting::{PendingForm, SuspendedForm};
use super::walk;
use crate::call::RoutedRequest;
use crate::extract::pairs::FormParams;
use crate::reply::HandlerError;
use crate::state::HttpState;
use axum::response::Response;
use sinete_core::flow::FlowTokenTransport;
use sinete_core::refusal::Refusal;
use sinete_core::secret::Secret;
use sinete_engine::flows::{self, FlowActor, FlowRequest};

/// Where somebody is led who has to prove something first.
pub(super) enum ProofRedirect {
    /// To where they can.
    Leads(Response),
    /// To signing in again: whoever reads mail and has nothing else proves it that way, and so does whoever asks on their
    /// own page for more than can wait.
    SignInAgain,
    /// Nowhere.
    Refused(Refusal),
}

/// Begins a proof, with what was asked for left to wait.
pub(super) async fn begin(
    (state, call): (&HttpState, &RoutedRequest),
    query: &FormParams,
    walker: &FlowActor,
    asked: &PendingForm,
) -> Result<ProofRedirect, HandlerError> {
    let wanted = FlowRequest::StepUp { needs: None };
    if let Err(refusal) = state.paced(call).starting_as(walker, wanted.kind()) {
        return Ok(ProofRedirect::Refused(refusal));
    }
    let mut standing = match flows::start(state.engine(), &wanted, FlowTokenTransport::Cookie, walker).await?
    {
        Ok(standing) => standing,
        Err(refusal) => return Ok(ProofRedirect::Refused(refusal)),
    };
    if standing.flow.actions().is_empty() {
        return Ok(ProofRedirect::SignInAgain);
    }
    let id = standing.flow.id().to_string();
    let token = standing.handed.flow.take().map(Secret::reveal).unwrap_or_default();
    standing.handed.flow = Secret::parse(&token).ok();
    let mut response = walk::onward(state, query, standing);
    let mut left =
        |asked: &PendingForm| SuspendedForm::new(asked, (&id, &token)).leave(&mut response, state.scheme());
    let waits = left(asked) || asked.in_short().is_some_and(|short| left(&short));
    // Nobody proves anything for what would be forgotten meanwhile.
    Ok(if waits { ProofRedirect::Leads(response) } else { ProofRedirect::SignInAgain })
}
