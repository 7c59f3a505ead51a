//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use serde::{Deserialize, Serialize};

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

/// Which of them [`crate::management::Management::list_instance_clients`] lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListInstanceClientsQuery {
    /// Whether the operators' own clients are listed, or those that registered themselves. One of
    /// `operator`, `self`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

/// Which of them [`crate::management::Management::list_instance_relationships`] lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListInstanceRelationshipsQuery {
    /// The type of the object whose relationships are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_type: Option<String>,
    /// The id of that object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<String>,
    /// The type of whoever stands in them: member, client, role, or a type of objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_type: Option<String>,
    /// The id of whoever stands in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_id: Option<String>,
}

/// Which of them [`crate::management::Management::list_members`] lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListMembersQuery {
    /// Only members who have, for each of these words, a word that begins with it: in their name, the
    /// address the organization knows them by, the client_id of a service or agent, or, with clients:read,
    /// its name; or one whose id or external_id this is, as a whole. Eight words are the most. In the order
    /// of the words that were found. A page may be short, or empty, and have a next nevertheless: no more
    /// than so many words are looked at for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub search: Option<String>,
}

/// Which of them [`crate::management::Management::list_relationships`] lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ListRelationshipsQuery {
    /// The type of the object whose relationships are listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_type: Option<String>,
    /// The id of that object.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_id: Option<String>,
    /// The type of whoever stands in them: member, client, role, or a type of objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_type: Option<String>,
    /// The id of whoever stands in them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject_id: Option<String>,
}
