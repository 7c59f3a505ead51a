//! Which roles provisioning may assign. Every provisioned user is a member of the organization; other roles
//! can be assigned only by a client that holds their permissions
//! (docs/contribute/decisions/0141-scim-groups-are-roles.md).

use crate::access_control::permission_catalog::BuiltInRole;
use crate::access_control::role::Role;
use crate::organizations::memberships::{
    RoleChangeActor, RoleChangeRejection, check_membership_restore, check_role_change,
};

/// Checks a change of roles by provisioning.
pub fn check_provisioned_roles(
    changer: RoleChangeActor<'_>,
    before: &[Role],
    after: &[Role],
    other_owners: u64,
) -> Result<(), RoleChangeRejection> {
    // Existing roles are not granted by this change, and every provisioned user has the member role.
    let base = after.iter().filter(|role| is_member_role(role)).cloned();
    let before: Vec<Role> = before.iter().cloned().chain(base).collect();
    check_role_change(changer, &before, after, other_owners)
}

/// Checks whether provisioning may restore a disabled member.
pub fn check_provisioned_restore(
    changer: RoleChangeActor<'_>,
    roles: &[Role],
) -> Result<(), RoleChangeRejection> {
    let additional_roles: Vec<Role> = roles.iter().filter(|role| !is_member_role(role)).cloned().collect();
    check_membership_restore(changer, &additional_roles)
}

fn is_member_role(role: &Role) -> bool {
    role.name() == BuiltInRole::Member.name()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access_control::Authority;
    use crate::access_control::subject::{LifecycleCondition, SubjectState, TokenSubject};
    use crate::id::{AccountId, MembershipId, OrganizationId};
    use crate::organization_kind::OrganizationKind::Customer;

    fn provisioner() -> Authority {
        let subject = TokenSubject::User {
            account: AccountId::from_bytes([1; 16]),
            membership: MembershipId::from_bytes([2; 16]),
        };
        let provisions =
            Role::new("scim", ["scim:provision".parse().unwrap()].into_iter().collect()).unwrap();
        let subject_state = SubjectState {
            subject,
            organization: OrganizationId::from_bytes([3; 16]),
            account: LifecycleCondition::Enabled,
            membership: LifecycleCondition::Enabled,
            organization_condition: LifecycleCondition::Enabled,
            client: LifecycleCondition::Enabled,
            grant: LifecycleCondition::Enabled,
            roles: vec![provisions],
        };
        Authority::derive(&subject_state.require_active().unwrap())
    }

    #[test]
    fn scim_client_creates_members_and_grants_no_permission_it_lacks() {
        let authority = provisioner();
        let changer = RoleChangeActor { authority: &authority, is_owner: false };
        let [owner, admin, member] =
            [BuiltInRole::Owner, BuiltInRole::Admin, BuiltInRole::Member].map(|it| it.to_role(Customer));
        let empty = Role::new("engineering", [].into_iter().collect()).unwrap();
        let clerk = Role::new("clerk", ["invoices:read".parse().unwrap()].into_iter().collect()).unwrap();
        let may = |before: &[Role], after: &[Role]| check_provisioned_roles(changer, before, after, 1);
        assert_eq!(may(&[], std::slice::from_ref(&member)), Ok(()));
        assert_eq!(may(&[], &[member.clone(), empty]), Ok(()));
        assert!(matches!(
            may(&[], &[member.clone(), clerk.clone()]),
            Err(RoleChangeRejection::ExceedsActorPermissions(_))
        ));
        assert!(matches!(
            may(&[], &[member.clone(), admin.clone()]),
            Err(RoleChangeRejection::ExceedsActorPermissions(_))
        ));
        assert_eq!(may(&[], &[member.clone(), owner.clone()]), Err(RoleChangeRejection::OwnersOnly));
        assert_eq!(may(&[owner], std::slice::from_ref(&member)), Err(RoleChangeRejection::OwnersOnly));
        assert_eq!(may(std::slice::from_ref(&member), &[]), Err(RoleChangeRejection::NoRoles));
        // Existing roles may be kept and removed.
        assert_eq!(may(std::slice::from_ref(&clerk), &[clerk.clone(), member.clone()]), Ok(()));
        assert_eq!(may(&[clerk.clone(), member.clone()], std::slice::from_ref(&member)), Ok(()));
        assert_eq!(check_provisioned_restore(changer, std::slice::from_ref(&member)), Ok(()));
        assert!(matches!(
            check_provisioned_restore(changer, &[member, clerk]),
            Err(RoleChangeRejection::ExceedsActorPermissions(_))
        ));
        assert!(matches!(
            check_provisioned_restore(changer, &[admin]),
            Err(RoleChangeRejection::ExceedsActorPermissions(_))
        ));
    }
}
