//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What the description calls `ConnectionPatch`.
#[derive(Clone, Default, PartialEq, Serialize)]
pub struct ConnectionPatch {
    /// `authentication`. One of `client_secret`, `private_key`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub authentication: Option<String>,
    /// `client_id`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// Left out, the one there is stays.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// `domains`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domains: Option<Vec<String>>,
    /// `enabled`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// `external_id_claim`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<Option<String>>,
    /// What a provider that speaks SAML says about itself, as XML: who it is, where people are sent, and
    /// what it signs with are taken from there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What is chosen about a provider that speaks SAML 2.0. Where it is there, the provider does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saml: Option<ConnectionPatchSaml>,
    /// `scopes`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// `two_factors`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub two_factors: Option<ConnectionPatchTwoFactors>,
}

/// What is chosen about a provider that speaks SAML 2.0. Where it is there, the provider does.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ConnectionPatchSaml {
    /// The certificates whose keys verify what the provider signs, in PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub certificates: Option<Vec<String>>,
    /// Authentication contexts that are asked for; any, where there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Vec<String>>,
    /// The attribute that holds the address, which people must not be able to change there, or NameID.
    /// Without one nobody joins on the fly.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<Option<String>>,
    /// `family_name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family_name: Option<Option<String>>,
    /// `full_name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub full_name: Option<Option<String>>,
    /// `given_name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_name: Option<Option<String>>,
    /// Where people are sent to sign in, by HTTP-Redirect.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sso_url: Option<String>,
    /// What somebody is known by: NameID, where it is a persistent one, or the name of an attribute that
    /// stays theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// What the description calls `ConnectionPatchTwoFactors`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ConnectionPatchTwoFactors {
    /// `acr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acr: Option<Option<Vec<String>>>,
    /// `amr`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub amr: Option<Option<Vec<String>>>,
}

/// What the description calls `ConnectionSaml`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConnectionSaml {
    /// The certificates whose keys verify what the provider signs, in PEM.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub certificates: Option<Vec<String>>,
    /// Authentication contexts that are asked for; any, where there are none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Vec<String>>,
    /// The attribute that holds the address, which people must not be able to change there, or NameID.
    /// Without one nobody joins on the fly.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// `family_name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family_name: Option<String>,
    /// `full_name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub full_name: Option<String>,
    /// `given_name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_name: Option<String>,
    /// Where people are sent to sign in, by HTTP-Redirect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sso_url: Option<String>,
    /// What somebody is known by: NameID, where it is a persistent one, or the name of an attribute that
    /// stays theirs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// What the description calls `ConnectionTrial`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConnectionTrial {
    /// `checks`.
    pub checks: Vec<ConnectionTrialChecks>,
    /// `works`.
    pub works: bool,
}

/// What the description calls `ConnectionTrialChecks`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConnectionTrialChecks {
    /// `check`. One of `description`, `keys`, `credentials`, `certificates`.
    pub check: String,
    /// What is wrong with it, in plain words.
    pub wrong: Option<String>,
}

/// What the description calls `ConnectionTwoFactors`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ConnectionTwoFactors {
    /// `acr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acr: Option<Vec<String>>,
    /// `amr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amr: Option<Vec<String>>,
}

/// What the description calls `Domain`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Domain {
    /// When the record was last seen.
    pub confirmed_at: Option<String>,
    /// `created_at`.
    pub created_at: String,
    /// The domain as A-labels, which is also its id.
    pub domain: String,
    /// `missing_since`.
    pub missing_since: Option<String>,
    /// The domain in its own script.
    pub name: String,
    /// What to publish in the DNS, and to leave there.
    pub record: DomainRecord,
    /// Missing means that it counts, and will be lost unless its record comes back. One of `waiting`,
    /// `verified`, `missing`.
    pub state: String,
    /// `verified_at`.
    pub verified_at: Option<String>,
}

/// What to publish in the DNS, and to leave there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct DomainRecord {
    /// `name`.
    pub name: String,
    /// `type`. One of `TXT`.
    pub r#type: String,
    /// `value`.
    pub value: String,
}

/// What the description calls `Event`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Event {
    /// `actor`.
    pub actor: EventActor,
    /// Where the request came from, unless that was erased.
    pub address: Option<String>,
    /// `at`.
    pub at: String,
    /// Through which client it was done.
    pub client: Option<String>,
    /// Facts about it.
    pub detail: serde_json::Map<String, Value>,
    /// `id`.
    pub id: String,
    /// What happened.
    pub kind: String,
    /// `organization`.
    pub organization: Option<String>,
    /// `request`.
    pub request: Option<String>,
    /// `subject`.
    pub subject: Option<EventSubject>,
    /// `user_agent`.
    pub user_agent: Option<String>,
}

/// What the description calls `EventActor`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventActor {
    /// `id`.
    pub id: Option<String>,
    /// `kind`.
    pub kind: String,
}

/// What the description calls `EventSubject`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EventSubject {
    /// `id`.
    pub id: Option<String>,
    /// `kind`.
    pub kind: String,
}

/// What the description calls `Grant`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grant {
    /// Who got it.
    pub client: String,
    /// `created_at`.
    pub created_at: String,
    /// `ends_with_session`.
    pub ends_with_session: bool,
    /// `expires_at`.
    pub expires_at: String,
    /// `id`.
    pub id: String,
    /// How it was given. One of `code`, `device`, `backchannel`.
    pub kind: String,
    /// Who gave it.
    pub membership: String,
    /// `revoked_at`.
    pub revoked_at: Option<String>,
    /// What was agreed to, by the API it is for. What is held is decided at each use.
    pub scopes: BTreeMap<String, String>,
}
