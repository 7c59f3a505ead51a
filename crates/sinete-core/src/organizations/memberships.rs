//! Who may change whose roles. Nobody hands out what they do not hold, and an organization keeps an owner.

use crate::access_control::Authority;
use crate::access_control::permission::Permission;
use crate::access_control::permission_catalog::BuiltInRole;
use crate::access_control::role::Role;

/// Why a change of roles is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoleChangeRejection {
    /// A membership carries at least one role.
    #[error("a membership needs at least one role")]
    None,
    /// The change confers something the one who makes it lacks.
    #[error("the change would confer {0}, which you do not hold")]
    Widening(Permission),
    /// Only an owner makes or unmakes an owner.
    #[error("only an owner decides who is an owner")]
    OwnersOnly,
    /// The organization would have nobody left who owns it.
    #[error("an organization keeps at least one owner")]
    LastOwner,
}

/// Whether a set of roles makes its bearer an owner.
pub fn is_owner(roles: &[Role]) -> bool {
    roles.iter().any(|role| role.name() == BuiltInRole::Owner.name())
}

/// Who makes a change of roles.
#[derive(Clone, Copy, Debug)]
pub struct RoleChangeActor<'a> {
    /// What they may do, as narrowed by the token or key they use.
    pub authority: &'a Authority,
    /// Whether they own the organization themselves, or act in it by assignment.
    pub is_owner: bool,
}

/// Whether roles may change from one set to another. `other_owners` counts the enabled owners beside this
/// membership; the caller guards its write on the count it read.
pub fn check_role_change(
    changer: RoleChangeActor<'_>,
    before: &[Role],
    after: &[Role],
    other_owners: u64,
) -> Result<(), RoleChangeRejection> {
    if after.is_empty() {
        return Err(RoleChangeRejection::None);
    }
    if is_owner(before) != is_owner(after) {
        if !changer.is_owner {
            return Err(RoleChangeRejection::OwnersOnly);
        }
        if is_owner(before) && other_owners == 0 {
            return Err(RoleChangeRejection::LastOwner);
        }
    }
    let kept: Vec<&str> = before.iter().map(Role::name).collect();
    require_held_permissions(changer, after.iter().filter(|role| !kept.contains(&role.name())))
}

/// Whether a membership may go: by leaving, being removed or being disabled.
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

/// Whether what was disabled may count again. That confers its roles anew, so whoever does it must hold what
/// they hold, and who owns the organization is for its owners to say.
pub fn check_membership_restore(
    changer: RoleChangeActor<'_>,
    roles: &[Role],
) -> Result<(), RoleChangeRejection> {
    if is_owner(roles) && !changer.is_owner {
        return Err(RoleChangeRejection::OwnersOnly);
    }
    require_held_permissions(changer, roles.iter())
}

/// Whether whoever makes a change holds everything that these roles do.
fn require_held_permissions<'a>(
    changer: RoleChangeActor<'_>,
    roles: impl Iterator<Item = &'a Role>,
) -> Result<(), RoleChangeRejection> {
    match roles.flat_map(|role| role.permissions().iter()).find(|held| !changer.authority.covers(held)) {
        Some(lacking) => Err(RoleChangeRejection::Widening(lacking.clone())),
        None => Ok(()),
    }
}

/// Whether the contents of a role may become this: the one who changes it must hold everything added.
pub fn check_role_definition(
    authority: &Authority,
    before: Option<&Role>,
    after: &Role,
) -> Result<(), RoleChangeRejection> {
    let held_before =
        |permission: &Permission| before.is_some_and(|role| role.permissions().covers(permission));
    let added = after.permissions().iter().find(|it| !held_before(it) && !authority.covers(it));
    added.map_or(Ok(()), |lacking| Err(RoleChangeRejection::Widening(lacking.clone())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access_control::subject::{LifecycleCondition, SubjectState, TokenSubject};
    use crate::id::{AccountId, MembershipId, OrganizationId};
    use crate::organizations::OrganizationKind::Customer;

    fn authority_of(roles: Vec<Role>) -> Authority {
        let subject = TokenSubject::Person {
            account: AccountId::from_bytes([1; 16]),
            membership: MembershipId::from_bytes([2; 16]),
        };
        let standing = SubjectState {
            subject,
            organization: OrganizationId::from_bytes([3; 16]),
            account: LifecycleCondition::Enabled,
            membership: LifecycleCondition::Enabled,
            organization_condition: LifecycleCondition::Enabled,
            client: LifecycleCondition::Enabled,
            grant: LifecycleCondition::Enabled,
            roles,
        };
        Authority::derive(&standing.require_active().unwrap())
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
            Err(RoleChangeRejection::Widening("invoices:read".parse().unwrap()))
        );
        assert_eq!(
            check_role_change(changer, &before, std::slice::from_ref(&owner), 1),
            Err(RoleChangeRejection::OwnersOnly)
        );
        assert_eq!(check_role_change(changer, &before, &[], 1), Err(RoleChangeRejection::None));
        // What the membership had already is not conferred by this change.
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
        assert!(matches!(check_membership_restore(changer, &[admin]), Err(RoleChangeRejection::Widening(_))));
        assert_eq!(check_membership_restore(changer, &[clerk()]), Ok(()));
    }

    #[test]
    fn role_definition_cannot_contain_permissions_its_author_lacks() {
        let admins = authority_of(vec![BuiltInRole::Admin.to_role(Customer)]);
        let lacking = Err(RoleChangeRejection::Widening("invoices:read".parse().unwrap()));
        assert_eq!(check_role_definition(&admins, None, &clerk()), lacking);
        assert_eq!(check_role_definition(&admins, Some(&clerk()), &clerk()), Ok(()));
        assert_eq!(check_role_definition(&authority_of(vec![clerk()]), None, &clerk()), Ok(()));
    }
}
