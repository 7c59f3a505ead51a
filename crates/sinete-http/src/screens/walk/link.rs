//! The link of a message in a browser. Opening it shows a button; only pressing the button spends it. Where the browser
//! is the one it was asked for in, it goes on there; elsewhere, with whoever opened it.

use super::{PageReader, notice, proceed, tickets};
use crate::call::RoutedRequest;
use crate::extract::pairs::FormParams;
use crate::extract::same_origin;
use crate::flows as api;
use crate::reply::{HandlerError, HandlerResult, page};
use crate::state::HttpState;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::flow::FlowTokenTransport;
use sinete_core::flow::purpose::FlowKind;
use sinete_core::refusal::Refusal;
use sinete_engine::flows::{self, FlowRef, LINK_PATH, LinkFollower, MagicLinkView};
use sinete_screens::confirm::{ConfirmationQuestion, ConfirmationView};
use sinete_screens::form::PageForm;
use sinete_screens::notice::OutcomeNotice;

/// The page with the button.
pub(crate) async fn show(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    let Some(token) = query.get("token") else {
        return Ok(notice(&state, &call, &query, StatusCode::OK, OutcomeNotice::LinkSpent));
    };
    let opened = match flows::look_at_link(state.engine(), token).await? {
        Ok(opened) => opened,
        Err(refusal) => return Ok(worthless(&state, &call, &query, refusal)),
    };
    if !opened.works_anywhere && !began_here(&state, &call, &opened).await? {
        return Ok(notice(&state, &call, &query, StatusCode::OK, OutcomeNotice::FinishedElsewhere));
    }
    let around = &opened.around;
    let wanted = [query.get("ui_locales"), around.languages.as_deref(), around.language.as_deref()];
    let reader = PageReader::new(&state, &call, wanted).about(around.look.as_ref());
    let confirm = ConfirmationView {
        form: PageForm { action: &super::with_language(LINK_PATH, &query), csrf: "" },
        question: question(&opened),
        action: "follow",
        hidden: &[("token", token)],
        back: None,
        trouble: None,
    };
    Ok(page::answer(StatusCode::OK, confirm.page(&reader.plain_frame(""))))
}

/// Spends the link.
pub(crate) async fn follow(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (query, form) = (call.query()?, call.form()?);
    if same_origin::check(&state, &call).is_err() {
        return Ok(notice(&state, &call, &query, StatusCode::FORBIDDEN, OutcomeNotice::FormRefused));
    }
    let token = form.get("token").unwrap_or_default();
    let opened = match flows::look_at_link(state.engine(), token).await? {
        Ok(opened) => opened,
        Err(refusal) => return Ok(worthless(&state, &call, &query, refusal)),
    };
    if !opened.works_anywhere && !began_here(&state, &call, &opened).await? {
        return Ok(notice(&state, &call, &query, StatusCode::CONFLICT, OutcomeNotice::FinishedElsewhere));
    }
    let held = tickets::held(call.headers(), state.scheme(), &opened.flow.to_string())?;
    let follower =
        LinkFollower { flow_token: held.map(|held| held.token), carrier: FlowTokenTransport::Cookie };
    let walker = api::walker(&state, &call, FlowTokenTransport::Cookie).await?;
    state.paced(&call).starting()?;
    match flows::follow_link(state.engine(), token, &follower, &walker).await? {
        Ok(standing) => proceed((&state, &call), &query, &walker, standing).await,
        Err(refusal) => Ok(worthless(&state, &call, &query, refusal)),
    }
}

fn question(opened: &MagicLinkView) -> ConfirmationQuestion<'_> {
    let address = Some(opened.address.as_str());
    match opened.kind {
        FlowKind::SignUp | FlowKind::VerifyEmail | FlowKind::ChangeEmail => {
            ConfirmationQuestion::VerifyEmail(address)
        }
        FlowKind::ResetPassword => ConfirmationQuestion::Reset,
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

/// Whether this browser holds the flow that the link belongs to.
async fn began_here(
    state: &HttpState,
    call: &RoutedRequest,
    opened: &MagicLinkView,
) -> Result<bool, HandlerError> {
    let id = opened.flow.to_string();
    let Some(held) = tickets::held(call.headers(), state.scheme(), &id)? else { return Ok(false) };
    let ticket = FlowRef { id: &id, token: held.token, carrier: FlowTokenTransport::Cookie };
    Ok(flows::show(state.engine(), &ticket).await?.is_ok())
}

fn worthless(state: &HttpState, call: &RoutedRequest, query: &FormParams, refusal: Refusal) -> Response {
    call.visit().note(&refusal);
    notice(state, call, query, StatusCode::GONE, OutcomeNotice::LinkSpent)
}
