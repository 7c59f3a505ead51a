//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the description calls `NewOrganization`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewOrganization {
    /// Left out, the slug.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `settings`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub settings: Option<OrganizationSettings>,
    /// Lower-case letters, digits and inner hyphens; it may not look like an id.
    pub slug: String,
}

/// What the description calls `NewRole`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewRole {
    /// `description`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Lower-case letters, digits, - and _; unique in the organization.
    pub name: String,
    /// Permissions of ours and of APIs offered to the organization. Nobody gives a role what they do not
    /// hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub permissions: Option<Vec<String>>,
}

/// What the description calls `NewWebhook`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NewWebhook {
    /// Where events are posted to: https, without credentials.
    pub address: String,
    /// `description`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The kinds of events it is told of; left out or empty, all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kinds: Option<Vec<String>>,
}

/// What the description calls `ObjectAction`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectAction {
    /// The relations that confer it: any one of them does.
    pub relations: Vec<String>,
    /// The permission of the API that a token must carry for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
}

/// What the description calls `ObjectRelation`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectRelation {
    /// Relations to the same object: whoever stands in one of them stands in this one too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub includes: Option<Vec<String>>,
    /// Who may stand in it directly: member, client, role, the relation of a type such as team#member; or
    /// types of objects alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subjects: Option<Vec<String>>,
    /// Relations to other objects: whoever stands in one of them stands in this one too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub through: Option<Vec<ObjectThrough>>,
}

/// What the description calls `ObjectThrough`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectThrough {
    /// The relation to those.
    pub holders_of: String,
    /// The relation of this type that leads to the other objects.
    pub relation: String,
}

/// What the description calls `ObjectType`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ObjectType {
    /// What can be done with one of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actions: Option<BTreeMap<String, ObjectAction>>,
    /// The relations that somebody, or another object, can stand in to one of them.
    pub relations: BTreeMap<String, ObjectRelation>,
}

/// What the description calls `Organization`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Organization {
    /// A suspended organization confers nothing and accepts no change; its members still see it. One of
    /// `enabled`, `suspended`, `ended`.
    pub condition: String,
    /// Why it was suspended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub condition_reason: Option<String>,
    /// When it ends, if somebody asked for its deletion.
    pub ends_at: Option<String>,
    /// `id`.
    pub id: String,
    /// A tenant, the operators' own organization, or the home of people whom nobody invited. One of
    /// `customer`, `operator`, `home`.
    pub kind: String,
    /// Its name, as people read it.
    pub name: String,
    /// `settings`.
    pub settings: OrganizationSettings,
    /// Its short name in addresses, unique and never reused.
    pub slug: String,
    /// How often it has changed; also its ETag.
    pub version: i64,
}

/// What the description calls `OrganizationPatch`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OrganizationPatch {
    /// `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `settings`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<OrganizationSettingsPatch>,
}

/// What the organization decides for itself. What is left out has its default.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrganizationSettings {
    /// The credentials its members may sign in with; left out, every kind.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed_credentials: Option<Vec<String>>,
    /// How the hosted screens look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branding: Option<OrganizationSettingsBranding>,
    /// `delegation`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delegation: Option<OrganizationSettingsDelegation>,
    /// The language in which people are written to whose own is not known. One of `en`, `pt`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The least assurance a token of this organization is issued at. One of `aal1`, `aal2`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least_assurance: Option<String>,
    /// The ways of getting a token that are switched off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_grants: Option<Vec<String>>,
    /// Whether its members must have signed in at a provider of its own. One of `optional`, `required`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub single_sign_on: Option<String>,
    /// Whether clients that nobody vouches for may ask its members for access. One of `allow`, `refuse`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unverified_clients: Option<String>,
}

/// How the hosted screens look.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrganizationSettingsBranding {
    /// A colour on which white text can be read, such as #1a5fb4.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accent: Option<String>,
    /// A light colour behind everything, such as #eef2ff. The dark scheme keeps its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub background: Option<String>,
    /// `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// What the description calls `OrganizationSettingsDelegation`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct OrganizationSettingsDelegation {
    /// Whether its own agents may act for its members through token exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub own_agents: Option<bool>,
}

/// What is named changes, what is null goes back to its default, the rest stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OrganizationSettingsPatch {
    /// `allowed_credentials`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed_credentials: Option<Option<Vec<String>>>,
    /// `branding`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branding: Option<Option<OrganizationSettingsPatchBranding>>,
    /// `delegation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub delegation: Option<Option<OrganizationSettingsPatchDelegation>>,
    /// `language`. One of `en`, `pt`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<Option<String>>,
    /// `least_assurance`. One of `aal1`, `aal2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_assurance: Option<Option<String>>,
    /// `refused_grants`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused_grants: Option<Option<Vec<String>>>,
    /// `single_sign_on`. One of `optional`, `required`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub single_sign_on: Option<Option<String>>,
    /// `unverified_clients`. One of `allow`, `refuse`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unverified_clients: Option<Option<String>>,
}

/// What the description calls `OrganizationSettingsPatchBranding`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OrganizationSettingsPatchBranding {
    /// `accent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accent: Option<Option<String>>,
    /// `background`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<Option<String>>,
    /// `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Option<String>>,
}

/// What the description calls `OrganizationSettingsPatchDelegation`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct OrganizationSettingsPatchDelegation {
    /// `own_agents`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub own_agents: Option<Option<bool>>,
}

/// What the description calls `Permission`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Permission {
    /// What it allows, in English.
    pub english: String,
    /// Whether what it allows cannot be taken back.
    pub irreversible: bool,
    /// How it is written in roles, scopes and tokens.
    pub permission: String,
    /// What it allows, in Portuguese.
    pub portuguese: String,
    /// Where it counts: inside one organization, over the instance, or only by an assignment with a reason
    /// and an end. One of `organization`, `instance`, `assignment`.
    pub reach: String,
}

/// What the description calls `PermissionCatalogue`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PermissionCatalogue {
    /// `items`.
    pub items: Vec<Permission>,
}
