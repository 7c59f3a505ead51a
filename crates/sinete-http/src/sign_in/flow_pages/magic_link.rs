//! Magic links in a browser. Opening a link shows a button; only pressing the button uses it. In the browser
//! that requested it, its flow continues; in another one, it continues there.

use super::{PageRenderContext, next_page_or_passkey_offer, notice_page};
use crate::screens::flow_cookies;
use crate::sign_in::flows::handlers as api;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::refusal::Refusal;
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_core::sign_in::flows::purpose::FlowKind;
use sinete_engine::sign_in::flows;
use sinete_engine::sign_in::flows::{FlowRef, LINK_PATH, LinkFollower, MagicLinkView};
use sinete_engine::{Error, UseCaseResult};
use sinete_screens::confirmation::{ConfirmationQuestion, ConfirmationView};
use sinete_screens::form::PageForm;
use sinete_screens::notice::OutcomeNotice;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::{HandlerError, HandlerResult, page};

/// The page with the button.
pub(crate) async fn show_link_page(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    let Some(token) = query.get("token") else {
        return Ok(notice_page(&state, &request, &query, StatusCode::OK, OutcomeNotice::LinkUsedOrExpired));
    };
    let opened = match flows::look_at_link(state.engine(), token).await {
        Ok(opened) => opened,
        Err(Error::Refused(refusal)) => return Ok(invalid_link_page(&state, &request, &query, refusal)),
        Err(Error::Failed(failed)) => return Err(failed.into()),
    };
    if !opened.is_unbound && !is_flow_of_this_browser(&state, &request, &opened).await? {
        return Ok(notice_page(
            &state,
            &request,
            &query,
            StatusCode::OK,
            OutcomeNotice::OpenedInOtherBrowser,
        ));
    }
    let around = &opened.context;
    let locale_lists = [query.get("ui_locales"), around.languages.as_deref(), around.language.as_deref()];
    let reader = PageRenderContext::new(&state, &request, locale_lists)
        .with_organization_branding(around.branding.as_ref());
    let confirm = ConfirmationView {
        form: PageForm { action: &super::with_language(LINK_PATH, &query), csrf: "" },
        question: confirmation_question(&opened),
        action: "follow",
        hidden: &[("token", token)],
        cancel_url: None,
        error: None,
    };
    Ok(page::html_response(StatusCode::OK, confirm.render(&reader.plain_frame(""))))
}

/// Uses the link.
pub(crate) async fn follow_link(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (query, form) = (request.query_params()?, request.form_params()?);
    if state.server().check_same_origin(request.headers()).is_err() {
        return Ok(notice_page(&state, &request, &query, StatusCode::FORBIDDEN, OutcomeNotice::FormRefused));
    }
    let token = form.get("token").unwrap_or_default();
    let opened = match flows::look_at_link(state.engine(), token).await {
        Ok(opened) => opened,
        Err(Error::Refused(refusal)) => return Ok(invalid_link_page(&state, &request, &query, refusal)),
        Err(Error::Failed(failed)) => return Err(failed.into()),
    };
    if !opened.is_unbound && !is_flow_of_this_browser(&state, &request, &opened).await? {
        return Ok(notice_page(
            &state,
            &request,
            &query,
            StatusCode::CONFLICT,
            OutcomeNotice::OpenedInOtherBrowser,
        ));
    }
    let flow_token =
        flow_cookies::find_flow_token(request.headers(), state.scheme(), &opened.flow.to_string())?;
    let follower = LinkFollower {
        flow_token: flow_token.map(|token| token.token),
        token_transport: FlowTokenTransport::Cookie,
    };
    let actor = api::flow_actor(&state, &request, FlowTokenTransport::Cookie).await?;
    state.rate_limit(&request).check_flow_start_by_address()?;
    match flows::follow_link(state.engine(), token, &follower, &actor).await {
        Ok(snapshot) => next_page_or_passkey_offer(&state, &request, &query, &actor, snapshot).await,
        Err(Error::Refused(refusal)) => Ok(invalid_link_page(&state, &request, &query, refusal)),
        Err(Error::Failed(failure)) => Err(failure.into()),
    }
}

fn confirmation_question(opened: &MagicLinkView) -> ConfirmationQuestion<'_> {
    let address = Some(opened.address.as_str());
    match opened.kind {
        _ if opened.creates_account => ConfirmationQuestion::VerifyEmail(address),
        FlowKind::SignUp | FlowKind::VerifyEmail | FlowKind::ChangeEmail => {
            ConfirmationQuestion::VerifyEmail(address)
        }
        FlowKind::ResetPassword => ConfirmationQuestion::ResetPassword,
        FlowKind::Authorize
        | FlowKind::ConfirmDevice
        | FlowKind::ApproveRequest
        | FlowKind::SignIn
        | FlowKind::StepUp
        | FlowKind::VerifyPhone
        | FlowKind::Enroll
        | FlowKind::LinkIdentity
        | FlowKind::AcceptInvitation
        | FlowKind::FirstOperator => ConfirmationQuestion::SignIn(address),
    }
}

/// Whether this browser has the flow of the link.
async fn is_flow_of_this_browser(
    state: &HttpState,
    request: &RoutedRequest,
    opened: &MagicLinkView,
) -> Result<bool, HandlerError> {
    let id = opened.flow.to_string();
    let Some(token) = flow_cookies::find_flow_token(request.headers(), state.scheme(), &id)? else {
        return Ok(false);
    };
    let ticket = FlowRef { id: &id, token: token.token, token_transport: FlowTokenTransport::Cookie };
    Ok(flows::show(state.engine(), &ticket).await.unless_refused()?.is_some())
}

fn invalid_link_page(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    refusal: Refusal,
) -> Response {
    request.context().record_refusal(&refusal);
    notice_page(state, request, query, StatusCode::GONE, OutcomeNotice::LinkUsedOrExpired)
}
