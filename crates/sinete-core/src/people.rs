//! Who can hold authority, and whether everything it hangs on is alive right now.

pub mod address;
pub mod branding;
pub mod claims;
pub mod domain;
pub mod former;
pub mod incoming;
pub mod invitation;
pub mod language;
pub mod logo;
pub mod membership;
pub mod organization;
pub mod phone;
pub mod profile;
pub mod search;
pub mod settings;
pub mod ways_in;

use crate::authority::role::Role;
use crate::client::ClientId;
use crate::id::{AccountId, MembershipId, OrganizationId};

/// Who a token speaks for in an organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
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
pub enum SignedIn {
    /// Somebody is.
    Yes,
    /// Nobody is.
    No,
}

/// Whether a thing counts at this moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It counts.
    Enabled,
    /// It was disabled or suspended: it counts for nothing until somebody restores it.
    Suspended,
    /// It was revoked, ended or deleted, for good.
    Ended,
}

/// Everything authority hangs on, as one statement read it from the database.
#[derive(Clone, Debug)]
pub struct Standing {
    /// Who asks.
    pub subject: Subject,
    /// Where.
    pub organization: OrganizationId,
    /// The person's account; a machine has none and its own client counts twice.
    pub account: Condition,
    /// The membership in the organization.
    pub membership: Condition,
    /// The organization itself.
    pub organization_condition: Condition,
    /// The client that asks on the subject's behalf.
    pub client: Condition,
    /// The grant it asks under; enabled where the subject acts for itself.
    pub grant: Condition,
    /// The roles the membership carries now.
    pub roles: Vec<Role>,
}

/// Proof that account, membership, organization, client and grant are all alive.
///
/// Only [`Standing::alive`] makes one:
/// ```
/// # use sinete_core::people::{Alive, Standing};
/// fn prove(standing: Standing) -> Alive { standing.alive().unwrap() }
/// ```
/// ```compile_fail,E0423
/// # use sinete_core::people::{Alive, Standing};
/// fn prove(standing: Standing) -> Alive { Alive(standing) }
/// ```
#[derive(Clone, Debug)]
pub struct Alive(Standing);

/// The first thing found that is not alive. Never told to the outside, which only learns that it is so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lifeless {
    /// The account.
    #[error("the account is {0:?}")]
    Account(Condition),
    /// The membership.
    #[error("the membership is {0:?}")]
    Membership(Condition),
    /// The organization.
    #[error("the organization is {0:?}")]
    Organization(Condition),
    /// The client.
    #[error("the client is {0:?}")]
    Client(Condition),
    /// The grant.
    #[error("the grant is {0:?}")]
    Grant(Condition),
}

impl Standing {
    /// The witness, if every part is alive.
    pub fn alive(self) -> Result<Alive, Lifeless> {
        let first_lifeless = [
            Lifeless::Account(self.account),
            Lifeless::Membership(self.membership),
            Lifeless::Organization(self.organization_condition),
            Lifeless::Client(self.client),
            Lifeless::Grant(self.grant),
        ]
        .into_iter()
        .find(|part| part.condition() != Condition::Enabled);
        first_lifeless.map_or(Ok(Alive(self)), Err)
    }
}

impl Lifeless {
    /// The condition the thing is in.
    const fn condition(self) -> Condition {
        match self {
            Self::Account(it)
            | Self::Membership(it)
            | Self::Organization(it)
            | Self::Client(it)
            | Self::Grant(it) => it,
        }
    }
}

impl Alive {
    /// Who is alive.
    pub const fn subject(&self) -> &Subject {
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

    fn standing() -> Standing {
        Standing {
            subject: Subject::Machine {
                client: "robot".parse().unwrap(),
                membership: MembershipId::from_bytes([2; 16]),
            },
            organization: OrganizationId::from_bytes([3; 16]),
            account: Condition::Enabled,
            membership: Condition::Enabled,
            organization_condition: Condition::Enabled,
            client: Condition::Enabled,
            grant: Condition::Enabled,
            roles: Vec::new(),
        }
    }

    #[test]
    fn one_part_that_is_not_alive_is_enough_to_confer_nothing() {
        assert!(standing().alive().is_ok());
        for condition in [Condition::Suspended, Condition::Ended] {
            let cases = [
                (Standing { account: condition, ..standing() }, Lifeless::Account(condition)),
                (Standing { membership: condition, ..standing() }, Lifeless::Membership(condition)),
                (
                    Standing { organization_condition: condition, ..standing() },
                    Lifeless::Organization(condition),
                ),
                (Standing { client: condition, ..standing() }, Lifeless::Client(condition)),
                (Standing { grant: condition, ..standing() }, Lifeless::Grant(condition)),
            ];
            for (standing, expected) in cases {
                assert_eq!(standing.alive().unwrap_err(), expected);
            }
        }
    }
}
