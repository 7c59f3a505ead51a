//! The link of a message in a browser. Opening it shows a button; only pressing the button spends it. Where the browser
//! is the one it was asked for in, it goes on there; elsewhere, with whoever opened it.

use super::{Reader, notice, proceed, tickets};
use crate::call::Call;
use crate::extract::pairs::Pairs;
use crate::extract::same_origin;
use crate::flows as api;
use crate::reply::{Answer, Declined, page};
use crate::state::State;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::flow::Carrier;
use sinete_core::flow::purpose::FlowKind;
use sinete_core::refusal::Refusal;
use sinete_engine::flows::{self, Follower, LINK_PATH, Opened, Ticket};
use sinete_screens::confirm::{Confirm, Question};
use sinete_screens::form::Form;
use sinete_screens::notice::Notice;

/// The page with the button.
pub(crate) async fn show(state: State, call: Call) -> Answer {
    let query = call.query()?;
    let Some(token) = query.get("token") else {
        return Ok(notice(&state, &call, &query, StatusCode::OK, Notice::LinkSpent));
    };
    let opened = match flows::look_at_link(state.engine(), token).await? {
        Ok(opened) => opened,
        Err(refusal) => return Ok(worthless(&state, &call, &query, refusal)),
    };
    if !opened.works_anywhere && !began_here(&state, &call, &opened).await? {
        return Ok(notice(&state, &call, &query, StatusCode::OK, Notice::FinishedElsewhere));
    }
    let around = &opened.around;
    let wanted = [query.get("ui_locales"), around.languages.as_deref(), around.language.as_deref()];
    let reader = Reader::new(&state, &call, wanted).about(around.look.as_ref());
    let confirm = Confirm {
        form: Form { action: &super::with_language(LINK_PATH, &query), csrf: "" },
        question: question(&opened),
        action: "follow",
        hidden: &[("token", token)],
        back: None,
        trouble: None,
    };
    Ok(page::answer(StatusCode::OK, confirm.page(&reader.plain_frame(""))))
}

/// Spends the link.
pub(crate) async fn follow(state: State, call: Call) -> Answer {
    let (query, form) = (call.query()?, call.form()?);
    if same_origin::check(&state, &call).is_err() {
        return Ok(notice(&state, &call, &query, StatusCode::FORBIDDEN, Notice::FormRefused));
    }
    let token = form.get("token").unwrap_or_default();
    let opened = match flows::look_at_link(state.engine(), token).await? {
        Ok(opened) => opened,
        Err(refusal) => return Ok(worthless(&state, &call, &query, refusal)),
    };
    if !opened.works_anywhere && !began_here(&state, &call, &opened).await? {
        return Ok(notice(&state, &call, &query, StatusCode::CONFLICT, Notice::FinishedElsewhere));
    }
    let held = tickets::held(call.headers(), state.scheme(), &opened.flow.to_string())?;
    let follower = Follower { flow_token: held.map(|held| held.token), carrier: Carrier::Cookie };
    let walker = api::walker(&state, &call, Carrier::Cookie).await?;
    state.paced(&call).starting()?;
    match flows::follow_link(state.engine(), token, &follower, &walker).await? {
        Ok(standing) => proceed((&state, &call), &query, &walker, standing).await,
        Err(refusal) => Ok(worthless(&state, &call, &query, refusal)),
    }
}

fn question(opened: &Opened) -> Question<'_> {
    let address = Some(opened.address.as_str());
    match opened.kind {
        FlowKind::SignUp | FlowKind::VerifyEmail | FlowKind::ChangeEmail => Question::VerifyEmail(address),
        FlowKind::ResetPassword => Question::Reset,
        FlowKind::Authorize
        | FlowKind::ConfirmDevice
        | FlowKind::ApproveRequest
        | FlowKind::SignIn
        | FlowKind::StepUp
        | FlowKind::VerifyPhone
        | FlowKind::Enroll
        | FlowKind::LinkIdentity
        | FlowKind::AcceptInvitation
        | FlowKind::FirstOperator => Question::SignIn(address),
    }
}

/// Whether this browser holds the flow that the link belongs to.
async fn began_here(state: &State, call: &Call, opened: &Opened) -> Result<bool, Declined> {
    let id = opened.flow.to_string();
    let Some(held) = tickets::held(call.headers(), state.scheme(), &id)? else { return Ok(false) };
    let ticket = Ticket { id: &id, token: held.token, carrier: Carrier::Cookie };
    Ok(flows::show(state.engine(), &ticket).await?.is_ok())
}

fn worthless(state: &State, call: &Call, query: &Pairs, refusal: Refusal) -> Response {
    call.visit().note(&refusal);
    notice(state, call, query, StatusCode::GONE, Notice::LinkSpent)
}
