//! Entry pages: each starts a flow and redirects to it. Opening one consumes nothing and sends no message,
//! because another site can make the browser open it.

use crate::sign_in::flow_pages;
use crate::sign_in::flows::handlers as api;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use sinete_core::refusal::RefusalCode;
use sinete_core::secret::{BootstrapToken, Secret};
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_engine::Error;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{FlowActor, FlowRequest};
use sinete_engine::sign_in::sessions;
use sinete_screens::notice::OutcomeNotice;
use sinete_server::cookies::CookieName;
use sinete_server::extract::navigation;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;

/// Sign-in.
pub(crate) async fn start_sign_in(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    if let Some(id) = query.get("flow") {
        return flow_pages::show_flow(&state, &request, &query, id).await;
    }
    if let Some(token) = state.server().session_token(request.headers())?
        && sessions::find(state.engine(), &token).await?.is_some()
    {
        return Ok(crate::screens::see_other(&state, &flow_pages::with_language("/my-account", &query)));
    }
    let actor = api::flow_actor_without_session(&state, &request)?;
    redirect_to_new_flow(&state, &request, &query, FlowRequest::SignIn, &actor).await
}

/// Sign-up.
pub(crate) async fn start_sign_up(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    match query.get("flow") {
        Some(id) => flow_pages::show_flow(&state, &request, &query, id).await,
        None => start_flow_and_redirect(&state, &request, &query, FlowRequest::SignUp).await,
    }
}

/// Password reset.
pub(crate) async fn start_password_reset(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    match (query.get("flow"), query.get("done")) {
        (Some(id), _) => flow_pages::show_flow(&state, &request, &query, id).await,
        (None, Some(_)) => Ok(flow_pages::notice_page(
            &state,
            &request,
            &query,
            StatusCode::OK,
            OutcomeNotice::PasswordChanged,
        )),
        (None, None) => start_flow_and_redirect(&state, &request, &query, FlowRequest::ResetPassword).await,
    }
}

/// E-mail verification. It starts on the account page, because it starts with a message.
pub(crate) async fn show_email_verification(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    match (query.get("flow"), query.get("done")) {
        (Some(id), _) => flow_pages::show_flow(&state, &request, &query, id).await,
        (None, Some(_)) => Ok(flow_pages::notice_page(
            &state,
            &request,
            &query,
            StatusCode::OK,
            OutcomeNotice::EmailVerified,
        )),
        (None, None) => {
            Ok(crate::screens::see_other(&state, &flow_pages::with_language("/my-account", &query)))
        }
    }
}

/// Enrollment of a credential. It starts on the account page.
pub(crate) async fn show_enrollment(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    match query.get("flow") {
        Some(id) => flow_pages::show_flow(&state, &request, &query, id).await,
        None => Ok(crate::screens::see_other(&state, &flow_pages::with_language("/my-account", &query))),
    }
}

/// Consent. Only an authorization request leads here.
pub(crate) async fn show_consent(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    match query.get("flow") {
        Some(id) => flow_pages::show_flow(&state, &request, &query, id).await,
        None => {
            Ok(flow_pages::notice_page(&state, &request, &query, StatusCode::OK, OutcomeNotice::FlowEnded))
        }
    }
}

/// Approval of a device authorization. A code in the URL is shown for comparison; only the user submits it.
pub(crate) async fn start_device_confirmation(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    let render_notice =
        |notice| Ok(flow_pages::notice_page(&state, &request, &query, StatusCode::OK, notice));
    match (query.get("flow"), query.get("done")) {
        (Some(id), _) => flow_pages::show_flow(&state, &request, &query, id).await,
        (None, Some("allowed")) => render_notice(OutcomeNotice::DeviceAllowed),
        (None, Some("denied")) => render_notice(OutcomeNotice::DeviceDenied),
        (None, Some(_)) => render_notice(OutcomeNotice::DeviceRefused),
        (None, None) => {
            let user_code = query.get("user_code").map(str::to_owned);
            start_flow_and_redirect(&state, &request, &query, FlowRequest::ConfirmDevice { user_code }).await
        }
    }
}

/// Approval of a CIBA request. Opening the page approves nothing.
pub(crate) async fn start_ciba_approval(state: HttpState, routed_request: RoutedRequest) -> HandlerResult {
    let query = routed_request.query_params()?;
    let render_notice =
        |notice| Ok(flow_pages::notice_page(&state, &routed_request, &query, StatusCode::OK, notice));
    match (query.get("flow"), query.get("done"), query.get("request")) {
        (Some(id), _, _) => flow_pages::show_flow(&state, &routed_request, &query, id).await,
        (None, Some("approved"), _) => render_notice(OutcomeNotice::RequestApproved),
        (None, Some("denied"), _) => render_notice(OutcomeNotice::RequestDenied),
        (None, Some(_), _) => render_notice(OutcomeNotice::RequestRefused),
        (None, None, Some(request)) => {
            let flow_request = FlowRequest::ApproveRequest { request: request.to_owned() };
            start_flow_and_redirect(&state, &routed_request, &query, flow_request).await
        }
        (None, None, None) => render_notice(OutcomeNotice::RequestClosed),
    }
}

/// Acceptance of an invitation, or creation of the first operator, depending on the token of the link.
pub(crate) async fn start_invitation(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    match (query.get("flow"), query.get("token")) {
        (Some(id), _) => flow_pages::show_flow(&state, &request, &query, id).await,
        (None, Some(token)) => {
            let token = token.to_owned();
            let flow_request = match Secret::<BootstrapToken>::parse(&token) {
                Ok(_) => FlowRequest::FirstOperator { token },
                Err(_) => FlowRequest::AcceptInvitation { token },
            };
            start_flow_and_redirect(&state, &request, &query, flow_request).await
        }
        (None, None) => Ok(flow_pages::notice_page(
            &state,
            &request,
            &query,
            StatusCode::OK,
            OutcomeNotice::LinkUsedOrExpired,
        )),
    }
}

/// Starts a flow and redirects to it.
async fn start_flow_and_redirect(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    flow_request: FlowRequest,
) -> HandlerResult {
    let actor = api::flow_actor(state, request, FlowTokenTransport::Cookie).await?;
    redirect_to_new_flow(state, request, query, flow_request, &actor).await
}

async fn redirect_to_new_flow(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    flow_request: FlowRequest,
    actor: &FlowActor,
) -> HandlerResult {
    navigation::require_top_level_navigation(request.headers())?;
    state.rate_limit(request).check_flow_start(actor, flow_request.kind())?;
    let refusal =
        match flows::start_flow(state.engine(), &flow_request, FlowTokenTransport::Cookie, actor).await {
            Ok(snapshot) => return Ok(flow_pages::redirect_after_action(state, query, snapshot)),
            Err(Error::Refused(refusal)) => refusal,
            Err(Error::Failed(failed)) => return Err(failed.into()),
        };
    request.context().record_refusal(&refusal);
    match (&flow_request, refusal.code()) {
        (FlowRequest::SignUp, RefusalCode::Forbidden) => Ok(flow_pages::notice_page(
            state,
            request,
            query,
            StatusCode::OK,
            OutcomeNotice::InvitationRequired,
        )),
        (FlowRequest::ApproveRequest { .. }, RefusalCode::NotFound) => {
            Ok(flow_pages::notice_page(state, request, query, StatusCode::GONE, OutcomeNotice::RequestClosed))
        }
        (FlowRequest::AcceptInvitation { .. } | FlowRequest::FirstOperator { .. }, _) => {
            let mut response = flow_pages::notice_page(
                state,
                request,
                query,
                StatusCode::GONE,
                OutcomeNotice::LinkUsedOrExpired,
            );
            CookieName::Flow.clear(&mut response, state.scheme());
            Ok(response)
        }
        _ => Err(refusal.into()),
    }
}
