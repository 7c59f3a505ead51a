//! Who can hold authority, and whether everything it hangs on is alive right now.

use crate::access_control::role::Role;
use crate::client_id::ClientId;
use crate::id::{AccountId, MembershipId, OrganizationId};

/// Who a token speaks for in an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSubject {
    /// A person, through their membership.
    Person {
        /// The global account. It never leaves the service in a token.
        account: AccountId,
        /// The person's identity in this one organization: the `sub` of their tokens.
        membership: MembershipId,
    },
    /// A service or agent acting for itself.
    Machine {
        /// The client, which is the `sub` of its own tokens.
        client: ClientId,
        /// Its membership, which carries its roles.
        membership: MembershipId,
    },
}

/// Whether somebody is signed in where a request comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInStatus {
    /// Somebody is.
    Yes,
    /// Nobody is.
    No,
}

/// Whether a thing counts at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifecycleCondition {
    /// It counts.
    Enabled,
    /// It was disabled or suspended: it counts for nothing until somebody restores it.
    Suspended,
    /// It was revoked, ended or deleted, for good.
    Ended,
}

/// Everything authority hangs on, as one statement read it from the database.
#[derive(Clone, Debug)]
pub struct SubjectState {
    /// Who asks.
    pub subject: TokenSubject,
    /// Where.
    pub organization: OrganizationId,
    /// The person's account; a machine has none and its own client counts twice.
    pub account: LifecycleCondition,
    /// The membership in the organization.
    pub membership: LifecycleCondition,
    /// The organization itself.
    pub organization_condition: LifecycleCondition,
    /// The client that asks on the subject's behalf.
    pub client: LifecycleCondition,
    /// The grant it asks under; enabled where the subject acts for itself.
    pub grant: LifecycleCondition,
    /// The roles the membership carries now.
    pub roles: Vec<Role>,
}

/// Proof that account, membership, organization, client and grant are all alive.
///
/// Only [`SubjectState::alive`] makes one:
/// ```
/// # use sinete_core::people::{ActiveSubject, SubjectState};
/// fn prove(standing: SubjectState) -> ActiveSubject { standing.alive().unwrap() }
/// ```
/// ```compile_fail,E0423
/// # use sinete_core::people::{ActiveSubject, SubjectState};
/// fn prove(standing: SubjectState) -> ActiveSubject { ActiveSubject(standing) }
/// ```
#[derive(Clone, Debug)]
pub struct ActiveSubject(SubjectState);

/// The first thing found that is not alive. Never told to the outside, which only learns that it is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InactiveSubject {
    /// The account.
    #[error("the account is {0:?}")]
    Account(LifecycleCondition),
    /// The membership.
    #[error("the membership is {0:?}")]
    Membership(LifecycleCondition),
    /// The organization.
    #[error("the organization is {0:?}")]
    Organization(LifecycleCondition),
    /// The client.
    #[error("the client is {0:?}")]
    Client(LifecycleCondition),
    /// The grant.
    #[error("the grant is {0:?}")]
    Grant(LifecycleCondition),
}

impl SubjectState {
    /// The witness, if every part is alive.
    pub fn require_active(self) -> Result<ActiveSubject, InactiveSubject> {
        let first_lifeless = [
            InactiveSubject::Account(self.account),
            InactiveSubject::Membership(self.membership),
            InactiveSubject::Organization(self.organization_condition),
            InactiveSubject::Client(self.client),
            InactiveSubject::Grant(self.grant),
        ]
        .into_iter()
        .find(|part| part.condition() != LifecycleCondition::Enabled);
        first_lifeless.map_or(Ok(ActiveSubject(self)), Err)
    }
}

impl InactiveSubject {
    /// The condition the thing is in.
    const fn condition(self) -> LifecycleCondition {
        match self {
            Self::Account(it)
            | Self::Membership(it)
            | Self::Organization(it)
            | Self::Client(it)
            | Self::Grant(it) => it,
        }
    }
}

impl ActiveSubject {
    /// Who is alive.
    pub const fn subject(&self) -> &TokenSubject {
        &self.0.subject
    }

    /// Where.
    pub const fn organization(&self) -> OrganizationId {
        self.0.organization
    }

    /// With which roles.
    pub fn roles(&self) -> &[Role] {
        &self.0.roles
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn standing() -> SubjectState {
        SubjectState {
            subject: TokenSubject::Machine {
                client: "robot".parse().unwrap(),
                membership: MembershipId::from_bytes([2; 16]),
            },
            organization: OrganizationId::from_bytes([3; 16]),
            account: LifecycleCondition::Enabled,
            membership: LifecycleCondition::Enabled,
            organization_condition: LifecycleCondition::Enabled,
            client: LifecycleCondition::Enabled,
            grant: LifecycleCondition::Enabled,
            roles: Vec::new(),
        }
    }

    #[test]
    fn subject_with_one_inactive_part_has_no_authority() {
        assert!(standing().require_active().is_ok());
        for condition in [LifecycleCondition::Suspended, LifecycleCondition::Ended] {
            let cases = [
                (SubjectState { account: condition, ..standing() }, InactiveSubject::Account(condition)),
                (
                    SubjectState { membership: condition, ..standing() },
                    InactiveSubject::Membership(condition),
                ),
                (
                    SubjectState { organization_condition: condition, ..standing() },
                    InactiveSubject::Organization(condition),
                ),
                (SubjectState { client: condition, ..standing() }, InactiveSubject::Client(condition)),
                (SubjectState { grant: condition, ..standing() }, InactiveSubject::Grant(condition)),
            ];
            for (standing, expected) in cases {
                assert_eq!(standing.require_active().unwrap_err(), expected);
            }
        }
    }
}
