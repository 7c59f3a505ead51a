//! Who may be put into which group. Belonging to the organization is what provisioning is for; anything more is handed
//! out only by whoever holds it (docs/decisions/0141-groups-are-roles.md).

use crate::authority::catalogue::BuiltInRole;
use crate::authority::role::Role;
use crate::people::membership::{Changer, RolesRefused, may_change_roles, may_return};

/// Whether roles may change from one set to another by provisioning.
pub fn may_provision(
    changer: Changer<'_>,
    before: &[Role],
    after: &[Role],
    other_owners: u64,
) -> Result<(), RolesRefused> {
    // What somebody has already is not conferred by the change, and everybody who is provisioned belongs.
    let base = after.iter().filter(|role| belongs(role)).cloned();
    let before: Vec<Role> = before.iter().cloned().chain(base).collect();
    may_change_roles(changer, &before, after, other_owners)
}

/// Whether somebody who was disabled may count again by provisioning.
pub fn may_provision_again(changer: Changer<'_>, roles: &[Role]) -> Result<(), RolesRefused> {
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
    use crate::people::{Condition, Standing, Subject};

    fn provisioner() -> Authority {
        let subject = Subject::Person {
            account: AccountId::from_bytes([1; 16]),
            membership: MembershipId::from_bytes([2; 16]),
        };
        let provisions =
            Role::new("scim", ["scim:provision".parse().unwrap()].into_iter().collect()).unwrap();
        let standing = Standing {
            subject,
            organization: OrganizationId::from_bytes([3; 16]),
            account: Condition::Enabled,
            membership: Condition::Enabled,
            organization_condition: Condition::Enabled,
            client: Condition::Enabled,
            grant: Condition::Enabled,
            roles: vec![provisions],
        };
        Authority::of(&standing.alive().unwrap())
    }

    #[test]
    fn whoever_provisions_makes_members_and_hands_out_nothing_that_they_lack() {
        let authority = provisioner();
        let changer = Changer { authority: &authority, is_owner: false };
        let [owner, admin, member] =
            [BuiltInRole::Owner, BuiltInRole::Admin, BuiltInRole::Member].map(|it| it.role(Customer));
        let empty = Role::new("engineering", [].into_iter().collect()).unwrap();
        let clerk = Role::new("clerk", ["invoices:read".parse().unwrap()].into_iter().collect()).unwrap();
        let may = |before: &[Role], after: &[Role]| may_provision(changer, before, after, 1);
        assert_eq!(may(&[], std::slice::from_ref(&member)), Ok(()));
        assert_eq!(may(&[], &[member.clone(), empty]), Ok(()));
        assert!(matches!(may(&[], &[member.clone(), clerk.clone()]), Err(RolesRefused::Widening(_))));
        assert!(matches!(may(&[], &[member.clone(), admin.clone()]), Err(RolesRefused::Widening(_))));
        assert_eq!(may(&[], &[member.clone(), owner.clone()]), Err(RolesRefused::OwnersOnly));
        assert_eq!(may(&[owner], std::slice::from_ref(&member)), Err(RolesRefused::OwnersOnly));
        assert_eq!(may(std::slice::from_ref(&member), &[]), Err(RolesRefused::None));
        // What somebody carries already may stay, and may go.
        assert_eq!(may(std::slice::from_ref(&clerk), &[clerk.clone(), member.clone()]), Ok(()));
        assert_eq!(may(&[clerk.clone(), member.clone()], std::slice::from_ref(&member)), Ok(()));
        assert_eq!(may_provision_again(changer, std::slice::from_ref(&member)), Ok(()));
        assert!(matches!(may_provision_again(changer, &[member, clerk]), Err(RolesRefused::Widening(_))));
        assert!(matches!(may_provision_again(changer, &[admin]), Err(RolesRefused::Widening(_))));
    }
}
