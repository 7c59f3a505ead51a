//! The link that reports a sign-in. Opening it shows a button; only pressing the button uses it.

use crate::pages;
use crate::sign_in::flows::handlers;
use crate::sign_in::long_lived_access::LongLivedAccessView;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde_json::json;
use sinete_core::sign_in::flows::FlowTokenTransport;
use sinete_engine::sign_in::report_sign_in as engine_report_sign_in;
use sinete_engine::sign_in::report_sign_in::{report_sign_in, start_password_reset};
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{json_response, serialize_json};

/// The path that the button posts to.
pub(crate) const REPORT_SIGN_IN_PATH: &str = "/links/not-me";

/// Lists the access that the link revokes unless it is kept. The link is not used.
pub(crate) async fn list_access_ended_by_link(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    let token = query.get("token").unwrap_or_default();
    let access = engine_report_sign_in::list_long_lived_access(state.engine(), token).await?;
    let access: Vec<LongLivedAccessView> = access.into_iter().map(LongLivedAccessView::from).collect();
    Ok(json_response(StatusCode::OK, serialize_json(&json!({"access": access}))?))
}

/// The ids of access to keep: one parameter each, because names must be unique.
pub(crate) fn retained_access_ids(form: &FormParams) -> Vec<String> {
    let access_fields = form.iter().filter(|(name, value)| name.starts_with("keep.") && !value.is_empty());
    access_fields.map(|(_, value)| value.to_owned()).collect()
}

/// Uses the link. Its token is the only proof: cookies are ignored.
pub(crate) async fn post_sign_in_report(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let form = request.form_params()?;
    let token = form.get("token").unwrap_or_default();
    let result = report_sign_in(state.engine(), token, &retained_access_ids(&form), &request.origin()).await;
    let result = match result {
        Ok(account) => Ok(account),
        Err(error) => Err(error.into_refusal()?),
    };
    if let Some(page) = pages::render_report_sign_in_result(&state, &request, &result) {
        return Ok(page);
    }
    let account = result?;
    let actor = handlers::flow_actor(&state, &request, FlowTokenTransport::Token).await?;
    let reset = match start_password_reset(state.engine(), account, &actor).await? {
        Some(snapshot) => Some(handlers::token_flow_view(&state, snapshot).await?),
        None => None,
    };
    let body = json!({"sessions_ended": true, "access_ended": true, "next": "reset_password", "flow": reset});
    Ok(json_response(StatusCode::OK, serialize_json(&body)?))
}
