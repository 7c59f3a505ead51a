//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use super::{ClientMetadata, ObjectType, PermissionText};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What the description calls `AccountSummary`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AccountSummary {
    /// `condition`. One of `enabled`, `disabled`, `deleted`.
    pub condition: String,
    /// `created_at`.
    pub created_at: String,
    /// `id`.
    pub id: String,
    /// `language`.
    pub language: Option<String>,
    /// `version`.
    pub version: i64,
}

/// What the description calls `Api`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Api {
    /// `algorithm`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// `belongs_to`. One of `instance`, `organization`.
    pub belongs_to: String,
    /// What a request that names this API and no scope asks for.
    pub default_scope: String,
    /// `detail_types`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail_types: Option<BTreeMap<String, serde_json::Map<String, Value>>>,
    /// `id`.
    pub id: String,
    /// The URI it is known by: the resource of a request, the aud of its tokens.
    pub identifier: String,
    /// `name`.
    pub name: String,
    /// The types of objects it keeps relationships of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_types: Option<BTreeMap<String, ObjectType>>,
    /// Whether every organization may use it.
    pub offered_to_all: bool,
    /// `permissions`.
    pub permissions: Vec<PermissionText>,
    /// `token_lifetime_seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_lifetime_seconds: Option<i64>,
    /// `unverified_clients`. One of `allow`, `irreversible_refused`, `refuse`.
    pub unverified_clients: String,
    /// How often it has changed; also its ETag.
    pub version: i64,
}

/// What the description calls `ApiKey`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApiKey {
    /// `created_at`.
    pub created_at: String,
    /// `expires_at`.
    pub expires_at: String,
    /// `id`.
    pub id: String,
    /// Whose it is.
    pub membership: String,
    /// `name`.
    pub name: String,
    /// `revoked_at`.
    pub revoked_at: Option<String>,
    /// The most it may be used for, in permissions.
    pub scope: String,
    /// When it was last used, to the minute.
    pub used_at: Option<String>,
}

/// What the description calls `ApiOffers`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApiOffers {
    /// `items`.
    pub items: Vec<ApiOffersItems>,
}

/// What the description calls `ApiOffersItems`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ApiOffersItems {
    /// `organization`.
    pub organization: String,
}

/// What the description calls `ApiPatch`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ApiPatch {
    /// `algorithm`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<Option<String>>,
    /// `default_scope`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default_scope: Option<Option<String>>,
    /// `detail_types`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail_types: Option<Option<BTreeMap<String, serde_json::Map<String, Value>>>>,
    /// `identifier`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub identifier: Option<String>,
    /// `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `object_types`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub object_types: Option<Option<BTreeMap<String, serde_json::Map<String, Value>>>>,
    /// `offered_to_all`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offered_to_all: Option<Option<bool>>,
    /// `permissions`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<PermissionText>>,
    /// `token_lifetime_seconds`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token_lifetime_seconds: Option<Option<i64>>,
    /// `unverified_clients`. One of `allow`, `irreversible_refused`, `refuse`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unverified_clients: Option<Option<String>>,
}

/// What the description calls `Assignment`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// `allows`. One of `administer`, `impersonate`.
    pub allows: String,
    /// `created_at`.
    pub created_at: String,
    /// When it was ended before its time.
    pub ended_at: Option<String>,
    /// `ends_at`.
    pub ends_at: String,
    /// The operator, by their membership.
    pub holder: String,
    /// `id`.
    pub id: String,
    /// Who made it, by kind and id.
    pub made_by: String,
    /// `organization`.
    pub organization: String,
    /// `reason`.
    pub reason: String,
}

/// What the description calls `AuditEntry`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Who did it.
    pub actor: AuditEntryActor,
    /// `at`.
    pub at: String,
    /// Facts about it.
    pub detail: serde_json::Map<String, Value>,
    /// `id`.
    pub id: String,
    /// What happened.
    pub kind: String,
    /// Why, where a stranger acted by assignment.
    pub reason: String,
    /// What it was done to.
    pub subject: Option<AuditEntrySubject>,
}

/// Who did it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AuditEntryActor {
    /// `id`.
    pub id: Option<String>,
    /// `kind`.
    pub kind: String,
}

/// What it was done to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AuditEntrySubject {
    /// `id`.
    pub id: Option<String>,
    /// `kind`.
    pub kind: String,
}

/// What the description calls `CarriedRole`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CarriedRole {
    /// `id`.
    pub id: String,
    /// `name`.
    pub name: String,
}

/// What the description calls `Client`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Client {
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
