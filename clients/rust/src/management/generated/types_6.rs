//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use super::{ClientMetadata, ObjectType, PermissionText};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;

/// What the description calls `Message`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// `attempts`.
    pub attempts: i64,
    /// `channel`. One of `mail`, `sms`.
    pub channel: String,
    /// `created_at`.
    pub created_at: String,
    /// After this it is worth nothing and is not sent; a while later it is forgotten.
    pub expires_at: String,
    /// `given_up_at`.
    pub given_up_at: Option<String>,
    /// Also the beginning of the Message-ID of a mail, at every attempt the same.
    pub id: String,
    /// What it is about.
    pub kind: String,
    /// What was wrong at the last attempt that failed.
    pub last_problem: Option<String>,
    /// `next_attempt_at`.
    pub next_attempt_at: Option<String>,
    /// `sent_at`.
    pub sent_at: Option<String>,
    /// Sent means that the mail server or the gateway took it. One of `waiting`, `sent`, `given_up`,
    /// `expired`.
    pub state: String,
}

/// What the description calls `NewApi`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewApi {
    /// `algorithm`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub algorithm: Option<String>,
    /// Scopes separated by spaces; permissions among them are its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub default_scope: Option<String>,
    /// Types of RFC 9396 details it understands, each with its JSON Schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail_types: Option<BTreeMap<String, serde_json::Map<String, Value>>>,
    /// An absolute https, http or urn URI without a fragment.
    pub identifier: String,
    /// `name`.
    pub name: String,
    /// The types of objects it keeps relationships of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub object_types: Option<BTreeMap<String, ObjectType>>,
    /// Whether every organization may use it; only for an API of the instance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offered_to_all: Option<bool>,
    /// `permissions`.
    pub permissions: Vec<PermissionText>,
    /// `token_lifetime_seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub token_lifetime_seconds: Option<i64>,
    /// What clients that nobody vouches for may ask of it. One of `allow`, `irreversible_refused`, `refuse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverified_clients: Option<String>,
}

/// What the description calls `NewApiKey`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewApiKey {
    /// How long it works; at most 365 days, 90 days unless said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifetime_seconds: Option<i64>,
    /// Whose it will be.
    pub membership: String,
    /// What its owner calls it.
    pub name: String,
    /// The most it may be used for: permissions, separated by spaces. Its holder and whoever issues it must
    /// hold all of them.
    pub scope: String,
}

/// What the description calls `NewAssignment`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewAssignment {
    /// Within 30 days.
    pub ends_at: String,
    /// The operator, by their membership; never oneself.
    pub holder: String,
    /// Whom the operator may act as; left out, they may act inside the organization.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// The id or the slug of the organization.
    pub organization: String,
    /// Why, in words that the organization reads in its trail.
    pub reason: String,
}

/// What the description calls `NewClient`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewClient {
    /// A name an operator chooses, which does not look like a UUID; left out, one is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// `kind`. One of `application`, `service`, `agent`.
    pub kind: String,
    /// `metadata`.
    pub metadata: ClientMetadata,
    /// The member who answers for an agent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// What it is for; an agent says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub purpose: Option<String>,
    /// The ids of the roles it carries in its organization, where it acts for itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
    /// Whether an operator vouches for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
}

/// What the description calls `NewClientSecret`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewClientSecret {
    /// How long the earlier secrets keep working, so that the client can change over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overlap_seconds: Option<i64>,
}

/// What the description calls `NewConnection`.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct NewConnection {
    /// How this service proves to the provider who it is: with its secret, or with a signature that its
    /// published keys verify. One of `client_secret`, `private_key`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub authentication: Option<String>,
    /// The name by which the provider knows this service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// What the provider gave. It is never shown again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_secret: Option<String>,
    /// The domains of the organization whose addresses lead to this provider, once they are proven.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub domains: Option<Vec<String>>,
    /// Whether people are sent there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enabled: Option<bool>,
    /// The claim that equals the external id of a membership that was provisioned, at the one provider that
    /// names the people of the organization's directory; null at any other.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external_id_claim: Option<String>,
    /// Who the provider is, exactly as it writes it; for SAML its entity ID. It cannot be changed later.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub issuer: Option<String>,
    /// What a provider that speaks SAML says about itself, as XML: who it is, where people are sent, and
    /// what it signs with are taken from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub metadata: Option<String>,
    /// What people read on the button.
    pub name: String,
    /// What is chosen about a provider that speaks SAML 2.0. Where it is there, the provider does.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub saml: Option<NewConnectionSaml>,
    /// `scopes`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// What the provider says that is taken for two factors. Everything else is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub two_factors: Option<NewConnectionTwoFactors>,
}

/// What is chosen about a provider that speaks SAML 2.0. Where it is there, the provider does.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewConnectionSaml {
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

/// What the provider says that is taken for two factors. Everything else is one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewConnectionTwoFactors {
    /// `acr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub acr: Option<Vec<String>>,
    /// `amr`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amr: Option<Vec<String>>,
}

/// What the description calls `NewDomain`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewDomain {
    /// The domain, in its own script or as A-labels. One that everybody can have names or addresses in is
    /// refused.
    pub domain: String,
}

/// Either `roles` for a new place among the members, or a `member` whose place waits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewInvitation {
    /// The one address it is sent to and works for.
    pub email: String,
    /// Left out, the organization's. One of `en`, `pt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// `lifetime_seconds`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lifetime_seconds: Option<i64>,
    /// A member that a directory made and nobody has claimed: it becomes theirs, with the roles it carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// The ids of the roles they will carry. Nobody gives a role whose contents they do not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roles: Option<Vec<String>>,
}

/// What the description calls `NewLogo`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewLogo {
    /// A PNG, JPEG, WebP or SVG picture of at most 40,960 bytes, in base64 (RFC 4648 section 4). An SVG
    /// holds no script and loads nothing.
    pub data: String,
}
