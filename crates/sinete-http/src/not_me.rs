//! The link in a message about an account. Opening it shows a button; only pressing the button spends it.

use crate::call::Call;
use crate::pages;
use crate::reply::Answer;
use crate::reply::json::{answer, written};
use crate::state::State;
use axum::http::StatusCode;
use serde_json::json;
use sinete_engine::disavow::disavow;

/// Where the button leads.
pub(crate) const SPEND_PATH: &str = "/links/not-me";

/// Spends the link. Its token is all the proof there is: nothing of the browser's is looked at.
pub(crate) async fn spend(state: State, call: Call) -> Answer {
    let form = call.form()?;
    let done = disavow(state.engine(), form.get("token").unwrap_or_default(), &call.origin()).await?;
    if let Some(page) = pages::disavowed(&state, &call, &done) {
        return Ok(page);
    }
    done?;
    Ok(answer(StatusCode::OK, written(&json!({"sessions_ended": true, "next": "reset_password"}))?))
}
