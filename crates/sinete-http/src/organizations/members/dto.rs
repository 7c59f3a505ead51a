//! Members, as requested and returned.

use crate::management_api::pagination::ResourceView;
use crate::organizations::organization::handlers::condition_name;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use sinete_core::accounts::profile_text::ProfileText;
use sinete_core::client_id::ClientId;
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::limits::MEMBER_SEARCH_CHARACTERS_MAX;
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_core::refusal::Refusal;
use sinete_core::validation::ValidationErrors;
use sinete_engine::Failure;
use sinete_engine::organizations::member_search::FoundMember;
use sinete_engine::organizations::members::{MemberWithRoles, MembershipHolder};
use sinete_server::reply::HandlerError;
use sinete_server::reply::json::JsonTimestamp;
use sinete_server::route::QueryParameter;
use sinete_server::schema::NamedSchema;

/// A member, as returned. It does not contain the account.
#[derive(Serialize, JsonSchema)]
struct MemberView<'a> {
    /// The id of the membership, which is `sub` in the tokens of a user in this organization.
    id: MembershipId,
    /// `unclaimed`: no user has taken over the membership yet.
    #[schemars(extend("enum" = ["person", "machine", "unclaimed"]))]
    kind: &'static str,
    /// The client, if the member is a service or an agent.
    #[schemars(with = "Option<String>")]
    #[serde(skip_serializing_if = "Option::is_none")]
    client_id: Option<&'a ClientId>,
    #[schemars(extend("enum" = ["enabled", "suspended", "ended"]))]
    condition: &'static str,
    roles: Vec<MemberRoleView<'a>>,
    #[schemars(with = "MemberProfile")]
    profile: Map<String, Value>,
    /// The id of the member in the organization's directory (SCIM `externalId`).
    external_id: Option<&'a str>,
    created_at: JsonTimestamp,
    /// The version, which is also the `ETag`.
    version: i64,
}

#[derive(Serialize, JsonSchema)]
#[schemars(rename = "CarriedRole")]
struct MemberRoleView<'a> {
    id: RoleId,
    name: &'a str,
}

impl ResourceView for MemberWithRoles {
    fn cursor(&self) -> String {
        self.membership.id.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        let membership = &self.membership;
        let (kind, client_id) = match &membership.holder {
            MembershipHolder::User(_) => ("person", None),
            MembershipHolder::Machine(client) => ("machine", Some(client)),
            MembershipHolder::Unclaimed => ("unclaimed", None),
        };
        Ok(MemberView {
            id: membership.id,
            kind,
            client_id,
            condition: condition_name(membership.condition),
            roles: self.roles.iter().map(|it| MemberRoleView { id: it.id, name: it.role.name() }).collect(),
            profile: membership.profile.parse().map_err(Failure::from)?,
            external_id: membership.external_id.as_deref(),
            created_at: JsonTimestamp(membership.created_at),
            version: membership.version,
        })
    }
}

impl ResourceView for FoundMember {
    fn cursor(&self) -> String {
        self.position.to_string()
    }

    fn to_view(&self) -> Result<impl Serialize, HandlerError> {
        self.member.to_view()
    }
}

/// The query of the search.
pub(crate) const QUERY: &[QueryParameter] = &[QueryParameter {
    name: "search",
    description: "Only members with, for each of these words, a word that begins with it: in their name, in the e-mail address \
                  that the organization has of them, in the `client_id` of a service or agent or, with `clients:read`, in its name; or \
                  the member whose id or `external_id` this is. At most eight words. The results are in the order of the words that \
                  were found. A page may be short or empty and continue at `next`, because the work for one page is limited.",
    is_required: false,
    schema: || json!({"type": "string", "minLength": 1, "maxLength": MEMBER_SEARCH_CHARACTERS_MAX}),
}];

/// The editable properties of a member.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemberPatch {
    #[schemars(with = "MemberProfile")]
    #[serde(default)]
    profile: Map<String, Value>,
}

impl MemberPatch {
    pub(crate) fn from_member(member: &MemberWithRoles) -> Result<Self, HandlerError> {
        Ok(Self { profile: member.membership.profile.parse().map_err(Failure::from)? })
    }

    pub(crate) fn into_profile(self) -> Result<MemberProfile, HandlerError> {
        let mut errors = ValidationErrors::default();
        for (name, value) in &self.profile {
            let text = value.as_str().map(str::to_owned);
            if let Some(Err(profile_text)) = text.map(ProfileText::try_from) {
                errors.add(format!("/profile/{name}"), profile_text.to_string());
            }
        }
        let profile = MemberProfile::deserialize(Value::Object(self.profile));
        match profile {
            Ok(profile) => Ok(profile),
            Err(_) => {
                if errors.is_empty() {
                    errors.add(
                        "/profile",
                        "is not a valid profile; compare it with the schema in /openapi.json",
                    );
                }
                Err(Refusal::from_validation_errors(errors).into())
            }
        }
    }
}

/// The roles to set.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemberRolesInput {
    /// The ids of all roles of the member, which replace the current ones.
    #[schemars(with = "Vec<RoleId>", length(min = 1, max = 50), extend("uniqueItems" = true))]
    roles: Vec<String>,
}

impl MemberRolesInput {
    pub(crate) fn into_roles(self) -> Result<Vec<RoleId>, HandlerError> {
        let mut errors = ValidationErrors::default();
        let read = |(index, text): (usize, &String)| errors.parse_text(format!("/roles/{index}"), text);
        let roles = self.roles.iter().enumerate().filter_map(read).collect();
        if errors.is_empty() { Ok(roles) } else { Err(Refusal::from_validation_errors(errors).into()) }
    }
}

pub(crate) const SCHEMAS: &[&NamedSchema] =
    &[&MEMBER, &PROFILE, &PROFILE_PATCH, &MEMBER_PATCH, &MEMBER_ROLES];

/// The schema of the resource.
pub(crate) const MEMBER: NamedSchema = NamedSchema::response::<MemberView<'_>>("Member").with_example(
    r#"{
        "id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6073", "kind": "person", "condition": "enabled",
        "roles": [{"id": "01936f5e-7c2a-7def-8a1b-2c3d4e5f6072", "name": "owner"}],
        "profile": {"name": "Ana Souza"}, "external_id": null, "created_at": "2026-11-15T02:52:03.000042Z",
        "version": 1
    }"#,
);

/// The schema of a profile.
const PROFILE: NamedSchema = NamedSchema::response::<MemberProfile>("MemberProfile").with_description(
    "The profile that the organization has of the member. Other organizations do not see it.",
);

const PROFILE_PATCH: NamedSchema = NamedSchema::merge_patch::<MemberProfile>("MemberProfilePatch")
    .or_null()
    .with_description(
        "A JSON merge patch: members that are present are set, null deletes a member, and absent members keep \
         their values.",
    );

/// The schema for changing a member.
pub(crate) const MEMBER_PATCH: NamedSchema = NamedSchema::merge_patch::<MemberPatch>("MemberPatch")
    .with_example(r#"{"profile": {"title": "Contadora", "department": null}}"#);

/// The schema for changing roles.
pub(crate) const MEMBER_ROLES: NamedSchema = NamedSchema::request::<MemberRolesInput>("MemberRoles")
    .with_example(r#"{"roles": ["01936f5e-7c2a-7def-8a1b-2c3d4e5f6072"]}"#);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn member_schemas_cover_every_field() {
        let text = || ProfileText::try_from("x".to_owned()).ok();
        // Every field is listed, so that a new one is not forgotten in the schemas.
        let profile = MemberProfile {
            name: text(),
            given_name: text(),
            family_name: text(),
            title: text(),
            department: text(),
            employee_number: text(),
            email: "ana@acme.example".parse().ok(),
        };
        let text = serde_json::to_value(&profile).unwrap();
        for schema in [&PROFILE, &PROFILE_PATCH] {
            assert!(
                crate::schema::SCHEMA_REGISTRY.check(schema, &text).is_empty(),
                "{:?}",
                crate::schema::SCHEMA_REGISTRY.check(schema, &text)
            );
        }
    }
}
