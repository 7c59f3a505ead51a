//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use super::{CarriedRole, ClientMetadata};
use serde::{Deserialize, Serialize};

/// What the description calls `Role`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Role {
    /// Whether the program decides what it holds. The built-in owner also holds everything that APIs offer
    /// to the organization.
    pub built_in: bool,
    /// `description`.
    pub description: String,
    /// `id`.
    pub id: String,
    /// As the role claim of a token lists it.
    pub name: String,
    /// `permissions`.
    pub permissions: Vec<String>,
    /// How often it has changed; also its ETag.
    pub version: i64,
}

/// What the description calls `RolePatch`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RolePatch {
    /// `description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<Option<String>>,
    /// `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `permissions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Option<Vec<String>>>,
}

/// What the description calls `RotatedKey`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RotatedKey {
    /// The successor: published from now on.
    pub kid: String,
    /// When it takes over, once everybody can know it.
    pub signs_from: String,
}

/// What the description calls `SettledClient`.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SettledClient {
    /// Its new secret, if it was given one. It is shown this once and never again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// `condition`. One of `enabled`, `suspended`, `ended`.
    pub condition: String,
    /// `created_at`.
    pub created_at: String,
    /// Its client_id.
    pub id: String,
    /// `kind`. One of `application`, `service`, `agent`.
    pub kind: String,
    /// Its own membership, where it acts for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub membership: Option<String>,
    /// `metadata`.
    pub metadata: ClientMetadata,
    /// Who added it: an operator, an organization for itself, or it registered itself. One of `operator`,
    /// `organization`, `self`.
    pub origin: String,
    /// The member who answers for an agent.
    pub owner: Option<String>,
    /// `purpose`.
    pub purpose: String,
    /// `roles`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<CarriedRole>>,
    /// When an operator vouched for it.
    pub verified_at: Option<String>,
    /// How often it has changed; also its ETag.
    pub version: i64,
}

/// What the description calls `SettledWebhook`.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SettledWebhook {
    /// What signatures are checked with. It is not shown again.
    pub secret: String,
    /// `webhook`.
    pub webhook: Webhook,
}

/// What the description calls `SigningKeys`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SigningKeys {
    /// `items`.
    pub items: Vec<SigningKeysItems>,
}

/// What the description calls `SigningKeysItems`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SigningKeysItems {
    /// `algorithm`.
    pub algorithm: String,
    /// `is_development`.
    pub is_development: bool,
    /// `kid`.
    pub kid: String,
    /// `phase`. One of `announced`, `signing`, `retiring`, `withdrawn`.
    pub phase: String,
    /// `published_at`.
    pub published_at: String,
    /// `purpose`. One of `tokens`, `log`.
    pub purpose: String,
    /// `signs_from`.
    pub signs_from: String,
    /// `signs_until`.
    pub signs_until: Option<String>,
    /// `source`. One of `configuration`, `database`.
    pub source: String,
    /// Why it does not count, if it does not.
    pub unusable: Option<String>,
    /// `withdrawn_at`.
    pub withdrawn_at: Option<String>,
}

/// What the description calls `Webhook`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Webhook {
    /// `address`.
    pub address: String,
    /// `created_at`.
    pub created_at: String,
    /// `description`.
    pub description: String,
    /// `failing_since`.
    pub failing_since: Option<String>,
    /// How often it failed in a row.
    pub failures: i64,
    /// `id`.
    pub id: String,
    /// Whether there may be something it has not been told of yet.
    pub is_behind: bool,
    /// The kinds of events it is told of; empty means all of them.
    pub kinds: Vec<String>,
    /// `next_attempt_at`.
    pub next_attempt_at: Option<String>,
    /// It failed for three days, it answered 410, or somebody stopped it. One of `failing`, `gone`,
    /// `stopped`.
    pub pause_reason: Option<String>,
    /// `paused_at`.
    pub paused_at: Option<String>,
    /// Until then what is sent is signed with the earlier secret too.
    pub previous_secret_until: Option<String>,
    /// `state`. One of `working`, `failing`, `paused`.
    pub state: String,
    /// `version`.
    pub version: i64,
}

/// What the description calls `WebhookAttempt`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WebhookAttempt {
    /// `at`.
    pub at: String,
    /// The event, which is also the webhook-id that was sent.
    pub event: String,
    /// `id`.
    pub id: String,
    /// `kind`.
    pub kind: String,
    /// `outcome`. One of `told`, `again`, `paused`.
    pub outcome: String,
    /// What it answered; null where it was not reached, may not be reached or took too long.
    pub status: Option<i64>,
}

/// What the description calls `WebhookPatch`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct WebhookPatch {
    /// `address`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// `description`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// `kinds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<String>>,
}

/// What the description calls `WebhookReplay`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WebhookReplay {
    /// `since`.
    pub since: String,
}

/// What the description calls `WebhookSecretRotation`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WebhookSecretRotation {
    /// How long the earlier secret signs beside the new one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap_seconds: Option<i64>,
}

/// Which of them [`crate::management::Management::list_accounts`] lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListAccountsQuery {
    /// Only the account that proved this address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
}

/// Which of them [`crate::management::Management::list_audit_entries`] lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListAuditEntriesQuery {
    /// Only entries from this moment on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Only entries before this moment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    /// Only what this actor did, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actor: Option<String>,
    /// Only entries of this kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// Which of them [`crate::management::Management::list_events`] lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListEventsQuery {
    /// Only events from this moment on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
    /// Only events that concern the organization of this id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub organization: Option<String>,
}

/// Which of them [`crate::management::Management::list_grants`] lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListGrantsQuery {
    /// Only what this member granted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
}

/// Which of them [`crate::management::Management::list_instance_assignments`] lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListInstanceAssignmentsQuery {
    /// The id or the slug of the organization whose assignments are listed.
    pub organization: String,
}
