//! What an invitation gives away: the roles it was sent with, and nothing that its membership gained afterwards.

use crate::id::{MembershipId, RoleId};

/// A membership that nobody has claimed yet, as it was read.
#[derive(Clone, Copy, Debug)]
pub struct UnclaimedMembership<'a> {
    /// Which one.
    pub id: MembershipId,
    /// How often it has changed, read before its roles.
    pub version: i64,
    /// The roles it carries.
    pub roles: &'a [RoleId],
}

/// Proof that a membership carries no role beyond those it was offered with. Claiming it by invitation takes this, and only
/// while the membership is still as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OfferedMembership {
    id: MembershipId,
    version: i64,
}

impl OfferedMembership {
    /// Which one.
    pub const fn id(&self) -> MembershipId {
        self.id
    }

    /// How often it had changed when it was checked.
    pub const fn version(&self) -> i64 {
        self.version
    }
}

/// Whether an invitation that offered these roles may still give the membership away. Who invited was allowed to confer the
/// offered roles and was asked about no others, so a membership that carries one more is refused whole: neither it nor the
/// part that was offered is given.
pub fn check_offered_roles(
    offered: &[RoleId],
    membership: &UnclaimedMembership<'_>,
) -> Option<OfferedMembership> {
    let is_covered = membership.roles.iter().all(|role| offered.contains(role));
    is_covered.then_some(OfferedMembership { id: membership.id, version: membership.version })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn invitation_covers_the_roles_it_offered_or_fewer_only() {
        let [first, second] = [1, 2].map(|byte| RoleId::from_bytes([byte; 16]));
        let id = MembershipId::from_bytes([9; 16]);
        let check = |offered: &[RoleId], roles: &[RoleId]| {
            check_offered_roles(offered, &UnclaimedMembership { id, version: 7, roles })
        };
        let proof = Some(OfferedMembership { id, version: 7 });
        for (offered, carried) in [
            (&[first][..], &[first][..]),
            (&[first, second], &[second, first]),
            (&[first, second], &[second]),
            (&[first], &[]),
            (&[], &[]),
        ] {
            assert_eq!(check(offered, carried), proof, "{offered:?} {carried:?}");
        }
        for (offered, carried) in
            [(&[first][..], &[first, second][..]), (&[first], &[second]), (&[], &[first])]
        {
            assert_eq!(check(offered, carried), None, "{offered:?} {carried:?}");
        }
    }
}
