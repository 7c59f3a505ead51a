//! The page of the link that reports a sign-in.

use crate::pages;
use crate::screens::access_choice;
use crate::sign_in::report_sign_in::handlers;
use crate::state::{HttpState, RoutedRequest};
use axum::http::StatusCode;
use sinete_engine::UseCaseResult;
use sinete_engine::sign_in::report_sign_in;
use sinete_screens::confirmation::{ConfirmationQuestion, ConfirmationView};
use sinete_screens::form::PageForm;
use sinete_screens::long_lived_access::LongLivedAccessItem;
use sinete_server::reply::{HandlerResult, page};

/// The page with the report button. It lists the access that the link revokes; without any, it is the same
/// for every link, also an invalid one.
pub(crate) async fn show_report_sign_in_page(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    let token = query.get("token").unwrap_or_default();
    let access = report_sign_in::list_long_lived_access(state.engine(), token).await;
    let access = access.unless_refused()?.unwrap_or_default();
    let access: Vec<LongLivedAccessItem<'_>> = access.iter().map(access_choice).collect();
    let frame = pages::page_frame(request.context(), &state);
    let confirm = ConfirmationView {
        form: PageForm { action: handlers::REPORT_SIGN_IN_PATH, csrf: "" },
        question: ConfirmationQuestion::ReportSignIn(&access),
        action: "not_me",
        hidden: &[("token", token)],
        cancel_url: None,
        error: None,
    };
    Ok(page::html_response(StatusCode::OK, confirm.render(&frame)))
}
