//! Handlers of signing keys: list and rotate.

use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::administration::signing_keys;
use sinete_engine::administration::signing_keys::KeyOverview;
use sinete_engine::platform::signing_keys::KeySource;
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{JsonTimestamp, json_response, serialize_json};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_signing_keys(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let keys = signing_keys::list(management_request.engine(), &management_request.instance_admin()).await?;
    let items = keys.iter().map(SigningKeyView::from_key).collect();
    Ok(json_response(StatusCode::OK, serialize_json(&SigningKeyListView { items })?))
}

pub(crate) async fn rotate_signing_key(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let mut errors = ValidationErrors::default();
    let Some(algorithm) =
        errors.parse_text("/algorithm", &management_request.parse_body::<KeyRotationInput>()?.algorithm)
    else {
        return Err(Refusal::from_validation_errors(errors).into());
    };
    let joined =
        signing_keys::rotate(management_request.engine(), &management_request.instance_admin(), algorithm)
            .await?;
    let view = RotatedKeyView { kid: &joined.kid, signs_from: JsonTimestamp(joined.lifecycle.signs_from) };
    Ok(json_response(StatusCode::OK, serialize_json(&view)?))
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct KeyRotationInput {
    #[schemars(with = "SigningAlgorithm")]
    algorithm: String,
}

#[derive(Serialize, JsonSchema)]
struct RotatedKeyView<'a> {
    /// The key id of the successor, which is published now.
    kid: &'a str,
    /// When it starts to sign.
    signs_from: JsonTimestamp,
}

#[derive(Serialize, JsonSchema)]
struct SigningKeyListView<'a> {
    items: Vec<SigningKeyView<'a>>,
}

/// A key, as returned.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct SigningKeyView<'a> {
    kid: &'a str,
    #[schemars(extend("enum" = ["tokens", "log"]))]
    purpose: &'static str,
    algorithm: &'static str,
    #[schemars(extend("enum" = ["configuration", "database"]))]
    source: &'static str,
    is_development: bool,
    #[schemars(extend("enum" = ["announced", "signing", "retiring", "withdrawn"]))]
    phase: &'static str,
    /// Why the key cannot be used, if it cannot.
    unusable: Option<&'a str>,
    published_at: JsonTimestamp,
    signs_from: JsonTimestamp,
    signs_until: Option<JsonTimestamp>,
    withdrawn_at: Option<JsonTimestamp>,
}

impl<'a> SigningKeyView<'a> {
    fn from_key(key: &'a KeyOverview) -> Self {
        Self {
            kid: &key.kid,
            purpose: key.purpose.as_str(),
            algorithm: key.algorithm.as_str(),
            source: match key.source {
                KeySource::Configured => "configuration",
                KeySource::Database => "database",
            },
            is_development: signing_keys::is_development(key),
            phase: key.phase.as_str(),
            unusable: key.unusable.as_deref(),
            published_at: JsonTimestamp(key.lifecycle.published_at),
            signs_from: JsonTimestamp(key.lifecycle.signs_from),
            signs_until: key.lifecycle.signs_until.map(JsonTimestamp),
            withdrawn_at: key.lifecycle.withdrawn_at.map(JsonTimestamp),
        }
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&SIGNING_KEYS, &KEY_ROTATION, &ROTATED_KEY];

/// The schema of the resource.
pub(crate) const SIGNING_KEYS: NamedSchema = NamedSchema::response::<SigningKeyListView<'_>>("SigningKeys");

/// The schema of a rotation request.
pub(crate) const KEY_ROTATION: NamedSchema =
    NamedSchema::request::<KeyRotationInput>("KeyRotation").with_example(r#"{"algorithm": "ES256"}"#);

/// The schema of a rotation response.
pub(crate) const ROTATED_KEY: NamedSchema = NamedSchema::response::<RotatedKeyView<'_>>("RotatedKey");
