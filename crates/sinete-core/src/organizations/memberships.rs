//! Role changes: members cannot assign permissions they do not hold, and an organization always has an owner.

use crate::access_control::Authority;
use crate::access_control::permission::Permission;
use crate::access_control::permission_catalog::BuiltInRole;
use crate::access_control::role::Role;

/// Why a role change is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoleChangeRejection {
    /// A membership needs at least one role.
    #[error("a membership needs at least one role")]
    NoRoles,
    /// The change grants a permission that the actor lacks.
    #[error("the change would grant {0}, which you do not hold")]
    ExceedsActorPermissions(Permission),
    /// Only an owner can add or remove an owner.
    #[error("only an owner can add or remove an owner")]
    OwnersOnly,
    /// The organization would have no owner left.
    #[error("an organization must have at least one owner")]
    LastOwner,
}

/// Whether the roles include owner.
pub fn is_owner(roles: &[Role]) -> bool {
    roles.iter().any(|role| role.name() == BuiltInRole::Owner.name())
}

/// The actor of a role change.
#[derive(Clone, Copy, Debug)]
pub struct RoleChangeActor<'a> {
    /// The actor's authority, as narrowed by their token or API key.
    pub authority: &'a Authority,
    /// Whether the actor owns the organization or acts in it by assignment.
    pub is_owner: bool,
}

/// Checks a change from one set of roles to another. `other_owners` counts the other enabled owners; the
/// caller guards its write on the count it read.
pub fn check_role_change(
    changer: RoleChangeActor<'_>,
    before: &[Role],
    after: &[Role],
    other_owners: u64,
) -> Result<(), RoleChangeRejection> {
    if after.is_empty() {
        return Err(RoleChangeRejection::NoRoles);
    }
    if is_owner(before) != is_owner(after) {
        if !changer.is_owner {
            return Err(RoleChangeRejection::OwnersOnly);
        }
        if is_owner(before) && other_owners == 0 {
            return Err(RoleChangeRejection::LastOwner);
        }
    }
    let previous_names: Vec<&str> = before.iter().map(Role::name).collect();
    require_role_permissions(changer, after.iter().filter(|role| !previous_names.contains(&role.name())))
}

/// Checks whether a membership may be left, removed or disabled.
pub fn check_membership_removal(
    changer_is_owner: bool,
    roles: &[Role],
    other_owners: u64,
) -> Result<(), RoleChangeRejection> {
    match (is_owner(roles), changer_is_owner, other_owners) {
        (true, false, _) => Err(RoleChangeRejection::OwnersOnly),
        (true, true, 0) => Err(RoleChangeRejection::LastOwner),
        (true, true, _) | (false, _, _) => Ok(()),
    }
}

/// Checks whether a disabled membership may be restored. That grants its roles again, so the actor must hold
/// their permissions, and only an owner can restore an owner.
pub fn check_membership_restore(
    changer: RoleChangeActor<'_>,
    roles: &[Role],
) -> Result<(), RoleChangeRejection> {
    if is_owner(roles) && !changer.is_owner {
        return Err(RoleChangeRejection::OwnersOnly);
    }
    require_role_permissions(changer, roles.iter())
}

/// Checks that the actor holds all permissions of these roles.
fn require_role_permissions<'a>(
    changer: RoleChangeActor<'_>,
    roles: impl Iterator<Item = &'a Role>,
) -> Result<(), RoleChangeRejection> {
    match roles
        .flat_map(|role| role.permissions().iter())
        .find(|permission| !changer.authority.covers(permission))
    {
        Some(permission) => Err(RoleChangeRejection::ExceedsActorPermissions(permission.clone())),
        None => Ok(()),
    }
}

/// Checks a change of a role's permissions: the actor must hold every added one.
pub fn check_role_definition(
    authority: &Authority,
    before: Option<&Role>,
    after: &Role,
) -> Result<(), RoleChangeRejection> {
    let held_before =
        |permission: &Permission| before.is_some_and(|role| role.permissions().covers(permission));
    let added = after.permissions().iter().find(|it| !held_before(it) && !authority.covers(it));
    added.map_or(Ok(()), |permission| Err(RoleChangeRejection::ExceedsActorPermissions(permission.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access_control::subject::{LifecycleCondition, SubjectState, TokenSubject};
    use crate::id::{AccountId, MembershipId, OrganizationId};
    use crate::organization_kind::OrganizationKind::Customer;

    fn authority_of(roles: Vec<Role>) -> Authority {
        let subject = TokenSubject::User {
            account: AccountId::from_bytes([1; 16]),
            membership: MembershipId::from_bytes([2; 16]),
        };
        let subject_state = SubjectState {
            subject,
            organization: OrganizationId::from_bytes([3; 16]),
            account: LifecycleCondition::Enabled,
            membership: LifecycleCondition::Enabled,
            organization_condition: LifecycleCondition::Enabled,
            client: LifecycleCondition::Enabled,
            grant: LifecycleCondition::Enabled,
            roles,
        };
        Authority::derive(&subject_state.require_active().unwrap())
    }

    fn clerk() -> Role {
        Role::new("clerk", ["invoices:read".parse().unwrap()].into_iter().collect()).unwrap()
    }

    #[test]
    fn role_change_cannot_grant_permissions_the_changer_lacks() {
        let [owner, admin, member] =
            [BuiltInRole::Owner, BuiltInRole::Admin, BuiltInRole::Member].map(|it| it.to_role(Customer));
        let admins = authority_of(vec![admin.clone()]);
        let changer = RoleChangeActor { authority: &admins, is_owner: false };
        let before = [member.clone()];
        assert_eq!(check_role_change(changer, &before, std::slice::from_ref(&admin), 1), Ok(()));
        assert_eq!(
            check_role_change(changer, &before, &[clerk()], 1),
            Err(RoleChangeRejection::ExceedsActorPermissions("invoices:read".parse().unwrap()))
        );
        assert_eq!(
            check_role_change(changer, &before, std::slice::from_ref(&owner), 1),
            Err(RoleChangeRejection::OwnersOnly)
        );
        assert_eq!(check_role_change(changer, &before, &[], 1), Err(RoleChangeRejection::NoRoles));
        // Permissions the membership already had are not granted by this change.
        assert_eq!(check_role_change(changer, &[clerk()], &[clerk(), member], 1), Ok(()));
    }

    #[test]
    fn role_change_cannot_remove_the_last_owner() {
        let [owner, member] = [BuiltInRole::Owner, BuiltInRole::Member].map(|it| it.to_role(Customer));
        let owners = authority_of(vec![owner.clone()]);
        let changer = RoleChangeActor { authority: &owners, is_owner: true };
        let (before, after) = ([owner], [member]);
        assert_eq!(check_role_change(changer, &before, &after, 0), Err(RoleChangeRejection::LastOwner));
        assert_eq!(check_role_change(changer, &before, &after, 1), Ok(()));
        assert_eq!(check_membership_removal(true, &before, 0), Err(RoleChangeRejection::LastOwner));
        assert_eq!(check_membership_removal(false, &before, 5), Err(RoleChangeRejection::OwnersOnly));
        assert_eq!(check_membership_removal(true, &before, 1), Ok(()));
        assert_eq!(check_membership_removal(false, &after, 0), Ok(()));
        let lesser = RoleChangeActor { authority: &owners, is_owner: false };
        assert_eq!(check_membership_restore(lesser, &before), Err(RoleChangeRejection::OwnersOnly));
        assert_eq!(
            (check_membership_restore(changer, &before), check_membership_restore(lesser, &after)),
            (Ok(()), Ok(()))
        );
    }

    #[test]
    fn disabled_member_is_re_enabled_only_by_a_holder_of_its_permissions() {
        let clerks = authority_of(vec![clerk()]);
        let changer = RoleChangeActor { authority: &clerks, is_owner: false };
        let admin = BuiltInRole::Admin.to_role(Customer);
        assert!(matches!(
            check_membership_restore(changer, &[admin]),
            Err(RoleChangeRejection::ExceedsActorPermissions(_))
        ));
        assert_eq!(check_membership_restore(changer, &[clerk()]), Ok(()));
    }

    #[test]
    fn role_definition_cannot_contain_permissions_its_author_lacks() {
        let admins = authority_of(vec![BuiltInRole::Admin.to_role(Customer)]);
        let result = Err(RoleChangeRejection::ExceedsActorPermissions("invoices:read".parse().unwrap()));
        assert_eq!(check_role_definition(&admins, None, &clerk()), result);
        assert_eq!(check_role_definition(&admins, Some(&clerk()), &clerk()), Ok(()));
        assert_eq!(check_role_definition(&authority_of(vec![clerk()]), None, &clerk()), Ok(()));
    }
}
