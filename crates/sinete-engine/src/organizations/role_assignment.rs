//! Role assignment for members, machines and invitations: callers cannot assign permissions that they do not
//! hold.

use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::members;
use crate::organizations::members::{MemberWithRoles, no_such_role, roles_refused};
use crate::{Engine, Error, Failure};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::role::Role;
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::organizations::memberships::{check_role_change, is_owner};
use sinete_store::GuardedStatement;
use sinete_store::organizations::roles::RoleRow;
use sinete_store::organizations::{api_catalog, memberships, roles};

/// A permitted role change.
#[derive(Debug)]
pub(crate) struct RoleAssignmentPlan {
    /// The guards on the organization, if the change concerns owners.
    pub(crate) guard_statements: Vec<GuardedStatement>,
    /// The statements that change the roles of an existing membership.
    pub(crate) statements: Vec<GuardedStatement>,
    /// The names of the resulting roles.
    pub(crate) names: Vec<String>,
    /// The resulting roles.
    pub(crate) roles: Vec<RoleRow>,
}

/// Plans the first roles of a new membership.
pub(crate) async fn plan_first_roles(
    engine: &Engine,
    access: &OrganizationAccess,
    membership: MembershipId,
    role_ids: &[RoleId],
) -> Result<RoleAssignmentPlan, Error> {
    let catalogue = roles::list_roles(engine.store(), access.organization.id).await?;
    let Some(roles) = find_roles(&catalogue, role_ids) else { return Err(no_such_role().into()) };
    let then = effective_roles(engine, access, &roles).await?;
    check_role_change(access.role_changer(), &[], &then, 0).map_err(|rejection| roles_refused(&rejection))?;
    let give = |role: &&RoleRow| memberships::add_role(membership, role.id, access.now());
    Ok(RoleAssignmentPlan {
        guard_statements: members::ownership_guard(access, is_owner(&then)),
        statements: roles.iter().map(give).collect(),
        names: role_names(&then),
        roles: roles.into_iter().cloned().collect(),
    })
}

/// Plans the roles of an existing membership.
pub(crate) async fn plan_role_change(
    engine: &Engine,
    access: &OrganizationAccess,
    member: &MemberWithRoles,
    role_ids: &[RoleId],
) -> Result<RoleAssignmentPlan, Error> {
    let catalogue = roles::list_roles(engine.store(), access.organization.id).await?;
    let Some(roles) = find_roles(&catalogue, role_ids) else { return Err(no_such_role().into()) };
    let others = members::count_other_owners(engine, member, &catalogue).await?;
    let before = members::to_roles(&member.roles);
    let then = effective_roles(engine, access, &roles).await?;
    check_role_change(access.role_changer(), &before, &then, others)
        .map_err(|rejection| roles_refused(&rejection))?;
    let (id, now) = (member.membership.id, access.now());
    let is_assigned = |role: &RoleRow| member.roles.iter().any(|it| it.id == role.id);
    let added = roles.iter().filter(|role| !is_assigned(role));
    let dropped = member.roles.iter().filter(|role| !role_ids.contains(&role.id));
    let mut steps = vec![memberships::advance_membership_version(id, member.membership.version, now)];
    steps.extend(added.map(|role| memberships::add_role(id, role.id, now)));
    steps.extend(dropped.map(|role| memberships::remove_role(id, role.id, now)));
    let guard = members::ownership_guard(access, is_owner(&before) != is_owner(&then));
    Ok(RoleAssignmentPlan {
        guard_statements: guard,
        statements: steps,
        names: role_names(&then),
        roles: roles.into_iter().cloned().collect(),
    })
}

/// The roles with these ids, if all exist in the organization and none is repeated.
fn find_roles<'a>(catalogue: &'a [RoleRow], role_ids: &[RoleId]) -> Option<Vec<&'a RoleRow>> {
    let roles: Vec<_> = catalogue.iter().filter(|role| role_ids.contains(&role.id)).collect();
    (roles.len() == role_ids.len()).then_some(roles)
}

/// The roles with all permissions they grant here: the owner role includes those of offered APIs.
pub(crate) async fn effective_roles(
    engine: &Engine,
    access: &OrganizationAccess,
    role_rows: &[&RoleRow],
) -> Result<Vec<Role>, Failure> {
    let organization = &access.organization;
    let mut roles: Vec<_> = role_rows.iter().map(|it| it.role.clone()).collect();
    if is_owner(&roles) {
        let resources = api_catalog::list_offered_resources(engine.store(), organization.id).await?;
        let resource_names = resources.iter().map(|(resource, _)| resource.as_str());
        roles.retain(|role| role.name() != BuiltInRole::Owner.name());
        roles.push(BuiltInRole::build_owner_role(organization.kind, resource_names));
    }
    Ok(roles)
}

fn role_names(roles: &[Role]) -> Vec<String> {
    let mut names: Vec<_> = roles.iter().map(|role| role.name().to_owned()).collect();
    names.sort();
    names
}
