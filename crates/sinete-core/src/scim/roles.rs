//! Who may be put into which group. Belonging to the organization is what provisioning is for; anything more is handed
//! out only by whoever holds it (docs/decisions/0141-scim-groups-are-roles.md).

use crate::authority::catalogue::BuiltInRole;
use crate::authority::role::Role;
use crate::people::membership::{RoleChangeActor, RoleChangeRejection, may_change_roles, may_return};

/// Whether roles may change from one set to another by provisioning.
pub fn may_provision(
    changer: RoleChangeActor<'_>,
    before: &[Role],
    after: &[Role],
    other_owners: u64,
) -> Result<(), RoleChangeRejection> {
    // What somebody has already is not conferred by the change, and everybody who is provisioned belongs.
    let base = after.iter().filter(|role| belongs(role)).cloned();
    let before: Vec<Role> = before.iter().cloned().chain(base).collect();
    may_change_roles(changer, &before, after, other_owners)
}

/// Whether somebody who was disabled may count again by provisioning.
pub fn may_provision_again(changer: RoleChangeActor<'_>, roles: &[Role]) -> Result<(), RoleChangeRejection> {
    let more: Vec<Role> = roles.iter().filter(|role| !belongs(role)).cloned().collect();
    may_return(changer, &more)
}

fn belongs(role: &Role) -> bool {
    role.name() == BuiltInRole::Member.name()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::authority::Authority;
    use crate::id::{AccountId, MembershipId, OrganizationId};
    use crate::people::organization::OrganizationKind::Customer;
    use crate::people::{LifecycleCondition, SubjectState, TokenSubject};

    fn provisioner() -> Authority {
        let subject = TokenSubject::Person {
            account: AccountId::from_bytes([1; 16]),
            membership: MembershipId::from_bytes([2; 16]),
        };
        let provisions =
            Role::new("scim", ["scim:provision".parse().unwrap()].into_iter().collect()).unwrap();
        let standing = SubjectState {
            subject,
            organization: OrganizationId::from_bytes([3; 16]),
            account: LifecycleCondition::Enabled,
            membership: LifecycleCondition::Enabled,
            organization_condition: LifecycleCondition::Enabled,
            client: LifecycleCondition::Enabled,
            grant: LifecycleCondition::Enabled,
            roles: vec![provisions],
        };
        Authority::of(&standing.alive().unwrap())
    }

    #[test]
    fn whoever_provisions_makes_members_and_hands_out_nothing_that_they_lack() {
        let authority = provisioner();
        let changer = RoleChangeActor { authority: &authority, is_owner: false };
        let [owner, admin, member] =
            [BuiltInRole::Owner, BuiltInRole::Admin, BuiltInRole::Member].map(|it| it.role(Customer));
        let empty = Role::new("engineering", [].into_iter().collect()).unwrap();
        let clerk = Role::new("clerk", ["invoices:read".parse().unwrap()].into_iter().collect()).unwrap();
        let may = |before: &[Role], after: &[Role]| may_provision(changer, before, after, 1);
        assert_eq!(may(&[], std::slice::from_ref(&member)), Ok(()));
        assert_eq!(may(&[], &[member.clone(), empty]), Ok(()));
        assert!(matches!(may(&[], &[member.clone(), clerk.clone()]), Err(RoleChangeRejection::Widening(_))));
        assert!(matches!(may(&[], &[member.clone(), admin.clone()]), Err(RoleChangeRejection::Widening(_))));
        assert_eq!(may(&[], &[member.clone(), owner.clone()]), Err(RoleChangeRejection::OwnersOnly));
        assert_eq!(may(&[owner], std::slice::from_ref(&member)), Err(RoleChangeRejection::OwnersOnly));
        assert_eq!(may(std::slice::from_ref(&member), &[]), Err(RoleChangeRejection::None));
        // What somebody carries already may stay, and may go.
        assert_eq!(may(std::slice::from_ref(&clerk), &[clerk.clone(), member.clone()]), Ok(()));
        assert_eq!(may(&[clerk.clone(), member.clone()], std::slice::from_ref(&member)), Ok(()));
        assert_eq!(may_provision_again(changer, std::slice::from_ref(&member)), Ok(()));
        assert!(matches!(
            may_provision_again(changer, &[member, clerk]),
            Err(RoleChangeRejection::Widening(_))
        ));
        assert!(matches!(may_provision_again(changer, &[admin]), Err(RoleChangeRejection::Widening(_))));
    }
}
