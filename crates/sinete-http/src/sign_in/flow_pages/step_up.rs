//! Starts a step-up for an action on the account page or the console, which is suspended meanwhile.

use crate::screens::pending_form::{PendingForm, SuspendedForm};
use crate::sign_in::flow_pages;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::response::Response;
use sinete_core::refusal::Refusal;
use sinete_core::secret::Secret;
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_engine::Error;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{FlowActor, FlowRequest};
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;

/// Where the user is sent for a step-up.
pub(crate) enum ProofRedirect {
    /// To the step-up.
    Redirect(Response),
    /// To sign in again: a user with only e-mail authenticates that way, and so does a user whose form on the
    /// account page is too large to be stored.
    SignInAgain,
    /// Nowhere.
    Refused(Refusal),
}

/// Starts a step-up and suspends the form.
pub(crate) async fn start_step_up(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    actor: &FlowActor,
    pending_form: &PendingForm,
) -> Result<ProofRedirect, HandlerError> {
    let flow_request = FlowRequest::StepUp { needs: None };
    if let Err(refusal) = state.rate_limit(request).check_flow_start(actor, flow_request.kind()) {
        return Ok(ProofRedirect::Refused(refusal));
    }
    let mut snapshot =
        match flows::start_flow(state.engine(), &flow_request, FlowTokenTransport::Cookie, actor).await {
            Ok(snapshot) => snapshot,
            Err(Error::Refused(refusal)) => return Ok(ProofRedirect::Refused(refusal)),
            Err(Error::Failed(failed)) => return Err(failed.into()),
        };
    if snapshot.flow.available_actions().is_empty() {
        return Ok(ProofRedirect::SignInAgain);
    }
    let id = snapshot.flow.id().to_string();
    let token = snapshot.issued_secrets.flow.take().map(Secret::reveal).unwrap_or_default();
    snapshot.issued_secrets.flow = Secret::parse(&token).ok();
    let mut response = flow_pages::redirect_after_action(state, query, snapshot);
    let mut set_form_cookie = |pending_form: &PendingForm| {
        SuspendedForm::new(pending_form, &id, &token).set_cookie(&mut response, state.scheme())
    };
    let waits = set_form_cookie(pending_form)
        || pending_form.without_form().is_some_and(|short| set_form_cookie(&short));
    // Without room for the form, a step-up would be useless.
    Ok(if waits { ProofRedirect::Redirect(response) } else { ProofRedirect::SignInAgain })
}
