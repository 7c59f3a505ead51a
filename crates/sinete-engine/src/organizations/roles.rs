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
    acting: &OrganizationAccess,
    after: Option<RoleId>,
    most: u32,
) -> Result<Vec<RoleRow>, Error> {
    acting.require_read_permission(READ_ROLES)?;
    acting.record_read_by_stranger(engine, "roles").await?;
    let mut all = roles::list_roles(engine.store(), acting.organization.id).await?;
    all.sort_by_key(|role| role.id);
    all.retain(|role| after.is_none_or(|after| role.id > after));
    all.truncate(usize::try_from(most).unwrap_or(usize::MAX));
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
    pub is_held: bool,
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
    acting: &OrganizationAccess,
) -> Result<GrantablePermissions, Error> {
    acting.require_read_permission(READ_ROLES)?;
    acting.record_read_by_stranger(engine, "roles").await?;
    let listed = |permission: Permission, english: &str, portuguese: &str| GrantablePermission {
        is_held: acting.authority.covers(&permission),
        permission,
        english: english.to_owned(),
        portuguese: portuguese.to_owned(),
    };
    let ours = permission_catalog::CATALOGUE.iter().filter(|it| it.reach == PermissionReach::Organization);
    let ours = ours.filter_map(|it| Some(listed(it.permission.parse().ok()?, it.english, it.portuguese)));
    let offered =
        api_catalog::list_offered_apis(engine.store(), acting.organization.id, None, u32::MAX >> 1).await?;
    let texts = offered.iter().flat_map(|api| &api.definition.permissions);
    let theirs =
        texts.filter(|it| !permission_catalog::is_built_in_resource(it.permission.resource())).map(|it| {
            let portuguese = it.portuguese.as_deref().unwrap_or(&it.english);
            listed(it.permission.clone(), &it.english, portuguese)
        });
    let sees_apis = acting.require_read_permission(READ_APIS).is_ok();
    let (mut listed, mut hides_some): (Vec<GrantablePermission>, _) = (ours.collect(), false);
    for one in theirs {
        if !sees_apis && !one.is_held {
            hides_some = true;
        } else if !listed.iter().any(|known| known.permission == one.permission) {
            listed.push(one);
        }
    }
    Ok(GrantablePermissions { permissions: listed, is_partial: hides_some })
}

/// Shows a role.
pub async fn show(engine: &Engine, acting: &OrganizationAccess, id: RoleId) -> Result<RoleRow, Error> {
    acting.require_read_permission(READ_ROLES)?;
    acting.record_read_by_stranger(engine, "roles").await?;
    Ok(find_role(engine, acting, id).await?.ok_or_else(no_such_role)?)
}

/// Lists the members who hold a role, by id.
pub async fn list_holders(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: RoleId,
    after: Option<MembershipId>,
    most: u32,
) -> Result<Vec<MembershipRow>, Error> {
    acting.require_read_permission(READ_MEMBERS)?;
    let role = show(engine, acting, id).await?;
    Ok(roles::list_role_holders(engine.store(), role.id, after, most).await?)
}

/// Creates a role.
pub async fn create(
    engine: &Engine,
    acting: &OrganizationAccess,
    wanted: &RoleDraft,
) -> Result<RoleRow, Error> {
    let role = acting.require_change_permission(MANAGE_ROLES).and_then(|()| parse_definition(wanted))?;
    check_permissions(engine, acting, None, &role).await?;
    let id = RoleId::mint(acting.now(), engine.entropy());
    let step = roles::create_role(id, acting.organization.id, &role, &wanted.description, acting.now());
    let event = acting
        .event(engine, EventKind::RoleCreated)
        .with_subject("role", id)
        .with_detail("name", role.name());
    match commit_change(engine, acting, step, event.with_detail("permissions", permission_names(&role)))
        .await?
    {
        BatchOutcome::Committed(_) => Ok(find_role(engine, acting, id).await?.ok_or_else(no_such_role)?),
        BatchOutcome::Conflict(_) => Err(name_taken().into()),
    }
}

/// Changes a role, if the version matches.
pub async fn change(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: RoleId,
    seen: i64,
    wanted: &RoleDraft,
) -> Result<RoleRow, Error> {
    let role = acting.require_change_permission(MANAGE_ROLES).and_then(|()| parse_definition(wanted))?;
    let before = find_changeable(engine, acting, id, seen).await?;
    check_permissions(engine, acting, Some(&before.role), &role).await?;
    let organization = acting.organization.id;
    let others = roles::list_roles(engine.store(), organization).await?;
    if others.iter().any(|other| other.id != id && other.role.name() == role.name()) {
        return Err(name_taken().into());
    }
    let step = roles::change_role(&before, organization, &role, &wanted.description, acting.now());
    let event = acting
        .event(engine, EventKind::RoleChanged)
        .with_subject("role", id)
        .with_detail("name", role.name());
    match commit_change(engine, acting, step, event.with_detail("permissions", permission_names(&role)))
        .await?
    {
        BatchOutcome::Committed(_) => Ok(find_role(engine, acting, id).await?.ok_or_else(no_such_role)?),
        BatchOutcome::Conflict(_) => Err(precondition_failed().into()),
    }
}

/// Removes a role, also from its members.
pub async fn remove(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: RoleId,
    seen: i64,
) -> Result<(), Error> {
    let role = find_changeable(engine, acting, id, seen).await?;
    let step = roles::remove_role(&role, acting.organization.id, acting.now());
    let event = acting
        .event(engine, EventKind::RoleRemoved)
        .with_subject("role", id)
        .with_detail("name", role.role.name());
    commit_change(engine, acting, step, event).await?.into_result().map_err(|_| precondition_failed())?;
    Ok(())
}

pub(crate) async fn find_role(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: RoleId,
) -> Result<Option<RoleRow>, Failure> {
    let all = roles::list_roles(engine.store(), acting.organization.id).await?;
    Ok(all.into_iter().find(|role| role.id == id))
}

/// Loads the role for a change, if it has this version and may be changed.
pub async fn find_changeable(
    engine: &Engine,
    acting: &OrganizationAccess,
    id: RoleId,
    seen: i64,
) -> Result<RoleRow, Error> {
    acting.require_change_permission(MANAGE_ROLES)?;
    match find_role(engine, acting, id).await? {
        None => Err(no_such_role().into()),
        Some(role) if role.is_built_in => {
            Err(Refusal::because(OrganizationRefusal::BuiltInRole, "built in").into())
        }
        Some(role) if role.version != seen => Err(precondition_failed().into()),
        Some(role) => Ok(role),
    }
}

fn parse_definition(wanted: &RoleDraft) -> Result<Role, Refusal> {
    let unfit = |pointer: &str, reason: String| {
        let mut faults = ValidationErrors::default();
        faults.add(pointer, reason.clone());
        Refusal::because(OrganizationRefusal::RoleInvalid, reason).with_validation_errors(faults)
    };
    if BuiltInRole::from_name(&wanted.name).is_some() {
        return Err(name_taken());
    }
    if wanted.description.chars().count() > DISPLAY_TEXT_CHARACTERS_MAX
        || wanted.description.chars().any(sinete_core::validation::is_misleading_character)
    {
        let bound =
            format!("at most {DISPLAY_TEXT_CHARACTERS_MAX} characters without control or direction marks");
        return Err(unfit("/description", bound));
    }
    Role::new(&wanted.name, wanted.permissions.clone()).map_err(|why| {
        let pointer = if why == InvalidRole::Name { "/name" } else { "/permissions" };
        unfit(pointer, why.to_string())
    })
}

/// Checks that roles of this organization may have these permissions and that the caller holds them.
async fn check_permissions(
    engine: &Engine,
    acting: &OrganizationAccess,
    before: Option<&Role>,
    role: &Role,
) -> Result<(), Error> {
    let offered =
        api_catalog::list_offered_apis(engine.store(), acting.organization.id, None, u32::MAX >> 1).await?;
    let is_defined = |permission: &Permission| {
        let ours = permission_catalog::find_permission(permission)
            .is_some_and(|it| it.reach == PermissionReach::Organization);
        let theirs = || {
            offered
                .iter()
                .flat_map(|api| &api.definition.permissions)
                .any(|text| permission.covers(&text.permission))
        };
        ours || !permission_catalog::is_built_in_resource(permission.resource()) && theirs()
    };
    if let Some(unknown) = role.permissions().iter().find(|permission| !is_defined(permission)) {
        let reason = format!("{unknown} is not offered to this organization");
        let public = "a role holds permissions of APIs offered to the organization, and our own";
        let mut faults = ValidationErrors::default();
        faults.add("/permissions", public);
        return Err(Refusal::because(OrganizationRefusal::RolePermissionNotOffered, reason)
            .with_validation_errors(faults)
            .into());
    }
    Ok(check_role_definition(&acting.authority, before, role)
        .map_err(|why| Refusal::because(OrganizationRefusal::RoleWiderThanCaller, why.to_string()))?)
}

async fn commit_change(
    engine: &Engine,
    acting: &OrganizationAccess,
    step: GuardedStatement,
    event: SecurityEvent,
) -> Result<BatchOutcome, Failure> {
    let act = acting.record(WriteBatch::new().with_statement(step), &event)?;
    Ok(engine.store().commit(act).await?)
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
