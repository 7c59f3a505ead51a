//! The page of an organization that requires something of the user first.

use super::console_reader;
use super::page::ReturnTo;
use crate::sign_in::flow_pages;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use sinete_engine::administration::console::{ConsoleSignInRequirement, UnmetConsoleRequirement};
use sinete_screens::console::blocked::{ConsoleAccessRequirement, ConsoleBlockedView};
use sinete_screens::form::PageForm;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;

/// Shows the page with what the organization requires first.
pub(super) async fn show_blocked_page(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    return_to: &ReturnTo,
    console_requirement: &UnmetConsoleRequirement,
) -> HandlerResult {
    let reader = console_reader(state, request, query, &console_requirement.holder).await?;
    let csrf = console_requirement.holder.csrf_token(state.engine());
    let takes = match console_requirement.requirement {
        ConsoleSignInRequirement::StepUp => ConsoleAccessRequirement::StepUp,
        ConsoleSignInRequirement::Enrollment => ConsoleAccessRequirement::Enrollment,
        ConsoleSignInRequirement::OtherSignInMethod => ConsoleAccessRequirement::OtherSignInMethod,
    };
    let action = flow_pages::with_language(&return_to.organization_path(), query);
    let form = PageForm { action: &action, csrf: &csrf };
    let page =
        ConsoleBlockedView { form, organization: &console_requirement.organization, requirement: takes };
    Ok(reader.script_page_response(StatusCode::OK, page.render(&reader.frame(&return_to.path()))))
}
