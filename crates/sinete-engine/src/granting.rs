//! Giving roles, to members, machines and people who are invited, under one rule: nobody hands out what they
//! do not hold.

use crate::acting::OrganizationAccess;
use crate::members::{self, MemberWithRoles, no_such_role, roles_refused};
use crate::{Engine, Failure};
use sinete_core::authority::catalogue::BuiltInRole;
use sinete_core::authority::role::Role;
use sinete_core::id::{MembershipId, RoleId};
use sinete_core::people::membership::{is_owner, may_change_roles};
use sinete_core::refusal::Refusal;
use sinete_store::roles::RoleRow;
use sinete_store::{GuardedStatement, apis, memberships, roles};

/// A change of roles that may be made.
#[derive(Debug)]
pub(crate) struct RoleAssignmentPlan {
    /// What the organization must still be like, where the change decides who owns it.
    pub(crate) guard: Vec<GuardedStatement>,
    /// What makes the change, once the membership is there.
    pub(crate) steps: Vec<GuardedStatement>,
    /// The roles that are carried then, by name.
    pub(crate) names: Vec<String>,
    /// The same roles.
    pub(crate) roles: Vec<RoleRow>,
}

/// The roles a new membership begins with.
pub(crate) async fn first(
    engine: &Engine,
    acting: &OrganizationAccess,
    membership: MembershipId,
    wanted: &[RoleId],
) -> Result<Result<RoleAssignmentPlan, Refusal>, Failure> {
    let catalogue = roles::of_organization(engine.store(), acting.organization.id).await?;
    let Some(chosen) = chosen(&catalogue, wanted) else { return Ok(Err(no_such_role())) };
    let then = as_they_count(engine, acting, &chosen).await?;
    if let Err(why) = may_change_roles(acting.changer(), &[], &then, 0) {
        return Ok(Err(roles_refused(&why)));
    }
    let give = |role: &&RoleRow| memberships::give_role(membership, role.id, acting.now());
    Ok(Ok(RoleAssignmentPlan {
        guard: members::guard(acting, is_owner(&then)),
        steps: chosen.iter().map(give).collect(),
        names: names(&then),
        roles: chosen.into_iter().cloned().collect(),
    }))
}

/// These roles and no others for a membership that is there.
pub(crate) async fn change(
    engine: &Engine,
    acting: &OrganizationAccess,
    member: &MemberWithRoles,
    wanted: &[RoleId],
) -> Result<Result<RoleAssignmentPlan, Refusal>, Failure> {
    let catalogue = roles::of_organization(engine.store(), acting.organization.id).await?;
    let Some(chosen) = chosen(&catalogue, wanted) else { return Ok(Err(no_such_role())) };
    let others = members::other_owners(engine, member, &catalogue).await?;
    let before = members::plain(&member.roles);
    let then = as_they_count(engine, acting, &chosen).await?;
    if let Err(why) = may_change_roles(acting.changer(), &before, &then, others) {
        return Ok(Err(roles_refused(&why)));
    }
    let (id, now) = (member.membership.id, acting.now());
    let carried = |role: &RoleRow| member.roles.iter().any(|it| it.id == role.id);
    let added = chosen.iter().filter(|role| !carried(role));
    let dropped = member.roles.iter().filter(|role| !wanted.contains(&role.id));
    let mut steps = vec![memberships::advance(id, member.membership.version, now)];
    steps.extend(added.map(|role| memberships::give_role(id, role.id, now)));
    steps.extend(dropped.map(|role| memberships::take_role(id, role.id, now)));
    let guard = members::guard(acting, is_owner(&before) != is_owner(&then));
    Ok(Ok(RoleAssignmentPlan {
        guard,
        steps,
        names: names(&then),
        roles: chosen.into_iter().cloned().collect(),
    }))
}

/// The roles of these ids, if each of them is one of the organization's and none is named twice.
fn chosen<'a>(catalogue: &'a [RoleRow], wanted: &[RoleId]) -> Option<Vec<&'a RoleRow>> {
    let chosen: Vec<_> = catalogue.iter().filter(|role| wanted.contains(&role.id)).collect();
    (chosen.len() == wanted.len()).then_some(chosen)
}

/// The roles with everything they confer here: an owner holds what APIs offer too.
pub(crate) async fn as_they_count(
    engine: &Engine,
    acting: &OrganizationAccess,
    chosen: &[&RoleRow],
) -> Result<Vec<Role>, Failure> {
    let organization = &acting.organization;
    let mut roles: Vec<_> = chosen.iter().map(|it| it.role.clone()).collect();
    if is_owner(&roles) {
        let resources = apis::resources_offered_to(engine.store(), organization.id).await?;
        let offered = resources.iter().map(|(resource, _)| resource.as_str());
        roles.retain(|role| role.name() != BuiltInRole::Owner.name());
        roles.push(BuiltInRole::owner_of(organization.kind, offered));
    }
    Ok(roles)
}

fn names(roles: &[Role]) -> Vec<String> {
    let mut names: Vec<_> = roles.iter().map(|role| role.name().to_owned()).collect();
    names.sort();
    names
}
