//! Loads groups, converts users and groups to SCIM resources, and compares their versions (RFC 7644 §3.14).

use super::{ScimResource, resource_url};
use crate::organizations::precondition_failed;
use crate::{Engine, Error};
use serde_json::{Map, Value, json};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::{MembershipId, OrganizationId, RoleId};
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_core::refusal::Refusal;
use sinete_core::scim::ScimResourceType;
use sinete_core::scim::users::ScimUser;
use sinete_core::secret::Digest;
use sinete_store::organizations::roles;
use sinete_store::organizations::roles::RoleRow;
use sinete_store::scim::groups;
use sinete_store::scim::groups::ScimGroupRow;
use sinete_store::scim::users::ScimUserRow;

/// A role with its SCIM attributes.
#[derive(Clone, Debug)]
pub(super) struct ProvisionedGroup {
    pub(super) role: RoleRow,
    pub(super) scim_group: ScimGroupRow,
}

impl ProvisionedGroup {
    /// The display name.
    pub(super) fn display_name(&self) -> &str {
        self.scim_group.display_name.as_deref().unwrap_or_else(|| self.role.role.name())
    }
}

/// Lists all groups of the organization, oldest first.
pub(super) async fn list_groups(
    engine: &Engine,
    organization: OrganizationId,
) -> Result<Vec<ProvisionedGroup>, Error> {
    let stored = roles::list_roles(engine.store(), organization).await?;
    let groups = groups::list_scim_groups(engine.store(), organization).await?;
    let with = |group: ScimGroupRow| {
        let stored = stored.iter().find(|role| role.id == group.role)?.clone();
        Some(ProvisionedGroup { role: stored, scim_group: group })
    };
    // A group created between the two reads is included next time.
    Ok(groups.into_iter().filter_map(with).collect())
}

/// Reads the SCIM attributes of a user.
pub(super) fn to_user_record(user: &ScimUserRow) -> Result<ScimUser, Error> {
    let membership = &user.membership;
    let rest = user.attributes.as_ref().map(|it| it.parse::<Map<String, Value>>()).transpose()?;
    let mut rest = rest.unwrap_or_default();
    let is_enabled = membership.condition == LifecycleCondition::Enabled;
    // A user that is enabled elsewhere is active again, whatever a directory removed.
    let active = (is_enabled || !ScimUser::take_removed_active(&mut rest)).then_some(is_enabled);
    ScimUser::take_removed_active(&mut rest);
    Ok(ScimUser {
        // A user that no directory named has its id as `userName`.
        user_name: user.user_name.clone().unwrap_or_else(|| membership.id.to_string()),
        external_id: membership.external_id.clone(),
        active,
        profile: membership.profile.parse::<MemberProfile>()?,
        other_attributes: rest,
    })
}

/// The version of a user, which is that of the membership.
pub(super) fn user_version(user: &ScimUserRow) -> String {
    format!("W/\"{}\"", user.membership.version)
}

/// Converts a user, with its groups if they were loaded.
pub(super) fn to_user_resource(
    engine: &Engine,
    user: &ScimUserRow,
    groups_and_roles: Option<(&[ProvisionedGroup], &[RoleId])>,
) -> Result<ScimResource, Error> {
    let id = user.membership.id.to_string();
    let mut resource = to_user_record(user)?.to_resource();
    let mut schemas = vec![ScimResourceType::User.schema().to_owned()];
    // Attributes of an extension are named by its URN.
    schemas.extend(resource.keys().filter(|name| name.contains(':')).cloned());
    if let Some((groups, roles)) = groups_and_roles {
        let within = groups.iter().filter(|group| roles.contains(&group.role.id));
        let within: Vec<Value> = within.map(|group| to_group_reference(engine, group)).collect();
        if !within.is_empty() {
            resource.insert("groups".to_owned(), within.into());
        }
    }
    let version = user_version(user);
    resource.insert("schemas".to_owned(), json!(schemas));
    resource.insert("id".to_owned(), id.as_str().into());
    let meta = json!({
        "resourceType": ScimResourceType::User.name(),
        "created": user.membership.created_at.to_string(),
        "lastModified": user.changed_at.to_string(),
        "location": resource_url(engine, ScimResourceType::User, &id),
        "version": version,
    });
    resource.insert("meta".to_owned(), meta);
    Ok(ScimResource { kind: ScimResourceType::User, id, resource, version })
}

fn to_group_reference(engine: &Engine, group: &ProvisionedGroup) -> Value {
    let id = group.role.id.to_string();
    json!({
        "value": id, "$ref": resource_url(engine, ScimResourceType::Group, &id), "display": group.display_name(), "type": "direct",
    })
}

/// The digest type in the version of a group.
enum GroupMembersDigest {}

/// The version of a group: of the role and of its members.
pub(super) fn group_version(group: &ProvisionedGroup, bearers: &[MembershipId]) -> String {
    let ids: Vec<String> = bearers.iter().map(ToString::to_string).collect();
    let parts: Vec<&[u8]> = ids.iter().map(|id| id.as_bytes()).collect();
    let digest = Digest::<GroupMembersDigest>::from_parts(&parts);
    let fingerprint: String = digest.as_bytes().iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    format!("W/\"{}-{fingerprint}\"", group.role.version)
}

/// Converts a group, with its members if they were loaded.
pub(super) fn to_group_resource(
    engine: &Engine,
    group: &ProvisionedGroup,
    bearers: Option<&[MembershipId]>,
) -> ScimResource {
    let id = group.role.id.to_string();
    let mut resource = Map::new();
    resource.insert("schemas".to_owned(), json!([ScimResourceType::Group.schema()]));
    resource.insert("id".to_owned(), id.as_str().into());
    resource.insert("displayName".to_owned(), group.display_name().into());
    resource.extend(group.scim_group.external_id.as_deref().map(|it| ("externalId".to_owned(), it.into())));
    let mut meta = json!({
        "resourceType": ScimResourceType::Group.name(),
        "created": group.scim_group.created_at.to_string(),
        "location": resource_url(engine, ScimResourceType::Group, &id),
    });
    let mut version = String::new();
    if let Some(bearers) = bearers {
        version = group_version(group, bearers);
        meta["version"] = version.as_str().into();
        let members: Vec<Value> = bearers.iter().map(|bearer| to_member_reference(engine, *bearer)).collect();
        if !members.is_empty() {
            resource.insert("members".to_owned(), members.into());
        }
    }
    resource.insert("meta".to_owned(), meta);
    ScimResource { kind: ScimResourceType::Group, id, resource, version }
}

fn to_member_reference(engine: &Engine, bearer: MembershipId) -> Value {
    let id = bearer.to_string();
    json!({"value": id, "$ref": resource_url(engine, ScimResourceType::User, &id), "type": ScimResourceType::User.name()})
}

/// The version precondition of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ScimPrecondition {
    /// None.
    #[default]
    Any,
    /// One of these entity tags.
    OneOf(Vec<String>),
}

impl ScimPrecondition {
    /// Parses `If-Match`, or the version of a bulk operation.
    pub fn parse(text: Option<&str>) -> Self {
        match text.map(str::trim) {
            None | Some("" | "*") => Self::Any,
            Some(tags) => Self::OneOf(tags.split(',').map(opaque_tag).collect()),
        }
    }

    /// Requires a matching version. Directories return the weak tags they received, so weak and strong tags
    /// are treated as equal (docs/contribute/decisions/0142-scim-users-are-memberships.md).
    pub(super) fn require_version(&self, version: &str) -> Result<(), Refusal> {
        match self {
            Self::Any => Ok(()),
            Self::OneOf(tags) if tags.contains(&opaque_tag(version)) => Ok(()),
            Self::OneOf(_) => Err(precondition_failed()),
        }
    }

    /// Whether the reader already has this version.
    pub fn matches_version(&self, version: &str) -> bool {
        matches!(self, Self::OneOf(tags) if tags.contains(&opaque_tag(version)))
    }
}

fn opaque_tag(tag: &str) -> String {
    let tag = tag.trim();
    tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scim_if_match_accepts_weak_strong_and_absent_etags() {
        for text in [None, Some("*"), Some(""), Some("W/\"7\""), Some("\"7\""), Some("\"6\", W/\"7\"")] {
            assert!(ScimPrecondition::parse(text).require_version("W/\"7\"").is_ok(), "{text:?}");
        }
        for text in ["\"8\"", "W/\"77\"", "x"] {
            assert!(ScimPrecondition::parse(Some(text)).require_version("W/\"7\"").is_err(), "{text}");
        }
        assert!(
            ScimPrecondition::parse(Some("W/\"7\"")).matches_version("W/\"7\"")
                && !ScimPrecondition::parse(None).matches_version("W/\"7\"")
        );
    }
}
