//! The link in a message about an account. Opening it shows a button; only pressing the button spends it.

use crate::call::Call;
use crate::flows;
use crate::pages;
use crate::reply::Answer;
use crate::reply::json::{answer, written};
use crate::state::State;
use axum::http::StatusCode;
use serde_json::json;
use sinete_core::flow::Carrier;
use sinete_engine::disavow::{begin_reset, disavow};

/// Where the button leads.
pub(crate) const SPEND_PATH: &str = "/links/not-me";

/// Spends the link. Its token is all the proof there is: nothing of the browser's is looked at.
pub(crate) async fn spend(state: State, call: Call) -> Answer {
    let form = call.form()?;
    let done = disavow(state.engine(), form.get("token").unwrap_or_default(), &call.origin()).await?;
    if let Some(page) = pages::disavowed(&state, &call, &done) {
        return Ok(page);
    }
    let account = done?;
    let walker = flows::walker(&state, &call, Carrier::Token).await?;
    let reset = match begin_reset(state.engine(), account, &walker).await? {
        Some(standing) => Some(flows::token_flow(&state, standing).await?),
        None => None,
    };
    let told = json!({"sessions_ended": true, "next": "reset_password", "flow": reset});
    Ok(answer(StatusCode::OK, written(&told)?))
}
