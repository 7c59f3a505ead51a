//! Changes of group membership.

use crate::Engine;
use crate::access_control::organization_access::OrganizationAccess;
use crate::organizations::members;
use crate::organizations::members::{MemberWithRoles, ownership_guard, roles_refused, to_roles};
use crate::organizations::role_assignment;
use crate::scim::Error;
use crate::scim::resources::ProvisionedGroup;
use crate::scim::users::{find_user, parse_id};
use sinete_core::access_control::permission_catalog::BuiltInRole;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::events::security_event::EventKind;
use sinete_core::limits::SCIM_MEMBERS_CHANGED_MAX;
use sinete_core::organizations::memberships::is_owner;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::scim::ScimRefusal;
use sinete_core::scim::group_members::check_provisioned_roles;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;
use sinete_store::organizations::roles;
use sinete_store::organizations::roles::RoleRow;
use sinete_store::{GuardedStatement, WriteBatch};

/// The added and removed members, by id.
pub(super) struct GroupDifference {
    pub(super) added: Vec<String>,
    pub(super) removed: Vec<String>,
}

/// Adds the member changes to the batch. A member without other roles keeps the member role.
pub(super) async fn prepare_member_changes(
    engine: &Engine,
    access: &OrganizationAccess,
    group: &ProvisionedGroup,
    difference: &GroupDifference,
    batch: WriteBatch,
) -> Result<WriteBatch, Error> {
    let changed = difference.added.len() + difference.removed.len();
    if changed > SCIM_MEMBERS_CHANGED_MAX {
        return Err(Refusal::because(ScimRefusal::TooManyMembers, "too many members change").into());
    }
    let mut catalogue = roles::list_roles(engine.store(), access.organization.id).await?;
    if !catalogue.iter().any(|role| role.id == group.role.id) {
        // The role is created in the same batch.
        catalogue.push(group.role.clone());
    }
    let mut concerned = Vec::new();
    for (ids, comes) in [(&difference.added, true), (&difference.removed, false)] {
        for id in ids {
            let user = find_user(engine, access, parse_id(id)?).await?;
            concerned.push((members::load_member_roles(engine, user.membership, &catalogue).await?, comes));
        }
    }
    let owners_left = count_remaining_owners(engine, group, &catalogue, &concerned).await?;
    // Changes of owners are decided on the organization's owners as they were read.
    let is_about_owners = changed > 0 && is_owner(std::slice::from_ref(&group.role.role));
    let mut batch = WriteBatch::new().with_statements(ownership_guard(access, is_about_owners)).append(batch);
    for (member, comes) in &concerned {
        let change = GroupMemberChange { member, group: &group.role, is_added: *comes, owners_left };
        batch = change.with_event(engine, access, &catalogue, batch).await?;
    }
    Ok(batch)
}

/// The number of owners that the request does not remove.
async fn count_remaining_owners(
    engine: &Engine,
    group: &ProvisionedGroup,
    catalogue: &[RoleRow],
    concerned: &[(MemberWithRoles, bool)],
) -> Result<u64, Error> {
    let Some((first, _)) = concerned.iter().find(|(_, comes)| !comes) else { return Ok(u64::MAX) };
    if !is_owner(std::slice::from_ref(&group.role.role)) {
        return Ok(u64::MAX);
    }
    let counts = |member: &MemberWithRoles| {
        member.membership.condition == LifecycleCondition::Enabled
            && matches!(member.membership.holder, MembershipHolder::User(_))
    };
    let going = concerned.iter().filter(|(member, comes)| !comes && counts(member)).count();
    let beside_first = members::count_other_owners(engine, first, catalogue).await?;
    let beside_first_going = going.saturating_sub(usize::from(counts(first)));
    Ok(beside_first.saturating_sub(u64::try_from(beside_first_going).unwrap_or(u64::MAX)))
}

/// One member who is added to or removed from a group.
struct GroupMemberChange<'a> {
    member: &'a MemberWithRoles,
    group: &'a RoleRow,
    is_added: bool,
    owners_left: u64,
}

impl GroupMemberChange<'_> {
    /// The roles after the change. A member without any gets the member role.
    fn roles_after<'c>(&self, catalogue: &'c [RoleRow]) -> Vec<&'c RoleRow> {
        let carries = |role: &RoleRow| self.member.roles.iter().any(|it| it.id == role.id);
        let stays = |role: &&RoleRow| {
            if role.id == self.group.id { self.is_added } else { carries(role) }
        };
        let then: Vec<_> = catalogue.iter().filter(stays).collect();
        if !then.is_empty() {
            return then;
        }
        let is_base = |role: &&RoleRow| role.is_built_in && role.role.name() == BuiltInRole::Member.name();
        catalogue.iter().filter(is_base).filter(|role| role.id != self.group.id).collect()
    }

    async fn with_event(
        &self,
        engine: &Engine,
        access: &OrganizationAccess,
        catalogue: &[RoleRow],
        batch: WriteBatch,
    ) -> Result<WriteBatch, Error> {
        let (membership, now) = (&self.member.membership, access.now());
        let then = self.roles_after(catalogue);
        let before = to_roles(&self.member.roles);
        let roles = role_assignment::effective_roles(engine, access, &then).await?;
        check_provisioned_roles(access.role_changer(), &before, &roles, self.owners_left)
            .map_err(|rejection| roles_refused(&rejection))?;
        let carries = |role: &&&RoleRow| self.member.roles.iter().any(|it| it.id == role.id);
        let mut steps: Vec<GuardedStatement> =
            vec![memberships::advance_membership_version(membership.id, membership.version, now)];
        let added = then.iter().filter(|role| !carries(role));
        steps.extend(added.map(|role| memberships::add_role(membership.id, role.id, now)));
        let dropped = self.member.roles.iter().filter(|role| !then.iter().any(|it| it.id == role.id));
        steps.extend(dropped.map(|role| memberships::remove_role(membership.id, role.id, now)));
        let mut names: Vec<String> = then.iter().map(|role| role.role.name().to_owned()).collect();
        names.sort();
        let event =
            access.event(engine, EventKind::MembershipRolesChanged).with_subject("membership", membership.id);
        let event = event.with_detail("roles", names).with_detail("provisioned", true);
        Ok(access.record(batch.with_statements(steps), &event)?)
    }
}
