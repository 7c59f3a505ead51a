//! The link in a message to a replaced address. Opening it shows a button; only pressing the button uses it.

use crate::pages;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use serde_json::json;
use sinete_engine::sign_in::restore_email::restore_email;
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{json_response, serialize_json};

/// The path that the button posts to.
pub(crate) const UNDO_EMAIL_PATH: &str = "/links/undo-email";

/// Uses the link. Its token is the only proof: cookies are ignored.
pub(crate) async fn undo_email_change(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let form = request.form_params()?;
    let result =
        restore_email(state.engine(), form.get("token").unwrap_or_default(), &request.origin()).await;
    let result = match result {
        Ok(()) => Ok(()),
        Err(error) => Err(error.into_refusal()?),
    };
    if let Some(page) = pages::render_email_undo_result(&state, &request, &result) {
        return Ok(page);
    }
    result?;
    let body = json!({"address_restored": true, "sessions_ended": true, "next": "reset_password"});
    Ok(json_response(StatusCode::OK, serialize_json(&body)?))
}
