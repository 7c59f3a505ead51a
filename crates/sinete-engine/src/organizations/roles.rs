//! Custom roles: composed of permissions of the offered APIs that their creator holds.

use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::precondition_failed;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::{MANAGE_ROLES, READ_APIS, READ_MEMBERS, READ_ROLES};
use sinete_core::access_control::permission::{Permission, PermissionSet};
use sinete_core::access_control::permission_catalog;
use sinete_core::access_control::permission_catalog::{BuiltInRole, PermissionReach};
use sinete_core::access_control::role::{InvalidRole, Role};
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::limits::DISPLAY_TEXT_CHARACTERS_MAX;
use sinete_core::organizations::memberships::check_role_definition;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::validation::ValidationErrors;
use sinete_store::organizations::memberships::MembershipRow;
pub use sinete_store::organizations::roles::RoleRow;
use sinete_store::organizations::{api_catalog, roles};
use sinete_store::{BatchOutcome, GuardedStatement, WriteBatch};

/// A role as submitted.
#[derive(Clone, Debug)]
pub struct RoleDraft {
    /// The name.
    pub name: String,
    /// The description.
    pub description: String,
    /// The permissions.
    pub permissions: PermissionSet,
}

/// Lists the roles by id.
pub async fn list(
    engine: &Engine,
    access: &OrganizationAccess,
    after: Option<RoleId>,
    limit: u32,
) -> Result<Vec<RoleRow>, Error> {
    access.require_read_permission(READ_ROLES)?;
    access.record_read_by_non_member(engine, "roles").await?;
    let mut all = roles::list_roles(engine.store(), access.organization.id).await?;
    all.sort_by_key(|role| role.id);
    all.retain(|role| after.is_none_or(|after| role.id > after));
    all.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    Ok(all)
}

/// A permission that a role can have.
#[derive(Clone, Debug)]
pub struct GrantablePermission {
    /// The permission.
    pub permission: Permission,
    /// The description in English.
    pub english: String,
    /// The description in Portuguese.
    pub portuguese: String,
    /// Whether the caller holds it and may add it to a role.
    pub is_held_by_caller: bool,
}

/// The permissions that roles can have, as far as the caller may see them.
#[derive(Clone, Debug)]
pub struct GrantablePermissions {
    /// The distinct permissions.
    pub permissions: Vec<GrantablePermission>,
    /// Whether there are more that the caller may not see.
    pub is_partial: bool,
}

/// Lists all permissions that roles of the organization can have: built-in ones, and those of offered APIs. A
/// caller who may not read APIs sees only the API permissions that they hold
/// (docs/contribute/decisions/0209-console-roles-without-apis-read.md).
pub async fn list_grantable_permissions(
    engine: &Engine,
    access: &OrganizationAccess,
) -> Result<GrantablePermissions, Error> {
    access.require_read_permission(READ_ROLES)?;
    access.record_read_by_non_member(engine, "roles").await?;
    let to_grantable = |permission: Permission, english: &str, portuguese: &str| GrantablePermission {
        is_held_by_caller: access.authority.covers(&permission),
        permission,
        english: english.to_owned(),
        portuguese: portuguese.to_owned(),
    };
    let ours =
        permission_catalog::PERMISSION_CATALOG.iter().filter(|it| it.reach == PermissionReach::Organization);
    let ours =
        ours.filter_map(|it| Some(to_grantable(it.permission.parse().ok()?, it.english, it.portuguese)));
    let apis =
        api_catalog::list_offered_apis(engine.store(), access.organization.id, None, u32::MAX >> 1).await?;
    let permission_descriptions = apis.iter().flat_map(|api| &api.definition.permissions);
    let theirs = permission_descriptions
        .filter(|it| !permission_catalog::is_built_in_resource(it.permission.resource()))
        .map(|it| {
            let portuguese = it.portuguese.as_deref().unwrap_or(&it.english);
            to_grantable(it.permission.clone(), &it.english, portuguese)
        });
    let sees_apis = access.require_read_permission(READ_APIS).is_ok();
    let (mut permissions, mut hides_some): (Vec<GrantablePermission>, _) = (ours.collect(), false);
    for one in theirs {
        if !sees_apis && !one.is_held_by_caller {
            hides_some = true;
        } else if !permissions.iter().any(|permission| permission.permission == one.permission) {
            permissions.push(one);
        }
    }
    Ok(GrantablePermissions { permissions, is_partial: hides_some })
}

/// Shows a role.
pub async fn show(engine: &Engine, access: &OrganizationAccess, id: RoleId) -> Result<RoleRow, Error> {
    access.require_read_permission(READ_ROLES)?;
    access.record_read_by_non_member(engine, "roles").await?;
    Ok(find_role(engine, access, id).await?.ok_or_else(no_such_role)?)
}

/// Lists the members who hold a role, by id.
pub async fn list_holders(
    engine: &Engine,
    access: &OrganizationAccess,
    id: RoleId,
    after: Option<MembershipId>,
    limit: u32,
) -> Result<Vec<MembershipRow>, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    let role = show(engine, access, id).await?;
    Ok(roles::list_role_holders(engine.store(), role.id, after, limit).await?)
}

/// Creates a role.
pub async fn create(
    engine: &Engine,
    access: &OrganizationAccess,
    draft: &RoleDraft,
) -> Result<RoleRow, Error> {
    let role = access.require_change_permission(MANAGE_ROLES).and_then(|()| parse_definition(draft))?;
    check_permissions(engine, access, None, &role).await?;
    let id = RoleId::mint(access.now(), engine.entropy());
    let step = roles::create_role(id, access.organization.id, &role, &draft.description, access.now());
    let event = access
        .event(engine, EventKind::RoleCreated)
        .with_subject("role", id)
        .with_detail("name", role.name());
    match commit_change(engine, access, step, event.with_detail("permissions", permission_names(&role)))
        .await?
    {
        BatchOutcome::Committed(_) => Ok(find_role(engine, access, id).await?.ok_or_else(no_such_role)?),
        BatchOutcome::Conflict(_) => Err(name_taken().into()),
    }
}

/// Changes a role, if the version matches.
pub async fn change(
    engine: &Engine,
    access: &OrganizationAccess,
    id: RoleId,
    expected_version: i64,
    draft: &RoleDraft,
) -> Result<RoleRow, Error> {
    let role = access.require_change_permission(MANAGE_ROLES).and_then(|()| parse_definition(draft))?;
    let before = find_changeable(engine, access, id, expected_version).await?;
    check_permissions(engine, access, Some(&before.role), &role).await?;
    let organization = access.organization.id;
    let others = roles::list_roles(engine.store(), organization).await?;
    if others.iter().any(|other| other.id != id && other.role.name() == role.name()) {
        return Err(name_taken().into());
    }
    let step = roles::change_role(&before, organization, &role, &draft.description, access.now());
    let event = access
        .event(engine, EventKind::RoleChanged)
        .with_subject("role", id)
        .with_detail("name", role.name());
    match commit_change(engine, access, step, event.with_detail("permissions", permission_names(&role)))
        .await?
    {
        BatchOutcome::Committed(_) => Ok(find_role(engine, access, id).await?.ok_or_else(no_such_role)?),
        BatchOutcome::Conflict(_) => Err(precondition_failed().into()),
    }
}

/// Removes a role, also from its members.
pub async fn remove(
    engine: &Engine,
    access: &OrganizationAccess,
    id: RoleId,
    expected_version: i64,
) -> Result<(), Error> {
    let role = find_changeable(engine, access, id, expected_version).await?;
    let step = roles::remove_role(&role, access.organization.id, access.now());
    let event = access
        .event(engine, EventKind::RoleRemoved)
        .with_subject("role", id)
        .with_detail("name", role.role.name());
    commit_change(engine, access, step, event).await?.into_result().map_err(|_| precondition_failed())?;
    Ok(())
}

pub(crate) async fn find_role(
    engine: &Engine,
    access: &OrganizationAccess,
    id: RoleId,
) -> Result<Option<RoleRow>, Failure> {
    let all = roles::list_roles(engine.store(), access.organization.id).await?;
    Ok(all.into_iter().find(|role| role.id == id))
}

/// Loads the role for a change, if it has this version and may be changed.
pub async fn find_changeable(
    engine: &Engine,
    access: &OrganizationAccess,
    id: RoleId,
    expected_version: i64,
) -> Result<RoleRow, Error> {
    access.require_change_permission(MANAGE_ROLES)?;
    match find_role(engine, access, id).await? {
        None => Err(no_such_role().into()),
        Some(role) if role.is_built_in => {
            Err(Refusal::because(OrganizationRefusal::BuiltInRole, "built in").into())
        }
        Some(role) if role.version != expected_version => Err(precondition_failed().into()),
        Some(role) => Ok(role),
    }
}

fn parse_definition(draft: &RoleDraft) -> Result<Role, Refusal> {
    let unfit = |pointer: &str, reason: String| {
        let mut errors = ValidationErrors::default();
        errors.add(pointer, reason.clone());
        Refusal::because(OrganizationRefusal::RoleInvalid, reason).with_validation_errors(errors)
    };
    if BuiltInRole::from_name(&draft.name).is_some() {
        return Err(name_taken());
    }
    if draft.description.chars().count() > DISPLAY_TEXT_CHARACTERS_MAX
        || draft.description.chars().any(sinete_core::validation::is_misleading_character)
    {
        let bound =
            format!("at most {DISPLAY_TEXT_CHARACTERS_MAX} characters without control or direction marks");
        return Err(unfit("/description", bound));
    }
    Role::new(&draft.name, draft.permissions.clone()).map_err(|role| {
        let pointer = if role == InvalidRole::Name { "/name" } else { "/permissions" };
        unfit(pointer, role.to_string())
    })
}

/// Checks that roles of this organization may have these permissions and that the caller holds them.
async fn check_permissions(
    engine: &Engine,
    access: &OrganizationAccess,
    before: Option<&Role>,
    role: &Role,
) -> Result<(), Error> {
    let apis =
        api_catalog::list_offered_apis(engine.store(), access.organization.id, None, u32::MAX >> 1).await?;
    let is_defined = |permission: &Permission| {
        let ours = permission_catalog::find_permission(permission)
            .is_some_and(|it| it.reach == PermissionReach::Organization);
        let theirs = || {
            apis.iter()
                .flat_map(|api| &api.definition.permissions)
                .any(|text| permission.covers(&text.permission))
        };
        ours || !permission_catalog::is_built_in_resource(permission.resource()) && theirs()
    };
    if let Some(unknown) = role.permissions().iter().find(|permission| !is_defined(permission)) {
        let reason = format!("{unknown} is not offered to this organization");
        let public = "a role holds permissions of APIs offered to the organization, and our own";
        let mut errors = ValidationErrors::default();
        errors.add("/permissions", public);
        return Err(Refusal::because(OrganizationRefusal::RolePermissionNotOffered, reason)
            .with_validation_errors(errors)
            .into());
    }
    Ok(check_role_definition(&access.authority, before, role).map_err(|rejection| {
        Refusal::because(OrganizationRefusal::RoleWiderThanCaller, rejection.to_string())
    })?)
}

async fn commit_change(
    engine: &Engine,
    access: &OrganizationAccess,
    step: GuardedStatement,
    event: SecurityEvent,
) -> Result<BatchOutcome, Failure> {
    let batch = access.record(WriteBatch::new().with_statement(step), &event)?;
    Ok(engine.store().commit(batch).await?)
}

fn permission_names(role: &Role) -> Vec<String> {
    role.permissions().iter().map(ToString::to_string).collect()
}

fn no_such_role() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such role")
}

fn name_taken() -> Refusal {
    Refusal::because(OrganizationRefusal::RoleNameTaken, "the name is taken")
}
