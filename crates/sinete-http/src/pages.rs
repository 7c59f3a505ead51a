//! Pages of endpoints that programs use too: shown if the screens are enabled and the client prefers pages. A
//! build without screens uses `no_pages.rs` instead.

use crate::screens::organization_branding;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::accounts::language::Language;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::platform::dev_mailbox::{DevMessage, DevMessageContent};
use sinete_screens::confirmation::{ConfirmationQuestion, ConfirmationView};
use sinete_screens::form::PageForm;
use sinete_screens::notice::OutcomeNotice;
use sinete_screens::oauth::authorization_error::{AuthorizationErrorView, AuthorizationProblem};
use sinete_screens::page::PageFrame;
use sinete_screens::platform::dev_mailbox::{DevMailLine, DevMailView};
use sinete_screens::platform::not_found::NotFoundView;
use sinete_screens::platform::server_error::ServerErrorView;
use sinete_screens::platform::unavailable::UnavailableReason;
use sinete_server::reply::page::html_response;
use sinete_server::reply::problem::status_code;
use sinete_server::request_context::RequestContext;
use std::sync::Arc;

pub(crate) use crate::authorization_fault::AuthorizationFault;
pub(crate) use crate::screens::page_frame;

/// The page of a refusal, if there is one.
pub(crate) fn render_refusal_page(
    code: RefusalCode,
    context: &RequestContext,
    state: &HttpState,
) -> Option<Response> {
    if !context.prefers_page() {
        return None;
    }
    let frame = page_frame(context, state);
    let page = match code.status() {
        404 => NotFoundView.render(&frame),
        500 | 504 => ServerErrorView { reference: &context.id().to_string() }.render(&frame),
        429 => UnavailableReason::TooManyRequests.render(&frame),
        503 => UnavailableReason::ServiceUnavailable.render(&frame),
        _ => return None,
    };
    Some(html_response(status_code(code), page))
}

/// Shows the error of an authorization request; `error_code` is for the application's developers.
pub(crate) fn render_authorization_error(
    state: &HttpState,
    request: &RoutedRequest,
    refusal: &Refusal,
    fault: AuthorizationFault<'_>,
    error_code: &str,
) -> Option<Response> {
    if !request.context().prefers_page() {
        return None;
    }
    let view = AuthorizationErrorView {
        problem: match fault {
            AuthorizationFault::Request(_) | AuthorizationFault::UnregisteredRedirect(..) => {
                AuthorizationProblem::Request
            }
            AuthorizationFault::UnknownApplication => AuthorizationProblem::UnknownApplication,
            AuthorizationFault::UntrustedRedirect(host, _) => AuthorizationProblem::UntrustedRedirect(host),
        },
        error_response: Some((error_code, &refusal.public_text())),
        redirect_uri: match fault {
            AuthorizationFault::UnregisteredRedirect(uri, _) => Some(uri),
            AuthorizationFault::Request(_)
            | AuthorizationFault::UnknownApplication
            | AuthorizationFault::UntrustedRedirect(..) => None,
        },
        reference: &request.context().id().to_string(),
        redirect: match fault {
            AuthorizationFault::UntrustedRedirect(host, address) => Some((host, address)),
            AuthorizationFault::Request(_)
            | AuthorizationFault::UnregisteredRedirect(..)
            | AuthorizationFault::UnknownApplication => None,
        },
    };
    let pairs = request.query_params_with_repeats().unwrap_or_default();
    let requested_language = pairs
        .iter()
        .filter(|(name, _)| name == "ui_locales")
        .find_map(|(_, tags)| Language::from_locale_list(tags));
    let house = state.branding().brand();
    let brand = match fault {
        AuthorizationFault::Request(Some(look)) | AuthorizationFault::UnregisteredRedirect(_, Some(look)) => {
            &organization_branding::organization_brand(house, look)
        }
        AuthorizationFault::Request(None)
        | AuthorizationFault::UnregisteredRedirect(_, None)
        | AuthorizationFault::UnknownApplication
        | AuthorizationFault::UntrustedRedirect(..) => house,
    };
    let language = requested_language.unwrap_or_else(|| request.context().language());
    let frame = PageFrame { language, brand, ..page_frame(request.context(), state) };
    Some(html_response(status_code(refusal.code()), view.render(&frame)))
}

/// Shows that the user is signed out.
pub(crate) fn render_signed_out_page(state: &HttpState, request: &RoutedRequest) -> Option<Response> {
    render_notice(state, request, StatusCode::OK, OutcomeNotice::SignedOut)
}

/// The sign-out confirmation: a form that posts `action` and the `hidden` fields to `path`.
pub(crate) fn render_sign_out_confirmation(
    state: &HttpState,
    request: &RoutedRequest,
    path: &str,
    csrf: &str,
    action: &str,
    hidden: &[(&str, &str)],
) -> Option<Response> {
    if !request.context().prefers_page() {
        return None;
    }
    let form = PageForm { action: path, csrf };
    let view = ConfirmationView {
        form,
        question: ConfirmationQuestion::SignOut,
        action,
        hidden,
        cancel_url: None,
        error: None,
    };
    Some(html_response(StatusCode::OK, view.render(&page_frame(request.context(), state))))
}

/// Shows the result of a link in a message about an account.
pub(crate) fn render_report_sign_in_result<T>(
    state: &HttpState,
    request: &RoutedRequest,
    result: &Result<T, Refusal>,
) -> Option<Response> {
    let (status, notice) = match result {
        Ok(_) => (StatusCode::OK, OutcomeNotice::SignInReported),
        Err(_) => (StatusCode::NOT_FOUND, OutcomeNotice::LinkUsedOrExpired),
    };
    render_notice(state, request, status, notice)
}

/// Shows the result of a link in a message to a replaced address.
pub(crate) fn render_email_undo_result(
    state: &HttpState,
    request: &RoutedRequest,
    result: &Result<(), Refusal>,
) -> Option<Response> {
    let (status, notice) = match result {
        Ok(()) => (StatusCode::OK, OutcomeNotice::EmailRestored),
        Err(_) => (StatusCode::NOT_FOUND, OutcomeNotice::LinkUsedOrExpired),
    };
    render_notice(state, request, status, notice)
}

/// Lists the messages of the development mailbox.
pub(crate) fn render_dev_mailbox(
    state: &HttpState,
    request: &RoutedRequest,
    all: &[Arc<DevMessage>],
) -> Option<Response> {
    if !request.context().prefers_page() {
        return None;
    }
    let lines: Vec<DevMailLine<'_>> = all.iter().map(|arrived| dev_mail_line(arrived)).collect();
    Some(html_response(
        StatusCode::OK,
        DevMailView { lines: &lines }.render(&page_frame(request.context(), state)),
    ))
}

fn dev_mail_line(arrived: &DevMessage) -> DevMailLine<'_> {
    let id = arrived.id.to_string();
    match &arrived.content {
        DevMessageContent::Email(message) => {
            DevMailLine { id, to: &message.to, subject: &message.subject, text: &message.text }
        }
        DevMessageContent::Sms(message) => {
            DevMailLine { id, to: &message.to, subject: "SMS", text: &message.text }
        }
    }
}

fn render_notice(
    state: &HttpState,
    request: &RoutedRequest,
    status: StatusCode,
    notice: OutcomeNotice,
) -> Option<Response> {
    request
        .context()
        .prefers_page()
        .then(|| html_response(status, notice.render(&page_frame(request.context(), state))))
}
