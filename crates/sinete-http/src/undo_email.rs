//! The link in a message to an old address. Opening it shows a button; only pressing the button spends it.

use crate::call::RoutedRequest;
use crate::pages;
use crate::reply::HandlerResult;
use crate::reply::json::{answer, written};
use crate::state::HttpState;
use axum::http::StatusCode;
use serde_json::json;
use sinete_engine::restore_address::restore;

/// Where the button leads.
pub(crate) const SPEND_PATH: &str = "/links/undo-email";

/// Spends the link. Its token is all the proof there is: nothing of the browser's is looked at.
pub(crate) async fn spend(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let form = call.form()?;
    let done = restore(state.engine(), form.get("token").unwrap_or_default(), &call.origin()).await?;
    if let Some(page) = pages::restored(&state, &call, &done) {
        return Ok(page);
    }
    done?;
    let told = json!({"address_restored": true, "sessions_ended": true, "next": "reset_password"});
    Ok(answer(StatusCode::OK, written(&told)?))
}
