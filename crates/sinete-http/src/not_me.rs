//! The link in a message about an account. Opening it shows a button; only pressing the button spends it.

use crate::call::Call;
use crate::reply::json::{answer, written};
use crate::reply::{Answer, page};
use crate::state::State;
use axum::http::StatusCode;
use serde_json::json;
use sinete_engine::disavow::disavow;
use sinete_screens::confirm::{Confirm, Question};
use sinete_screens::form::Form;
use sinete_screens::notice::Notice;

/// Where the button leads.
const SPEND_PATH: &str = "/links/not-me";

/// The page with the button. Nothing is looked up: it reads the same for every link.
pub(crate) async fn show(state: State, call: Call) -> Answer {
    let query = call.query()?;
    let token = query.get("token").unwrap_or_default();
    let frame = page::frame(call.visit(), &state);
    let confirm = Confirm {
        form: Form { action: SPEND_PATH, csrf: "" },
        question: Question::NotMe,
        action: "not_me",
        hidden: &[("token", token)],
        back: None,
        trouble: None,
    };
    Ok(page::answer(StatusCode::OK, confirm.page(&frame)))
}

/// Spends the link. Its token is all the proof there is: nothing of the browser's is looked at.
pub(crate) async fn spend(state: State, call: Call) -> Answer {
    let form = call.form()?;
    let done = disavow(state.engine(), form.get("token").unwrap_or_default(), &call.origin()).await?;
    if !call.visit().prefers_page() {
        done?;
        return Ok(answer(
            StatusCode::OK,
            written(&json!({"sessions_ended": true, "next": "reset_password"}))?,
        ));
    }
    let frame = page::frame(call.visit(), &state);
    let (status, notice) = match done {
        Ok(()) => (StatusCode::OK, Notice::Disavowed),
        Err(_) => (StatusCode::NOT_FOUND, Notice::LinkSpent),
    };
    Ok(page::answer(status, notice.page(&frame)))
}
