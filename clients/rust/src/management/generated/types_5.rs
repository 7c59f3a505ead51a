//! Made by `clients/generate.mjs` of what the server says about itself. Not for editing.

use super::CarriedRole;
use serde::{Deserialize, Serialize};

/// What the description calls `Impersonation`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Impersonation {
    /// The application in whose name the token is issued; it must serve the organization.
    pub client: String,
    /// The API it is for; left out, the one that defines the permissions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resource: Option<String>,
    /// What for. Nothing that administers.
    pub scope: String,
}

/// What the description calls `ImpersonationToken`.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ImpersonationToken {
    /// It speaks for the person, names the operator in act, and ends with the assignment.
    pub access_token: String,
    /// `expires_in`.
    pub expires_in: i64,
    /// `scope`.
    pub scope: String,
    /// `token_type`. One of `Bearer`.
    pub token_type: String,
}

/// What the description calls `InstanceSettings`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct InstanceSettings {
    /// `instance`.
    pub instance: String,
    /// Where people are led, where it is elsewhere.
    pub interaction_url: Option<String>,
    /// `issuer`.
    pub issuer: String,
    /// `mode`. One of `development`, `production`.
    pub mode: String,
    /// The domain that passkeys are bound to.
    pub passkeys_for: String,
    /// Whether the hosted screens are served.
    pub screens: bool,
    /// `sign_up`. One of `open`, `invited`.
    pub sign_up: String,
    /// Of the program that answers.
    pub version: String,
}

/// What the description calls `Invitation`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Invitation {
    /// `accepted_at`.
    pub accepted_at: Option<String>,
    /// The address it was sent to, in the spelling addresses are compared in.
    pub email: String,
    /// `expires_at`.
    pub expires_at: String,
    /// `id`.
    pub id: String,
    /// The place among the members that waits for whoever accepts it.
    pub membership: String,
    /// `revoked_at`.
    pub revoked_at: Option<String>,
}

/// What the description calls `IssuedApiKey`.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct IssuedApiKey {
    /// `expires_at`.
    pub expires_at: String,
    /// `id`.
    pub id: String,
    /// `membership`.
    pub membership: String,
    /// `name`.
    pub name: String,
    /// `scope`.
    pub scope: String,
    /// The key itself. It is shown this once and never again.
    pub secret: String,
}

/// What the description calls `IssuedClientSecret`.
#[derive(Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct IssuedClientSecret {
    /// The secret itself. It is shown this once and never again.
    pub client_secret: String,
    /// `id`.
    pub id: String,
    /// When the earlier secrets stop working.
    pub others_expire_at: String,
}

/// What the description calls `KeyRotation`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct KeyRotation {
    /// `algorithm`. One of `RS256`, `PS256`, `ES256`, `EdDSA`.
    pub algorithm: String,
}

/// What the description calls `Logo`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Logo {
    /// How many bytes it has.
    pub bytes: i64,
    /// `changed_at`.
    pub changed_at: String,
    /// `media_type`. One of `image/png`, `image/jpeg`, `image/webp`, `image/svg+xml`.
    pub media_type: String,
}

/// What the description calls `ManagedAccount`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManagedAccount {
    /// `condition`. One of `enabled`, `disabled`, `deleted`.
    pub condition: String,
    /// `contacts`.
    pub contacts: Vec<ManagedAccountContacts>,
    /// `created_at`.
    pub created_at: String,
    /// `id`.
    pub id: String,
    /// `language`.
    pub language: Option<String>,
    /// `memberships`.
    pub memberships: Vec<ManagedAccountMemberships>,
    /// In how many places they are signed in.
    pub sessions: i64,
    /// What the person can prove who they are with now; never a secret.
    pub signs_in_with: Vec<String>,
    /// `version`.
    pub version: i64,
}

/// What the description calls `ManagedAccountContacts`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManagedAccountContacts {
    /// `address`.
    pub address: String,
    /// `id`.
    pub id: String,
    /// `is_primary`.
    pub is_primary: bool,
    /// `is_verified`.
    pub is_verified: bool,
    /// `kind`. One of `email`, `phone`.
    pub kind: String,
}

/// What the description calls `ManagedAccountMemberships`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ManagedAccountMemberships {
    /// `condition`. One of `enabled`, `disabled`, `deleted`.
    pub condition: String,
    /// `id`.
    pub id: String,
    /// `organization`.
    pub organization: String,
}

/// What the description calls `Member`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// The client, where the member is a machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// `condition`. One of `enabled`, `suspended`, `ended`.
    pub condition: String,
    /// `created_at`.
    pub created_at: String,
    /// The name a provisioning system knows it by.
    pub external_id: Option<String>,
    /// The sub of a person's tokens here.
    pub id: String,
    /// Unclaimed: the place waits for the person it was meant for. One of `person`, `machine`, `unclaimed`.
    pub kind: String,
    /// `profile`.
    pub profile: MemberProfile,
    /// `roles`.
    pub roles: Vec<CarriedRole>,
    /// How often it has changed; also its ETag.
    pub version: i64,
}

/// What the description calls `MemberPatch`.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MemberPatch {
    /// `profile`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<MemberProfilePatch>,
}

/// What the organization knows about the member, seen by it alone.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemberProfile {
    /// `department`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub department: Option<String>,
    /// The address the organization reaches them at. Applications are told of it while a domain that the
    /// organization proved vouches for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// `employee_number`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub employee_number: Option<String>,
    /// `family_name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub family_name: Option<String>,
    /// `given_name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_name: Option<String>,
    /// `name`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `title`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// What is named changes, what is null is forgotten, the rest stays.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MemberProfilePatch {
    /// `department`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub department: Option<Option<String>>,
    /// `email`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<Option<String>>,
    /// `employee_number`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub employee_number: Option<Option<String>>,
    /// `family_name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub family_name: Option<Option<String>>,
    /// `given_name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given_name: Option<Option<String>>,
    /// `name`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<Option<String>>,
    /// `title`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<Option<String>>,
}

/// What the description calls `MemberRoles`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MemberRoles {
    /// The ids of all roles the member carries from now on.
    pub roles: Vec<String>,
}
