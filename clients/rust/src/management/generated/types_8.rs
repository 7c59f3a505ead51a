//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use super::{CarriedRole, ClientMetadata, Webhook};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What the description calls `PermissionText`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PermissionText {
    /// What it allows, in English.
    pub english: String,
    /// Whether what it allows cannot be taken back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub irreversible: Option<bool>,
    /// resource:action, never a wildcard.
    pub permission: String,
    /// What it allows, in Portuguese; left out, the English words stand in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub portuguese: Option<String>,
}

/// What the description calls `ProtectedResource`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProtectedResource {
    /// Where clients look for the document.
    pub address: Option<String>,
    /// What the API answers in WWW-Authenticate to whoever shows no token.
    pub challenge: String,
    /// What the API publishes (RFC 9728).
    pub document: serde_json::Map<String, Value>,
}

/// What the description calls `Reason`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Why, in words that the organization will read in its trail.
    pub reason: String,
}

/// What the description calls `RelatedObject`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RelatedObject {
    /// Its id among those: printable ASCII without a space.
    pub id: String,
    /// A type of objects of the API.
    pub r#type: String,
}

/// What the description calls `RelatedSubject`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RelatedSubject {
    /// The id of the member, client, role or object.
    pub id: String,
    /// For everybody who stands in a relation to an object: which.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relation: Option<String>,
    /// member, client, role, or a type of objects of the API.
    pub r#type: String,
}

/// What the description calls `Relationship`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Relationship {
    /// `created_at`.
    pub created_at: String,
    /// `id`.
    pub id: String,
    /// `object`.
    pub object: RelatedObject,
    /// `relation`.
    pub relation: String,
    /// `subject`.
    pub subject: RelatedSubject,
}

/// What the description calls `RelationshipChange`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RelationshipChange {
    /// `change`. One of `add`, `remove`.
    pub change: String,
    /// `object`.
    pub object: RelatedObject,
    /// `relation`.
    pub relation: String,
    /// `subject`.
    pub subject: RelatedSubject,
}

/// What the description calls `RelationshipChanges`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RelationshipChanges {
    /// All of them happen, or none.
    pub changes: Vec<RelationshipChange>,
    /// What must be there or not for any of it to happen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub only_if: Option<Vec<RelationshipCondition>>,
}

/// What the description calls `RelationshipCondition`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RelationshipCondition {
    /// `is`. One of `there`, `absent`.
    pub is: String,
    /// `object`.
    pub object: RelatedObject,
    /// `relation`.
    pub relation: String,
    /// `subject`.
    pub subject: RelatedSubject,
}

/// What the description calls `RelationshipsChanged`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RelationshipsChanged {
    /// How many were not there before.
    pub added: i64,
    /// How many are not there any more.
    pub removed: i64,
}

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
