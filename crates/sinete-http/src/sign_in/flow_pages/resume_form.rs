//! Resumes a suspended form after a step-up.

use super::{set_issued_cookies, with_language};
use crate::screens::pending_form::{MY_ACCOUNT_PATH, PendingForm, SuspendedForm, SuspendedPage};
use crate::screens::{ACTION_NOT_PERFORMED, see_other};
use crate::state::HttpState;
use crate::state::{ResumedForm, RoutedRequest};
use axum::http::header::{HeaderValue, SET_COOKIE};
use axum::response::Response;
use sinete_core::secret::Secret;
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_core::sign_in::flows::stage::{FlowOutcome, FlowStage};
use sinete_engine::sign_in::flows::{FlowRef, FlowSnapshot};
use sinete_server::application::refusal_response;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::{HandlerError, HandlerResult};
use sinete_server::security_headers::IssuerScheme;

/// The suspended form of this flow, if the step-up is complete.
pub(super) fn suspended_form(
    request: &RoutedRequest,
    scheme: IssuerScheme,
    ticket: &FlowRef<'_>,
    snapshot: &FlowSnapshot,
) -> Option<PendingForm> {
    SuspendedForm::from_cookie(request.headers(), scheme, ticket.id, ticket.token)
        .filter(|_| is_step_up_finished(snapshot))
}

fn is_step_up_finished(snapshot: &FlowSnapshot) -> bool {
    let flow = &snapshot.flow;
    flow.kind() == FlowKind::StepUp && matches!(flow.stage(), FlowStage::Finished(FlowOutcome::SignedIn))
}

/// The page of a suspended form that is not available, because the browser returned from another site.
pub(super) fn suspended_page(
    state: &HttpState,
    request: &RoutedRequest,
    snapshot: &FlowSnapshot,
) -> Option<String> {
    let flow = snapshot.flow.id().to_string();
    let page = SuspendedPage::page_from_cookie(request.headers(), state.scheme(), &flow)
        .filter(|_| is_step_up_finished(snapshot))?;
    let is_there =
        page == MY_ACCOUNT_PATH || state.serves_console() && (state.resumable_pages().is_console_page)(&page);
    is_there.then_some(page)
}

/// Redirects to that page, with a notice that nothing was done.
pub(super) fn redirect_not_done(state: &HttpState, page: &str, snapshot: FlowSnapshot) -> Response {
    let mut response = see_other(state, &format!("{page}?trouble={ACTION_NOT_PERFORMED}"));
    set_issued_cookies(&mut response, state, snapshot);
    SuspendedForm::clear_cookie(&mut response, state.scheme());
    response
}

/// Performs the suspended form. It was submitted by a form, and the step-up was completed by one.
pub(super) async fn resume_suspended_form(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    pending_form: &PendingForm,
    mut snapshot: FlowSnapshot,
) -> HandlerResult {
    let token = snapshot.issued_secrets.session.take().map(Secret::reveal).unwrap_or_default();
    snapshot.issued_secrets.session = Secret::parse(&token).ok();
    let pages = state.resumable_pages();
    let resumed = ResumedForm { state, request, query, form: &pending_form.form, session: &token };
    let answer = match pending_form.console.as_deref() {
        Some(page) if state.serves_console() => (pages.resume_console_form)(page, resumed).await,
        Some(_) => Ok(see_other(state, &with_language("/my-account", query))),
        None => (pages.resume_account_form)(resumed).await,
    };
    // The step-up renewed the session in any case, so a refusal must not drop its cookie.
    let route = request.route();
    let refused = |it: HandlerError| {
        refusal_response(
            &it.into_refusal(route.error_format, route.caller),
            route.error_format,
            request.context(),
            state,
        )
    };
    let mut response = answer.unwrap_or_else(refused);
    // The cookies of the action come last: it may start another flow or renew the session again.
    let follows: Vec<HeaderValue> = response.headers().get_all(SET_COOKIE).iter().cloned().collect();
    response.headers_mut().remove(SET_COOKIE);
    set_issued_cookies(&mut response, state, snapshot);
    SuspendedForm::clear_cookie(&mut response, state.scheme());
    for line in follows {
        response.headers_mut().append(SET_COOKIE, line);
    }
    Ok(response)
}
