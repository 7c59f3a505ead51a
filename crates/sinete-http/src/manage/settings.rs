//! How the instance is set up, as far as it concerns those who run it. There is no secret among it, and nothing of it
//! is changed here: that is the configuration's.

use super::errand::Errand;
use crate::call::Call;
use crate::reply::Answer;
use crate::reply::json::{answer, written};
use crate::schema::Schema;
use crate::state::State;
use axum::http::StatusCode;
use serde::Serialize;
use sinete_core::id::InstanceId;
use sinete_engine::Mode;
use sinete_engine::flows::{Interaction, SignUp};

pub(crate) async fn show(state: State, call: Call) -> Answer {
    let serves_screens = state.serves_screens();
    let errand = Errand::begin(state, call).await?;
    let (engine, settings) = (errand.engine(), errand.engine().settings());
    let view = SettingsView {
        instance: engine.instance(),
        version: env!("CARGO_PKG_VERSION"),
        issuer: &settings.issuer,
        mode: match settings.mode {
            Mode::Development => "development",
            Mode::Production => "production",
        },
        screens: serves_screens,
        sign_up: match settings.flows.sign_up {
            SignUp::Open => "open",
            SignUp::Invited => "invited",
        },
        interaction_url: match &settings.flows.interaction {
            Interaction::Elsewhere(address) => Some(address),
            Interaction::Screens | Interaction::Nowhere => None,
        },
        passkeys_for: &engine.relying_party().id,
    };
    Ok(answer(StatusCode::OK, written(&view)?))
}

/// The settings, as they are shown.
#[derive(Serialize)]
struct SettingsView<'a> {
    instance: InstanceId,
    version: &'static str,
    issuer: &'a str,
    mode: &'static str,
    screens: bool,
    sign_up: &'static str,
    interaction_url: Option<&'a String>,
    passkeys_for: &'a str,
}

pub(crate) const SCHEMAS: &[&Schema] = &[&INSTANCE_SETTINGS];

/// What is shown.
pub(crate) const INSTANCE_SETTINGS: Schema = Schema {
    name: "InstanceSettings",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["instance", "version", "issuer", "mode", "screens", "sign_up", "interaction_url", "passkeys_for"],
        "properties": {
            "instance": {"type": "string", "format": "uuid"},
            "version": {"type": "string", "description": "Of the program that answers."},
            "issuer": {"type": "string", "format": "uri"},
            "mode": {"type": "string", "enum": ["development", "production"]},
            "screens": {"type": "boolean", "description": "Whether the hosted screens are served."},
            "sign_up": {"type": "string", "enum": ["open", "invited"]},
            "interaction_url": {"type": ["string", "null"], "description": "Where people are led, where it is elsewhere."},
            "passkeys_for": {"type": "string", "description": "The domain that passkeys are bound to."}
        }
    }"##,
};
