//! The members of an organization: users, machines, and unclaimed memberships.

use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::precondition_failed;
use crate::organizations::{former_members, invitations, role_assignment};
use crate::{ATTEMPTS_MAX, Engine, Error, Failure};
use sinete_core::access_control::built_in_permissions::{MANAGE_MEMBERS, READ_MEMBERS, READ_ROLES};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::role::Role;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::id::{MembershipId, OrganizationId, RoleId};
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_core::organizations::memberships::{
    RoleChangeRejection, check_membership_removal, check_membership_restore, is_owner,
};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::organizations::OrganizationRefusal;
use sinete_core::refusal::request::RequestRefusal;
pub use sinete_store::organizations::memberships::{MembershipHolder, MembershipRow};
use sinete_store::organizations::roles::RoleRow;
use sinete_store::organizations::{member_batch, memberships, roles};
use sinete_store::scim::users as scim_users;
use sinete_store::{BatchOutcome, GuardedStatement, JsonDocument, WriteBatch, organizations};
use std::collections::HashSet;

/// A member with their roles.
#[derive(Clone, Debug)]
pub struct MemberWithRoles {
    /// The membership.
    pub membership: MembershipRow,
    /// The roles.
    pub roles: Vec<RoleRow>,
}

/// Lists the members, oldest first.
pub async fn list(
    engine: &Engine,
    access: &OrganizationAccess,
    after: Option<MembershipId>,
    limit: u32,
) -> Result<Vec<MemberWithRoles>, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    access.record_read_by_non_member(engine, "members").await?;
    let (store, organization) = (engine.store(), access.organization.id);
    let page = memberships::list_memberships(store, organization, after, limit).await?;
    Ok(load_roles(engine, organization, page).await?)
}

/// Loads the roles of members of one organization.
pub(crate) async fn load_roles(
    engine: &Engine,
    organization: OrganizationId,
    members: Vec<MembershipRow>,
) -> Result<Vec<MemberWithRoles>, Failure> {
    let catalogue = roles::list_roles(engine.store(), organization).await?;
    let ids: Vec<MembershipId> = members.iter().map(|membership| membership.id).collect();
    let member_roles = member_batch::list_member_roles(engine.store(), organization, &ids).await?;
    let member_roles: HashSet<_> = member_roles.into_iter().collect();
    let with_roles = |membership: MembershipRow| {
        let carries = |role: &&RoleRow| member_roles.contains(&(membership.id, role.id));
        MemberWithRoles { roles: catalogue.iter().filter(carries).cloned().collect(), membership }
    };
    Ok(members.into_iter().map(with_roles).collect())
}

/// The existing ones of these members, each with its last known invitation address, for display names.
pub async fn list_existing(
    engine: &Engine,
    access: &OrganizationAccess,
    ids: &[MembershipId],
) -> Result<Vec<(MembershipRow, Option<String>)>, Error> {
    let mut addresses = invitations::list_addresses(engine, access, ids).await?;
    let mut address = |of: MembershipId| {
        let index = addresses.iter().position(|(id, _)| *id == of)?;
        Some(addresses.swap_remove(index).1)
    };
    let memberships = member_batch::find_members(engine.store(), access.organization.id, ids).await?;
    Ok(memberships
        .into_iter()
        .map(|it| {
            let address = address(it.id);
            (it, address)
        })
        .collect())
}

/// Shows a member.
pub async fn show(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
) -> Result<MemberWithRoles, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    access.record_read_by_non_member(engine, "members").await?;
    Ok(find_member(engine, access, id).await?.ok_or_else(no_such_member)?)
}

/// The `userName` with which a directory provisioned the member, if one did.
pub async fn find_scim_user_name(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
) -> Result<Option<String>, Error> {
    access.require_read_permission(READ_MEMBERS)?;
    let scim_user = scim_users::find_scim_user(engine.store(), access.organization.id, id).await?;
    Ok(scim_user.and_then(|user| user.user_name))
}

/// A role, and whether the caller may assign it.
#[derive(Clone, Debug)]
pub struct AssignableRole {
    /// The role.
    pub role: RoleRow,
    /// Whether the caller holds all its permissions and may assign it.
    pub is_assignable: bool,
}

/// Lists the roles of the organization by name, each with whether the caller may assign it.
pub async fn list_assignable_roles(
    engine: &Engine,
    access: &OrganizationAccess,
) -> Result<Vec<AssignableRole>, Error> {
    access.require_read_permission(READ_ROLES)?;
    access.record_read_by_non_member(engine, "roles").await?;
    let mut roles = Vec::new();
    for role in roles::list_roles(engine.store(), access.organization.id).await? {
        let effective_roles = role_assignment::effective_roles(engine, access, &[&role]).await?;
        let can_be_given = check_membership_restore(access.role_changer(), &effective_roles).is_ok();
        roles.push(AssignableRole { role, is_assignable: can_be_given });
    }
    Ok(roles)
}

/// Loads the member for a change, if it has this version.
pub async fn find_changeable(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
    expected_version: i64,
) -> Result<MemberWithRoles, Error> {
    access.require_change_permission(MANAGE_MEMBERS)?;
    match find_member(engine, access, id).await? {
        None => Err(no_such_member().into()),
        Some(member) if member.membership.version != expected_version => Err(precondition_failed().into()),
        Some(member) => Ok(member),
    }
}

/// Sets the roles of the member.
pub async fn set_roles(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
    expected_version: i64,
    role_ids: &[RoleId],
) -> Result<MemberWithRoles, Error> {
    let member = find_changeable(engine, access, id, expected_version).await?;
    let granted = role_assignment::plan_role_change(engine, access, &member, role_ids).await?;
    let steps = granted.guard_statements.into_iter().chain(granted.statements).collect();
    let event = access.event(engine, EventKind::MembershipRolesChanged).with_subject("membership", id);
    let event = event.with_detail("roles", granted.names);
    commit_change(engine, access, steps, event, id).await
}

/// Changes the member's profile.
pub async fn change_profile(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
    expected_version: i64,
    profile: &MemberProfile,
) -> Result<MemberWithRoles, Error> {
    let member = find_changeable(engine, access, id, expected_version).await?;
    let document = JsonDocument::from_value(profile)?;
    let mut steps = vec![memberships::change_membership_profile(&member.membership, &document, access.now())];
    if member.membership.condition != LifecycleCondition::Enabled {
        let changed = MembershipRow { profile: document, ..member.membership };
        steps.extend(former_members::record_former_member_identifiers(engine, &changed).await?);
    }
    let event = access.event(engine, EventKind::MembershipChanged).with_subject("membership", id);
    commit_change(engine, access, steps, event, id).await
}

/// Disables the member: all their access to the organization ends, and no data is lost.
pub async fn disable(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
) -> Result<MemberWithRoles, Error> {
    change_condition(engine, access, id, LifecycleCondition::Suspended).await
}

/// Enables a disabled member.
pub async fn enable(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
) -> Result<MemberWithRoles, Error> {
    change_condition(engine, access, id, LifecycleCondition::Enabled).await
}

/// Removes the member permanently. Members may remove themselves without a permission.
pub async fn remove(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
) -> Result<MemberWithRoles, Error> {
    change_condition(engine, access, id, LifecycleCondition::Ended).await
}

/// Changes the condition of a member. A race between two last owners is retried from its reads, so that one
/// remains.
async fn change_condition(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
    condition: LifecycleCondition,
) -> Result<MemberWithRoles, Error> {
    let is_leaving = condition == LifecycleCondition::Ended && access.can_leave(id);
    let allowed =
        if is_leaving { access.require_enabled() } else { access.require_change_permission(MANAGE_MEMBERS) };
    allowed?;
    let kind = match condition {
        LifecycleCondition::Enabled => EventKind::MembershipEnabled,
        LifecycleCondition::Suspended => EventKind::MembershipDisabled,
        LifecycleCondition::Ended => EventKind::MembershipEnded,
    };
    for _ in 0..ATTEMPTS_MAX {
        let Some(organization) =
            organizations::find_organization(engine.store(), access.organization.id, access.now()).await?
        else {
            return Err(no_such_member().into());
        };
        let access = access.with_organization(organization);
        access.require_enabled()?;
        let Some(member) = find_member(engine, &access, id).await? else {
            return Err(no_such_member().into());
        };
        if member.membership.condition == condition {
            access.record_read_by_non_member(engine, "members").await?;
            return Ok(member);
        }
        let catalogue = roles::list_roles(engine.store(), access.organization.id).await?;
        let roles = to_roles(&member.roles);
        let others = count_other_owners(engine, &member, &catalogue).await?;
        let decided = match condition {
            LifecycleCondition::Enabled => {
                let member_roles: Vec<_> = member.roles.iter().collect();
                check_membership_restore(
                    access.role_changer(),
                    &role_assignment::effective_roles(engine, &access, &member_roles).await?,
                )
            }
            LifecycleCondition::Suspended | LifecycleCondition::Ended => {
                check_membership_removal(access.is_owner, &roles, others)
            }
        };
        decided.map_err(|rejection| roles_refused(&rejection))?;
        let mut steps = ownership_guard(&access, is_owner(&roles));
        steps.push(memberships::change_membership_condition(&member.membership, condition, access.now()));
        if condition != LifecycleCondition::Enabled {
            steps.extend(former_members::record_former_member_identifiers(engine, &member.membership).await?);
        }
        let event = access.event(engine, kind).with_subject("membership", id);
        let batch = access.record(WriteBatch::new().with_statements(steps), &event)?;
        if engine.store().commit(batch).await?.is_committed() {
            let changed =
                MembershipRow { condition, version: member.membership.version + 1, ..member.membership };
            return Ok(MemberWithRoles { membership: changed, ..member });
        }
    }
    Err(Failure::Contended.into())
}

/// The guard for changes that concern owners: the organization must be unchanged, so two concurrent changes
/// cannot both succeed.
pub(crate) fn ownership_guard(access: &OrganizationAccess, concerns_owners: bool) -> Vec<GuardedStatement> {
    let organization = &access.organization;
    let step =
        || organizations::advance_organization_version(organization.id, organization.version, access.now());
    concerns_owners.then(step).into_iter().collect()
}

/// The number of other enabled owners.
pub(crate) async fn count_other_owners(
    engine: &Engine,
    member: &MemberWithRoles,
    catalogue: &[RoleRow],
) -> Result<u64, Failure> {
    let owner =
        catalogue.iter().find(|role| role.is_built_in && role.role.name() == BuiltInRole::Owner.name());
    let Some(owner) = owner else { return Ok(0) };
    let all = memberships::count_role_holders(engine.store(), owner.id).await?;
    let is_one = is_owner(&to_roles(&member.roles))
        && member.membership.condition == LifecycleCondition::Enabled
        && matches!(member.membership.holder, MembershipHolder::User(_));
    Ok(all.max(0).unsigned_abs().saturating_sub(u64::from(is_one)))
}

pub(crate) async fn find_member(
    engine: &Engine,
    access: &OrganizationAccess,
    id: MembershipId,
) -> Result<Option<MemberWithRoles>, Failure> {
    let membership_row = memberships::find_membership(engine.store(), access.organization.id, id).await?;
    match membership_row.filter(|membership| membership.condition != LifecycleCondition::Ended) {
        Some(membership) => {
            let catalogue = roles::list_roles(engine.store(), access.organization.id).await?;
            load_member_roles(engine, membership, &catalogue).await.map(Some)
        }
        None => Ok(None),
    }
}

pub(crate) async fn load_member_roles(
    engine: &Engine,
    membership: MembershipRow,
    catalogue: &[RoleRow],
) -> Result<MemberWithRoles, Failure> {
    let role_ids = memberships::list_membership_roles(engine.store(), membership.id).await?;
    let roles = catalogue.iter().filter(|role| role_ids.contains(&role.id)).cloned().collect();
    Ok(MemberWithRoles { membership, roles })
}

async fn commit_change(
    engine: &Engine,
    access: &OrganizationAccess,
    steps: Vec<GuardedStatement>,
    event: SecurityEvent,
    id: MembershipId,
) -> Result<MemberWithRoles, Error> {
    let batch = access.record(WriteBatch::new().with_statements(steps), &event)?;
    match engine.store().commit(batch).await? {
        BatchOutcome::Committed(_) => {
            Ok(find_member(engine, access, id).await?.ok_or_else(no_such_member)?)
        }
        BatchOutcome::Conflict(_) => Err(precondition_failed().into()),
    }
}

pub(crate) fn to_roles(roles: &[RoleRow]) -> Vec<Role> {
    roles.iter().map(|role| role.role.clone()).collect()
}

pub(crate) fn roles_refused(rejection: &RoleChangeRejection) -> Refusal {
    let reason = match rejection {
        RoleChangeRejection::NoRoles => OrganizationRefusal::RoleMissing,
        RoleChangeRejection::ExceedsActorPermissions(_) => OrganizationRefusal::RoleChangeWiderThanCaller,
        RoleChangeRejection::OwnersOnly => OrganizationRefusal::OwnerRoleReserved,
        RoleChangeRejection::LastOwner => OrganizationRefusal::LastOwner,
    };
    Refusal::because(reason, rejection.to_string())
}

fn no_such_member() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such member")
}

pub(crate) fn no_such_role() -> Refusal {
    Refusal::because(OrganizationRefusal::RoleNotFound, "no such role")
}
