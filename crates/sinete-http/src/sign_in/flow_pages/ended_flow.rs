//! The responses for a flow that has ended, or that this browser does not have.

use super::{notice_page, with_language};
use crate::screens::see_other;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::response::Response;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::sign_in::sessions;
use sinete_screens::notice::OutcomeNotice;
use sinete_server::extract::params::FormParams;
use sinete_server::reply::{HandlerError, HandlerResult};

/// The response for a flow that has ended or belongs to another browser.
pub(super) fn flow_unavailable_response(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
    refusal: Refusal,
) -> HandlerResult {
    match refusal.code() {
        RefusalCode::NotFound | RefusalCode::Gone | RefusalCode::Conflict => {
            request.context().record_refusal(&refusal);
            Ok(flow_finished_page(state, request, query))
        }
        RefusalCode::Forbidden => {
            request.context().record_refusal(&refusal);
            Ok(notice_page(state, request, query, StatusCode::FORBIDDEN, OutcomeNotice::FormRefused))
        }
        _ => Err(HandlerError::Refused(refusal)),
    }
}

/// The user returned to a flow that has ended. A signed-in user continues to the account page.
pub(super) async fn resume_or_show_finished(
    state: &HttpState,
    request: &RoutedRequest,
    query: &FormParams,
) -> HandlerResult {
    if let Some(token) = state.server().session_token(request.headers())?
        && sessions::find(state.engine(), &token).await?.is_some()
    {
        return Ok(see_other(state, &with_language("/my-account", query)));
    }
    Ok(flow_finished_page(state, request, query))
}

pub(super) fn flow_finished_page(state: &HttpState, request: &RoutedRequest, query: &FormParams) -> Response {
    notice_page(state, request, query, StatusCode::GONE, OutcomeNotice::FlowEnded)
}
