//! Invitations grant the roles they were sent with, and none that the membership gained afterwards.

use crate::id::{MembershipId, RoleId};

/// A membership that no account has claimed yet, as read from the database.
#[derive(Clone, Copy, Debug)]
pub struct UnclaimedMembership<'a> {
    /// The membership's id.
    pub id: MembershipId,
    /// Its version, read before its roles.
    pub version: i64,
    /// Its roles.
    pub roles: &'a [RoleId],
}

/// Proof that a membership has no role beyond those offered. Claiming it by invitation requires this proof
/// and an unchanged version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InvitableMembership {
    id: MembershipId,
    version: i64,
}

impl InvitableMembership {
    /// The membership's id.
    pub const fn id(&self) -> MembershipId {
        self.id
    }

    /// The version that was checked.
    pub const fn version(&self) -> i64 {
        self.version
    }
}

/// Checks whether an invitation with these roles may still be accepted. The inviter was authorized only for
/// the offered roles, so a membership with any other role is rejected as a whole.
pub fn check_offered_roles(
    role_ids: &[RoleId],
    membership: &UnclaimedMembership<'_>,
) -> Option<InvitableMembership> {
    let is_covered = membership.roles.iter().all(|role| role_ids.contains(role));
    is_covered.then_some(InvitableMembership { id: membership.id, version: membership.version })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invitation_covers_the_roles_it_offered_or_fewer_only() {
        let [first, second] = [1, 2].map(|byte| RoleId::from_bytes([byte; 16]));
        let id = MembershipId::from_bytes([9; 16]);
        let check = |role_ids: &[RoleId], roles: &[RoleId]| {
            check_offered_roles(role_ids, &UnclaimedMembership { id, version: 7, roles })
        };
        let proof = Some(InvitableMembership { id, version: 7 });
        for (role_ids, assigned_roles) in [
            (&[first][..], &[first][..]),
            (&[first, second], &[second, first]),
            (&[first, second], &[second]),
            (&[first], &[]),
            (&[], &[]),
        ] {
            assert_eq!(check(role_ids, assigned_roles), proof, "{role_ids:?} {assigned_roles:?}");
        }
        for (offered_roles, assigned_roles) in
            [(&[first][..], &[first, second][..]), (&[first], &[second]), (&[], &[first])]
        {
            assert_eq!(check(offered_roles, assigned_roles), None, "{offered_roles:?} {assigned_roles:?}");
        }
    }
}
