//! Signing keys: every one with its life, and a successor for the one that signs.

use super::errand::Errand;
use crate::call::Call;
use crate::reply::Answer;
use crate::reply::json::{At, answer, written};
use crate::schema::Schema;
use crate::state::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use sinete_core::fault::Faults;
use sinete_core::refusal::Refusal;
use sinete_engine::keys::Source;
use sinete_engine::keys::managed::{self, Listed};

pub(crate) async fn list(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let keys = managed::list(errand.engine(), &errand.operating()).await??;
    let items = keys.iter().map(KeyView::of).collect();
    Ok(answer(StatusCode::OK, written(&KeysView { items })?))
}

pub(crate) async fn rotate(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let mut faults = Faults::default();
    let Some(algorithm) = faults.read("/algorithm", &errand.body::<Rotation>()?.algorithm) else {
        return Err(Refusal::unfit(faults).into());
    };
    let joined = managed::rotate(errand.engine(), &errand.operating(), algorithm).await??;
    let view = JoinedView { kid: &joined.kid, signs_from: At(joined.life.signs_from) };
    Ok(answer(StatusCode::OK, written(&view)?))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Rotation {
    algorithm: String,
}

#[derive(Serialize)]
struct JoinedView<'a> {
    kid: &'a str,
    signs_from: At,
}

#[derive(Serialize)]
struct KeysView<'a> {
    items: Vec<KeyView<'a>>,
}

/// A key, as it is shown.
#[derive(Serialize)]
struct KeyView<'a> {
    kid: &'a str,
    purpose: &'static str,
    algorithm: &'static str,
    source: &'static str,
    is_development: bool,
    phase: &'static str,
    unusable: Option<&'a str>,
    published_at: At,
    signs_from: At,
    signs_until: Option<At>,
    withdrawn_at: Option<At>,
}

impl<'a> KeyView<'a> {
    fn of(key: &'a Listed) -> Self {
        Self {
            kid: &key.kid,
            purpose: key.purpose.as_str(),
            algorithm: key.algorithm.as_str(),
            source: match key.source {
                Source::Configured => "configuration",
                Source::Database => "database",
            },
            is_development: managed::is_development(key),
            phase: key.phase.as_str(),
            unusable: key.unusable.as_deref(),
            published_at: At(key.life.published_at),
            signs_from: At(key.life.signs_from),
            signs_until: key.life.signs_until.map(At),
            withdrawn_at: key.life.withdrawn_at.map(At),
        }
    }
}

pub(crate) const SCHEMAS: &[&Schema] = &[&SIGNING_KEYS, &KEY_ROTATION, &ROTATED_KEY];

/// What is shown.
pub(crate) const SIGNING_KEYS: Schema = Schema {
    name: "SigningKeys",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["items"],
        "properties": {
            "items": {
                "type": "array",
                "items": {
                    "type": "object", "additionalProperties": false,
                    "required": ["kid", "purpose", "algorithm", "source", "is_development", "phase", "unusable", "published_at", "signs_from", "signs_until", "withdrawn_at"],
                    "properties": {
                        "kid": {"type": "string"},
                        "purpose": {"type": "string", "enum": ["tokens", "log"]},
                        "algorithm": {"type": "string"},
                        "source": {"type": "string", "enum": ["configuration", "database"]},
                        "is_development": {"type": "boolean"},
                        "phase": {"type": "string", "enum": ["announced", "signing", "retiring", "withdrawn"]},
                        "unusable": {"type": ["string", "null"], "description": "Why it does not count, if it does not."},
                        "published_at": {"type": "string", "format": "date-time"},
                        "signs_from": {"type": "string", "format": "date-time"},
                        "signs_until": {"type": ["string", "null"], "format": "date-time"},
                        "withdrawn_at": {"type": ["string", "null"], "format": "date-time"}
                    }
                }
            }
        }
    }"##,
};

/// What is asked for.
pub(crate) const KEY_ROTATION: Schema = Schema {
    name: "KeyRotation",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["algorithm"],
        "properties": {"algorithm": {"type": "string", "enum": ["RS256", "PS256", "ES256", "EdDSA"]}},
        "examples": [{"algorithm": "ES256"}]
    }"##,
};

/// What is answered.
pub(crate) const ROTATED_KEY: Schema = Schema {
    name: "RotatedKey",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["kid", "signs_from"],
        "properties": {
            "kid": {"type": "string", "description": "The successor: published from now on."},
            "signs_from": {"type": "string", "format": "date-time", "description": "When it takes over, once everybody can know it."}
        }
    }"##,
};
