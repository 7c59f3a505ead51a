//! What people are shown by endpoints that programs use too: a page where the screens are on and whoever asks reads
//! pages, and nothing otherwise. A build without the screens has `no_pages.rs` in this place.

use crate::call::RoutedRequest;
use crate::reply::page::answer;
use crate::reply::problem::status;
use crate::screens::{console, organization_looks};
use crate::state::HttpState;
use crate::visit::RequestContext;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::people::language::Language;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::dev_mailbox::{DevMessage, DevMessageContent};
use sinete_screens::authorization_error::{AuthorizationErrorView, AuthorizationProblem};
use sinete_screens::confirm::{ConfirmationQuestion, ConfirmationView};
use sinete_screens::dev_mail::{DevMailLine, DevMailView};
use sinete_screens::form::PageForm;
use sinete_screens::language::UiLanguage as Spoken;
use sinete_screens::not_found::NotFoundView;
use sinete_screens::notice::OutcomeNotice;
use sinete_screens::page::PageFrame;
use sinete_screens::server_error::ServerErrorView;
use sinete_screens::unavailable::UnavailableReason;
use std::sync::Arc;

pub(crate) use crate::authorization_fault::AuthorizationFault;

/// The language of the screens that is somebody's language.
pub(crate) const fn spoken(language: Language) -> Spoken {
    match language {
        Language::English => Spoken::English,
        Language::Portuguese => Spoken::Portuguese,
    }
}

/// What stands around a page for whoever asks.
pub(crate) fn frame<'a>(visit: &RequestContext, state: &'a HttpState) -> PageFrame<'a> {
    PageFrame::plain(spoken(visit.language()), state.base_address().path(), state.branding().brand())
}

/// The page for a refusal, where there is one.
pub(crate) fn refusal(code: RefusalCode, visit: &RequestContext, state: &HttpState) -> Option<Response> {
    if !visit.prefers_page() {
        return None;
    }
    let frame = frame(visit, state);
    let page = match code.status() {
        404 => NotFoundView.page(&frame),
        500 | 504 => ServerErrorView { reference: &visit.id().to_string() }.page(&frame),
        429 => UnavailableReason::TooMany.page(&frame),
        503 => UnavailableReason::Ours.page(&frame),
        _ => return None,
    };
    Some(answer(status(code), page))
}

/// Leads back to the page whose form was too long to be read; whoever reads no pages is refused.
pub(crate) async fn too_long(
    state: &HttpState,
    call: RoutedRequest,
    refusal: Refusal,
) -> Result<Response, Refusal> {
    match call.visit().prefers_page() {
        true => console::too_long(state, call, refusal).await,
        false => Err(refusal),
    }
}

/// Says what is wrong with a request for authorization, and `told` to those who made the application.
pub(crate) fn authorization_error(
    state: &HttpState,
    call: &RoutedRequest,
    refusal: &Refusal,
    wrong: AuthorizationFault<'_>,
    told: &str,
) -> Option<Response> {
    if !call.visit().prefers_page() {
        return None;
    }
    let view = AuthorizationErrorView {
        problem: match wrong {
            AuthorizationFault::Request(_) => AuthorizationProblem::Request,
            AuthorizationFault::UnknownApplication => AuthorizationProblem::UnknownApplication,
            AuthorizationFault::Leaving(host, _) => AuthorizationProblem::Leaving(host),
        },
        told: Some((told, refusal.public())),
        reference: &call.visit().id().to_string(),
        onward: match wrong {
            AuthorizationFault::Leaving(host, address) => Some((host, address)),
            AuthorizationFault::Request(_) | AuthorizationFault::UnknownApplication => None,
        },
    };
    let pairs = call.query_with_repeated().unwrap_or_default();
    let wanted = pairs
        .iter()
        .filter(|(name, _)| name == "ui_locales")
        .find_map(|(_, tags)| Language::first_spoken(tags));
    let house = state.branding().brand();
    let brand = match wrong {
        AuthorizationFault::Request(Some(look)) => &organization_looks::brand(house, look),
        AuthorizationFault::Request(None)
        | AuthorizationFault::UnknownApplication
        | AuthorizationFault::Leaving(..) => house,
    };
    let language = spoken(wanted.unwrap_or_else(|| call.visit().language()));
    let frame = PageFrame { language, brand, ..frame(call.visit(), state) };
    Some(answer(status(refusal.code()), view.page(&frame)))
}

/// Says that somebody is signed out.
pub(crate) fn signed_out(state: &HttpState, call: &RoutedRequest) -> Option<Response> {
    notice(state, call, StatusCode::OK, OutcomeNotice::SignedOut)
}

/// Asks whether somebody wants to be signed out: a form that sends `action` and what is `hidden` in it to `path`.
pub(crate) fn sign_out_question(
    state: &HttpState,
    call: &RoutedRequest,
    form: (&str, &str),
    action: &str,
    hidden: &[(&str, &str)],
) -> Option<Response> {
    if !call.visit().prefers_page() {
        return None;
    }
    let (path, csrf) = form;
    let form = PageForm { action: path, csrf };
    let view = ConfirmationView {
        form,
        question: ConfirmationQuestion::SignOut,
        action,
        hidden,
        back: None,
        trouble: None,
    };
    Some(answer(StatusCode::OK, view.page(&frame(call.visit(), state))))
}

/// Says what became of a link in a message about an account.
pub(crate) fn disavowed<T>(
    state: &HttpState,
    call: &RoutedRequest,
    done: &Result<T, Refusal>,
) -> Option<Response> {
    let (status, said) = match done {
        Ok(_) => (StatusCode::OK, OutcomeNotice::Disavowed),
        Err(_) => (StatusCode::NOT_FOUND, OutcomeNotice::LinkSpent),
    };
    notice(state, call, status, said)
}

/// Says what became of a link in a message to an old address.
pub(crate) fn restored(
    state: &HttpState,
    call: &RoutedRequest,
    done: &Result<(), Refusal>,
) -> Option<Response> {
    let (status, said) = match done {
        Ok(()) => (StatusCode::OK, OutcomeNotice::EmailRestored),
        Err(_) => (StatusCode::NOT_FOUND, OutcomeNotice::LinkSpent),
    };
    notice(state, call, status, said)
}

/// Lists what a development instance would have sent.
pub(crate) fn dev_mail(state: &HttpState, call: &RoutedRequest, all: &[Arc<DevMessage>]) -> Option<Response> {
    if !call.visit().prefers_page() {
        return None;
    }
    let lines: Vec<DevMailLine<'_>> = all.iter().map(|arrived| line(arrived)).collect();
    Some(answer(StatusCode::OK, DevMailView { lines: &lines }.page(&frame(call.visit(), state))))
}

fn line(arrived: &DevMessage) -> DevMailLine<'_> {
    let id = arrived.id.to_string();
    match &arrived.content {
        DevMessageContent::Mail(message) => {
            DevMailLine { id, to: &message.to, subject: &message.subject, text: &message.text }
        }
        DevMessageContent::Sms(message) => {
            DevMailLine { id, to: &message.to, subject: "SMS", text: &message.text }
        }
    }
}

fn notice(
    state: &HttpState,
    call: &RoutedRequest,
    status: StatusCode,
    said: OutcomeNotice,
) -> Option<Response> {
    call.visit().prefers_page().then(|| answer(status, said.page(&frame(call.visit(), state))))
}
