//! What people are shown by endpoints that programs use too: a page where the screens are on and whoever asks reads
//! pages, and nothing otherwise. A build without the screens has `no_pages.rs` in this place.

use crate::call::Call;
use crate::reply::page::answer;
use crate::reply::problem::status;
use crate::screens::{console, organization_looks};
use crate::state::State;
use crate::visit::Visit;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::people::language::Language;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::dev_mailbox::{Arrived, Content};
use sinete_engine::looks::Look;
use sinete_screens::authorization_error::{AuthorizationError, Problem};
use sinete_screens::confirm::{Confirm, Question};
use sinete_screens::dev_mail::{DevMail, Line};
use sinete_screens::form::Form;
use sinete_screens::language::Language as Spoken;
use sinete_screens::not_found::NotFound;
use sinete_screens::notice::Notice;
use sinete_screens::page::Frame;
use sinete_screens::server_error::ServerError;
use sinete_screens::unavailable::Unavailable;
use std::sync::Arc;

/// What is wrong with a request for authorization.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wrong<'a> {
    /// The request itself, which is about an organization that looks like this.
    Request(Option<&'a Look>),
    /// Its application is not registered, or not any more.
    UnknownApplication,
    /// The answer would go to this host, at this address, which nobody has vouched for.
    Leaving(&'a str, &'a str),
}

/// The language of the screens that is somebody's language.
pub(crate) const fn spoken(language: Language) -> Spoken {
    match language {
        Language::English => Spoken::English,
        Language::Portuguese => Spoken::Portuguese,
    }
}

/// What stands around a page for whoever asks.
pub(crate) fn frame<'a>(visit: &Visit, state: &'a State) -> Frame<'a> {
    Frame::plain(spoken(visit.language()), state.base_address().path(), state.branding().brand())
}

/// The page for a refusal, where there is one.
pub(crate) fn refusal(code: RefusalCode, visit: &Visit, state: &State) -> Option<Response> {
    if !visit.prefers_page() {
        return None;
    }
    let frame = frame(visit, state);
    let page = match code.status() {
        404 => NotFound.page(&frame),
        500 | 504 => ServerError { reference: &visit.id().to_string() }.page(&frame),
        429 => Unavailable::TooMany.page(&frame),
        503 => Unavailable::Ours.page(&frame),
        _ => return None,
    };
    Some(answer(status(code), page))
}

/// Leads back to the page whose form was too long to be read; whoever reads no pages is refused.
pub(crate) async fn too_long(state: &State, call: Call, refusal: Refusal) -> Result<Response, Refusal> {
    match call.visit().prefers_page() {
        true => console::too_long(state, call, refusal).await,
        false => Err(refusal),
    }
}

/// Says what is wrong with a request for authorization, and `told` to those who made the application.
pub(crate) fn authorization_error(
    state: &State,
    call: &Call,
    refusal: &Refusal,
    wrong: Wrong<'_>,
    told: &str,
) -> Option<Response> {
    if !call.visit().prefers_page() {
        return None;
    }
    let view = AuthorizationError {
        problem: match wrong {
            Wrong::Request(_) => Problem::Request,
            Wrong::UnknownApplication => Problem::UnknownApplication,
            Wrong::Leaving(host, _) => Problem::Leaving(host),
        },
        told: Some((told, refusal.public())),
        reference: &call.visit().id().to_string(),
        onward: match wrong {
            Wrong::Leaving(host, address) => Some((host, address)),
            Wrong::Request(_) | Wrong::UnknownApplication => None,
        },
    };
    let pairs = call.query_with_repeated().unwrap_or_default();
    let wanted = pairs
        .iter()
        .filter(|(name, _)| name == "ui_locales")
        .find_map(|(_, tags)| Language::first_spoken(tags));
    let house = state.branding().brand();
    let brand = match wrong {
        Wrong::Request(Some(look)) => &organization_looks::brand(house, look),
        Wrong::Request(None) | Wrong::UnknownApplication | Wrong::Leaving(..) => house,
    };
    let language = spoken(wanted.unwrap_or_else(|| call.visit().language()));
    let frame = Frame { language, brand, ..frame(call.visit(), state) };
    Some(answer(status(refusal.code()), view.page(&frame)))
}

/// Says that somebody is signed out.
pub(crate) fn signed_out(state: &State, call: &Call) -> Option<Response> {
    notice(state, call, StatusCode::OK, Notice::SignedOut)
}

/// Asks whether somebody wants to be signed out: a form that sends `action` and what is `hidden` in it to `path`.
pub(crate) fn sign_out_question(
    state: &State,
    call: &Call,
    form: (&str, &str),
    action: &str,
    hidden: &[(&str, &str)],
) -> Option<Response> {
    if !call.visit().prefers_page() {
        return None;
    }
    let (path, csrf) = form;
    let form = Form { action: path, csrf };
    let view = Confirm { form, question: Question::SignOut, action, hidden, back: None, trouble: None };
    Some(answer(StatusCode::OK, view.page(&frame(call.visit(), state))))
}

/// Says what became of a link in a message about an account.
pub(crate) fn disavowed<T>(state: &State, call: &Call, done: &Result<T, Refusal>) -> Option<Response> {
    let (status, said) = match done {
        Ok(_) => (StatusCode::OK, Notice::Disavowed),
        Err(_) => (StatusCode::NOT_FOUND, Notice::LinkSpent),
    };
    notice(state, call, status, said)
}

/// Says what became of a link in a message to an old address.
pub(crate) fn restored(state: &State, call: &Call, done: &Result<(), Refusal>) -> Option<Response> {
    let (status, said) = match done {
        Ok(()) => (StatusCode::OK, Notice::EmailRestored),
        Err(_) => (StatusCode::NOT_FOUND, Notice::LinkSpent),
    };
    notice(state, call, status, said)
}

/// Lists what a development instance would have sent.
pub(crate) fn dev_mail(state: &State, call: &Call, all: &[Arc<Arrived>]) -> Option<Response> {
    if !call.visit().prefers_page() {
        return None;
    }
    let lines: Vec<Line<'_>> = all.iter().map(|arrived| line(arrived)).collect();
    Some(answer(StatusCode::OK, DevMail { lines: &lines }.page(&frame(call.visit(), state))))
}

fn line(arrived: &Arrived) -> Line<'_> {
    let id = arrived.id.to_string();
    match &arrived.content {
        Content::Mail(message) => {
            Line { id, to: &message.to, subject: &message.subject, text: &message.text }
        }
        Content::Sms(message) => Line { id, to: &message.to, subject: "SMS", text: &message.text },
    }
}

fn notice(state: &State, call: &Call, status: StatusCode, said: Notice) -> Option<Response> {
    call.visit().prefers_page().then(|| answer(status, said.page(&frame(call.visit(), state))))
}
