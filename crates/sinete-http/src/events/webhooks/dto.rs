//! Webhooks, as requested and returned.

use crate::management_api::pagination::ResourceView;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::events::webhooks::WebhookPauseReason;
use sinete_core::id::{AttemptId, EventId, WebhookId};
use sinete_core::limits::{DISPLAY_TEXT_CHARACTERS_MAX, WEBHOOK_SECRET_OVERLAP_MAX, WEBHOOK_URL_BYTES_MAX};
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_core::validation::ValidationErrors;
use sinete_engine::events::webhooks::{SavedWebhook, WebhookAttemptRow, WebhookDraft, WebhookRow};
use sinete_server::extract::time_parameter::TimeParameter;
use sinete_server::reply::HandlerError;
use sinete_server::reply::json::JsonTimestamp;
use sinete_server::schema::NamedSchema;

/// The editable properties of a webhook.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookInput {
    /// The URL that events are posted to: https, without credentials.
    #[schemars(length(min = 1, max = WEBHOOK_URL_BYTES_MAX), extend("format" = "uri"))]
    address: String,
    #[schemars(length(max = DISPLAY_TEXT_CHARACTERS_MAX))]
    #[serde(default)]
    description: String,
    /// The event types that it receives. If omitted or empty, all of them.
    #[schemars(length(max = 100))]
    #[serde(default)]
    kinds: Vec<String>,
}

impl WebhookInput {
    pub(crate) fn from_webhook(webhook: &WebhookRow) -> Self {
        Self {
            address: webhook.address.clone(),
            description: webhook.description.clone(),
            kinds: webhook.kinds.clone(),
        }
    }

    pub(crate) fn into_webhook_request(self) -> WebhookDraft {
        WebhookDraft { address: self.address, description: self.description, kinds: self.kinds }
    }
}

/// The overlap of the previous secret.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecretRotationInput {
    /// How long the previous secret also signs.
    #[schemars(range(max = WEBHOOK_SECRET_OVERLAP_MAX.seconds()), extend("default" = 86400))]
    pub(crate) overlap_seconds: Option<u32>,
}

/// The start of a replay.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplayInput {
    #[schemars(length(min = 1, max = 64), extend("format" = "date-time"))]
    since: String,
}

impl ReplayInput {
    pub(crate) fn to_timestamp(&self) -> Result<Timestamp, HandlerError> {
        let mut errors = ValidationErrors::default();
        let moment = errors.parse_text::<TimeParameter>("/since", &self.since);
        moment.map(|TimeParameter(at)| at).ok_or_else(|| Refusal::from_validation_errors(errors).into())
    }
}

/// A webhook, as returned.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Webhook")]
struct WebhookView<'a> {
    id: WebhookId,
    #[schemars(extend("format" = "uri"))]
    address: &'a str,
    description: &'a str,
    /// The event types that it receives. Empty means all of them.
    kinds: &'a [String],
    #[schemars(extend("enum" = ["working", "failing", "paused"]))]
    state: &'static str,
    /// `failing`: deliveries failed for three days. `gone`: the endpoint answered 410. `stopped`: it was
    /// paused by request.
    #[schemars(extend("enum" = ["failing", "gone", "stopped", null]))]
    pause_reason: Option<&'static str>,
    paused_at: Option<JsonTimestamp>,
    /// The number of consecutive failed attempts.
    #[schemars(range(min = 0))]
    failures: i64,
    failing_since: Option<JsonTimestamp>,
    next_attempt_at: Option<JsonTimestamp>,
    /// Whether there may be events that were not delivered yet.
    is_behind: bool,
    /// Until when deliveries are also signed with the previous secret.
    previous_secret_until: Option<JsonTimestamp>,
    created_at: JsonTimestamp,
    #[schemars(range(min = 1))]
    version: i64,
}

impl<'a> WebhookView<'a> {
    fn from_webhook(webhook: &'a WebhookRow) -> Self {
        let state = match (webhook.paused_at, webhook.failures) {
            (Some(_), _) => "paused",
            (None, 0) => "working",
            (None, _) => "failing",
        };
        Self {
            id: webhook.id,
            address: &webhook.address,
            description: &webhook.description,
            kinds: &webhook.kinds,
            state,
            pause_reason: webhook.pause_reason.map(WebhookPauseReason::as_str),
            paused_at: webhook.paused_at.map(JsonTimestamp),
            failures: webhook.failures,
            failing_since: webhook.failing_since.map(JsonTimestamp),
            next_attempt_at: (state == "failing").then_some(JsonTimestamp(webhook.next_attempt_at)),
            is_behind: webhook.lag > 0,
            previous_secret_until: webhook.previous_secret_until.map(JsonTimestamp),
            created_at: JsonTimestamp(webhook.created_at),
            version: webhook.version,
        }
    }
}

impl ResourceView for WebhookRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(WebhookView::from_webhook(self))
    }
}

/// A webhook with its new secret, which is returned once.
#[derive(Serialize, JsonSchema)]
pub(crate) struct SavedWebhookView {
    #[schemars(with = "WebhookView<'_>")]
    webhook: serde_json::Value,
    /// The secret with which the receiver verifies signatures. It is returned only once.
    secret: String,
}

impl SavedWebhookView {
    pub(crate) fn from_saved(saved_webhook: SavedWebhook) -> Self {
        let webhook =
            serde_json::to_value(WebhookView::from_webhook(&saved_webhook.webhook)).unwrap_or_default();
        Self { webhook, secret: saved_webhook.secret.reveal() }
    }
}

/// A delivery attempt, as returned.
#[derive(Serialize, JsonSchema)]
struct DeliveryAttemptView<'a> {
    id: AttemptId,
    /// The id of the event, which is also the `webhook-id` header.
    event: EventId,
    kind: &'a str,
    /// The response status. Null if the endpoint was not reached, its address is not allowed, or it did not
    /// respond in time.
    status: Option<u16>,
    #[schemars(extend("enum" = ["told", "again", "paused"]))]
    outcome: &'static str,
    at: JsonTimestamp,
}

impl ResourceView for WebhookAttemptRow {
    fn cursor(&self) -> String {
        self.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        Ok(DeliveryAttemptView {
            id: self.id,
            event: self.event,
            kind: &self.kind,
            status: self.status,
            outcome: self.outcome.as_str(),
            at: JsonTimestamp(self.at),
        })
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] =
    &[&NEW_WEBHOOK, &WEBHOOK_PATCH, &WEBHOOK, &SAVED_WEBHOOK, &ROTATION, &WEBHOOK_REPLAY, &WEBHOOK_ATTEMPT];

/// The schema for adding a webhook.
pub(crate) const NEW_WEBHOOK: NamedSchema = NamedSchema::request::<WebhookInput>("CreateWebhookRequest")
    .with_example(
        r#"{
        "address": "https://example.com/events", "description": "Our directory",
        "kinds": ["membership.created", "membership.ended"]
    }"#,
    );

/// The schema for changing a webhook.
pub(crate) const WEBHOOK_PATCH: NamedSchema =
    NamedSchema::merge_patch_without_null::<WebhookInput>("WebhookPatch")
        .with_example(r#"{"kinds": ["membership.ended"]}"#);

/// The schema of the resource.
pub(crate) const WEBHOOK: NamedSchema = NamedSchema::response::<WebhookView<'_>>("Webhook");

/// The schema of a webhook with its secret.
pub(crate) const SAVED_WEBHOOK: NamedSchema = NamedSchema::response::<SavedWebhookView>("SettledWebhook");

/// The schema of a secret rotation.
pub(crate) const ROTATION: NamedSchema = NamedSchema::request::<SecretRotationInput>("WebhookSecretRotation")
    .with_example(r#"{"overlap_seconds": 3600}"#);

/// The schema of a replay.
pub(crate) const WEBHOOK_REPLAY: NamedSchema =
    NamedSchema::request::<ReplayInput>("WebhookReplay").with_example(r#"{"since": "2026-11-15T02:52:03Z"}"#);

/// The schema of a delivery attempt.
pub(crate) const WEBHOOK_ATTEMPT: NamedSchema =
    NamedSchema::response::<DeliveryAttemptView<'_>>("WebhookAttempt");
