//! Subjects, and whether everything their authority depends on is active.

use crate::access_control::role::Role;
use crate::client_id::ClientId;
use crate::id::{AccountId, MembershipId, OrganizationId};

/// The subject of a token in an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenSubject {
    /// A user, through their membership.
    User {
        /// The global account. It never appears in a token.
        account: AccountId,
        /// The user's identity in this organization: the `sub` of their tokens.
        membership: MembershipId,
    },
    /// A service or agent acting for itself.
    Machine {
        /// The client: the `sub` of its own tokens.
        client: ClientId,
        /// Its membership, which holds its roles.
        membership: MembershipId,
    },
}

/// Whether a user is signed in in the requesting browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInStatus {
    /// A user is signed in.
    SignedIn,
    /// No user is signed in.
    SignedOut,
}

/// The lifecycle state of an account, membership, organization, client or grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LifecycleCondition {
    /// Active.
    Enabled,
    /// Disabled or suspended; can be restored.
    Suspended,
    /// Revoked, ended or deleted permanently.
    Ended,
}

/// Everything that authority depends on, read from the database in one statement.
#[derive(Clone, Debug)]
pub struct SubjectState {
    /// The subject.
    pub subject: TokenSubject,
    /// The organization.
    pub organization: OrganizationId,
    /// The user's account. A machine has none: its client's state is used.
    pub account: LifecycleCondition,
    /// The subject's membership.
    pub membership: LifecycleCondition,
    /// The organization's state.
    pub organization_condition: LifecycleCondition,
    /// The client that acts on the subject's behalf.
    pub client: LifecycleCondition,
    /// The grant in use; `Enabled` if the subject acts for itself.
    pub grant: LifecycleCondition,
    /// The membership's current roles.
    pub roles: Vec<Role>,
}

/// Proof that account, membership, organization, client and grant are all active.
///
/// Only [`SubjectState::require_active`] returns one:
/// ```
/// # use sinete_core::access_control::subject::{ActiveSubject, SubjectState};
/// fn prove(standing: SubjectState) -> ActiveSubject { standing.require_active().unwrap() }
/// ```
/// ```compile_fail,E0423
/// # use sinete_core::access_control::subject::{ActiveSubject, SubjectState};
/// fn prove(standing: SubjectState) -> ActiveSubject { ActiveSubject(standing) }
/// ```
#[derive(Clone, Debug)]
pub struct ActiveSubject(SubjectState);

/// The first part that is not active. Never revealed to clients.
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
    /// Returns the proof if every part is active.
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
    /// The state of the inactive part.
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
    /// The subject.
    pub const fn subject(&self) -> &TokenSubject {
        &self.0.subject
    }

    /// The organization.
    pub const fn organization(&self) -> OrganizationId {
        self.0.organization
    }

    /// The subject's roles.
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
            for (subject_state, expected) in cases {
                assert_eq!(subject_state.require_active().unwrap_err(), expected);
            }
        }
    }
}
