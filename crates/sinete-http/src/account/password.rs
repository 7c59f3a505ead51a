//! One's own password.

use super::begin;
use crate::call::Call;
use crate::cookies::Cookie;
use crate::extract::session::{By, Kind, of_headers};
use crate::reply::Answer;
use crate::reply::json::{answer, written};
use crate::schema::Schema;
use crate::state::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use sinete_core::flow::Carrier;
use sinete_engine::account::password::{self, Chosen};

pub(crate) async fn choose(state: State, call: Call) -> Answer {
    let by = of_headers(Kind::Session, call.headers(), state.scheme())?.map_or(By::Header, |it| it.by);
    let walker = crate::flows::walker(&state, &call, Carrier::from(by)).await?;
    let errand = begin(state.clone(), call).await?;
    let NewPassword { current_password, password } = errand.body()?;
    let chosen = Chosen { current: current_password, password };
    let begun = password::choose(errand.engine(), &errand.caller, &chosen, &walker).await??;
    let token = begun.token.reveal();
    let told = By::Header == by;
    let view = Renewed { session_token: told.then(|| token.clone()) };
    let mut response = answer(StatusCode::OK, written(&view)?);
    if !told {
        Cookie::Session.set(&mut response, state.scheme(), &token);
    }
    Ok(response)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NewPassword {
    current_password: Option<String>,
    password: String,
}

#[derive(Serialize)]
struct Renewed {
    #[serde(skip_serializing_if = "Option::is_none")]
    session_token: Option<String>,
}

pub(super) const SCHEMAS: &[&Schema] = &[&NEW_PASSWORD, &RENEWED];

/// A password to choose.
pub(crate) const NEW_PASSWORD: Schema = Schema {
    name: "NewPassword",
    json: r#"{
        "type": "object", "additionalProperties": false, "required": ["password"],
        "properties": {
            "current_password": {
                "type": "string", "minLength": 1, "maxLength": 4096,
                "description": "The password there is; left out where there is none."
            },
            "password": {"type": "string", "minLength": 1, "maxLength": 4096, "description": "The new one."}
        }
    }"#,
};

/// The session, which has a new token.
pub(crate) const RENEWED: Schema = Schema {
    name: "RenewedSession",
    json: r#"{
        "type": "object", "additionalProperties": false,
        "description": "The session goes on under a new token, in its cookie or shown here once.",
        "properties": {"session_token": {"type": "string"}}
    }"#,
};
