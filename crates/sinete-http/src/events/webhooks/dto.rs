//! Webhooks, as requested and shown.

use crate::management_api::pagination::ResourceView;
use serde::{Deserialize, Serialize};
use sinete_core::events::webhooks::WebhookPauseReason;
use sinete_core::id::{AttemptId, EventId, WebhookId};
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_core::validation::ValidationErrors;
use sinete_engine::events::webhooks::{SavedWebhook, ShownAttempt, WebhookDraft, WebhookRow};
use sinete_server::extract::time_parameter::TimeParameter;
use sinete_server::reply::HandlerError;
use sinete_server::reply::json::JsonTimestamp;
use sinete_server::schema::NamedSchema;

/// The editable properties of a webhook.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WebhookInput {
    address: String,
    #[serde(default)]
    description: String,
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
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SecretRotationInput {
    pub(crate) overlap_seconds: Option<u32>,
}

/// The start of a replay.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ReplayInput {
    since: String,
}

impl ReplayInput {
    pub(crate) fn to_timestamp(&self) -> Result<Timestamp, HandlerError> {
        let mut faults = ValidationErrors::default();
        let moment = faults.parse_text::<TimeParameter>("/since", &self.since);
        moment.map(|TimeParameter(at)| at).ok_or_else(|| Refusal::from_validation_errors(faults).into())
    }
}

/// A webhook, as shown.
#[derive(Serialize)]
struct WebhookView<'a> {
    id: WebhookId,
    address: &'a str,
    description: &'a str,
    kinds: &'a [String],
    state: &'static str,
    pause_reason: Option<&'static str>,
    paused_at: Option<JsonTimestamp>,
    failures: i64,
    failing_since: Option<JsonTimestamp>,
    next_attempt_at: Option<JsonTimestamp>,
    is_behind: bool,
    previous_secret_until: Option<JsonTimestamp>,
    created_at: JsonTimestamp,
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
            is_behind: webhook.behind > 0,
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

/// A webhook with its new secret, which is shown once.
#[derive(Serialize)]
pub(crate) struct SavedWebhookView {
    webhook: serde_json::Value,
    secret: String,
}

impl SavedWebhookView {
    pub(crate) fn from_saved(settled: SavedWebhook) -> Self {
        let webhook = serde_json::to_value(WebhookView::from_webhook(&settled.webhook)).unwrap_or_default();
        Self { webhook, secret: settled.secret.reveal() }
    }
}

/// A delivery attempt, as shown.
#[derive(Serialize)]
struct DeliveryAttemptView<'a> {
    id: AttemptId,
    event: EventId,
    kind: &'a str,
    status: Option<u16>,
    outcome: &'static str,
    at: JsonTimestamp,
}

impl ResourceView for ShownAttempt {
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
    &[&NEW_WEBHOOK, &WEBHOOK_PATCH, &WEBHOOK, &SETTLED_WEBHOOK, &ROTATION, &SINCE, &WEBHOOK_ATTEMPT];

/// The schema for adding a webhook.
pub(crate) const NEW_WEBHOOK: NamedSchema = NamedSchema {
    name: "CreateWebhookRequest",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["address"],
        "properties": {
            "address": {"type": "string", "format": "uri", "minLength": 1, "maxLength": 2048, "description": "Where events are posted to: https, without credentials."},
            "description": {"type": "string", "maxLength": 200},
            "kinds": {
                "type": "array", "maxItems": 100, "items": {"type": "string"},
                "description": "The kinds of events it is told of; left out or empty, all of them."
            }
        },
        "examples": [{"address": "https://example.com/events", "description": "Our directory", "kinds": ["membership.created", "membership.ended"]}]
    }"##,
};

/// The schema for changing a webhook.
pub(crate) const WEBHOOK_PATCH: NamedSchema = NamedSchema {
    name: "WebhookPatch",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "properties": {
            "address": {"type": "string", "format": "uri", "minLength": 1, "maxLength": 2048},
            "description": {"type": "string", "maxLength": 200},
            "kinds": {"type": "array", "maxItems": 100, "items": {"type": "string"}}
        },
        "examples": [{"kinds": ["membership.ended"]}]
    }"##,
};

/// The schema of the resource.
pub(crate) const WEBHOOK: NamedSchema = NamedSchema {
    name: "Webhook",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "address", "description", "kinds", "state", "pause_reason", "paused_at", "failures", "failing_since", "next_attempt_at", "is_behind", "previous_secret_until", "created_at", "version"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "address": {"type": "string", "format": "uri"},
            "description": {"type": "string"},
            "kinds": {"type": "array", "items": {"type": "string"}, "description": "The kinds of events it is told of; empty means all of them."},
            "state": {"type": "string", "enum": ["working", "failing", "paused"]},
            "pause_reason": {"type": ["string", "null"], "enum": ["failing", "gone", "stopped", null], "description": "It failed for three days, it answered 410, or somebody stopped it."},
            "paused_at": {"type": ["string", "null"], "format": "date-time"},
            "failures": {"type": "integer", "minimum": 0, "description": "How often it failed in a row."},
            "failing_since": {"type": ["string", "null"], "format": "date-time"},
            "next_attempt_at": {"type": ["string", "null"], "format": "date-time"},
            "is_behind": {"type": "boolean", "description": "Whether there may be something it has not been told of yet."},
            "previous_secret_until": {"type": ["string", "null"], "format": "date-time", "description": "Until then what is sent is signed with the earlier secret too."},
            "created_at": {"type": "string", "format": "date-time"},
            "version": {"type": "integer", "minimum": 1}
        }
    }"##,
};

/// The schema of a webhook with its secret.
pub(crate) const SETTLED_WEBHOOK: NamedSchema = NamedSchema {
    name: "SettledWebhook",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["webhook", "secret"],
        "properties": {
            "webhook": {"$ref": "#/components/schemas/Webhook"},
            "secret": {"type": "string", "description": "What signatures are checked with. It is not shown again."}
        }
    }"##,
};

/// The schema of a secret rotation.
pub(crate) const ROTATION: NamedSchema = NamedSchema {
    name: "WebhookSecretRotation",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "properties": {
            "overlap_seconds": {"type": "integer", "minimum": 0, "maximum": 604800, "default": 86400, "description": "How long the earlier secret signs beside the new one."}
        },
        "examples": [{"overlap_seconds": 3600}]
    }"##,
};

/// The schema of a replay.
pub(crate) const SINCE: NamedSchema = NamedSchema {
    name: "WebhookReplay",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["since"],
        "properties": {"since": {"type": "string", "format": "date-time", "minLength": 1, "maxLength": 64}},
        "examples": [{"since": "2026-11-15T02:52:03Z"}]
    }"##,
};

/// The schema of a delivery attempt.
pub(crate) const WEBHOOK_ATTEMPT: NamedSchema = NamedSchema {
    name: "WebhookAttempt",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "required": ["id", "event", "kind", "status", "outcome", "at"],
        "properties": {
            "id": {"type": "string", "format": "uuid"},
            "event": {"type": "string", "format": "uuid", "description": "The event, which is also the webhook-id that was sent."},
            "kind": {"type": "string"},
            "status": {"type": ["integer", "null"], "description": "What it answered; null where it was not reached, may not be reached or took too long."},
            "outcome": {"type": "string", "enum": ["told", "again", "paused"]},
            "at": {"type": "string", "format": "date-time"}
        }
    }"##,
};
