//! The page of the link that restores an earlier e-mail address.

use crate::accounts::restore_email::handlers;
use crate::pages;
use crate::state::{HttpState, RoutedRequest};
use axum::http::StatusCode;
use sinete_screens::confirmation::{ConfirmationQuestion, ConfirmationView};
use sinete_screens::form::PageForm;
use sinete_server::reply::{HandlerResult, page};

/// Asks whether to restore a replaced address. Nothing is looked up: the page is the same for every link.
pub(crate) async fn show_email_undo_page(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    let token = query.get("token").unwrap_or_default();
    let frame = pages::page_frame(request.context(), &state);
    let confirm = ConfirmationView {
        form: PageForm { action: handlers::UNDO_EMAIL_PATH, csrf: "" },
        question: ConfirmationQuestion::UndoEmail,
        action: "undo_email",
        hidden: &[("token", token)],
        cancel_url: None,
        error: None,
    };
    Ok(page::html_response(StatusCode::OK, confirm.render(&frame)))
}
