//! What the word of an organization's provider makes of somebody here. An identity is a provider and a subject. The
//! address a provider reports finds nobody: it only decides whether somebody who is not known may become known.

use crate::access_control::subject::LifecycleCondition;
use crate::accounts::email_address::EmailAddress;
use crate::id::{AccountId, ConnectionId, MembershipId, OrganizationId};
use crate::identity_providers::oidc::id_token::IdentityProviderClaims;
use crate::organizations::member_profile::{MemberProfile, ProfileText};
use serde::{Deserialize, Serialize};

/// Somebody, as a provider knows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalIdentity {
    /// The provider.
    pub provider: String,
    /// Who it says they are.
    pub subject: String,
}

impl ExternalIdentity {
    /// Whose provider it is, and who that provider is; nothing where it is no provider of an organization.
    pub fn split_provider_key(&self) -> Option<(OrganizationId, &str)> {
        let (organization, issuer) = self.provider.split_once(' ')?;
        Some((organization.parse().ok()?, issuer))
    }
}

/// What the provider's word makes of somebody.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityResolution {
    /// Nothing new: they are known, and a member.
    Known,
    /// A membership that waited for them is theirs.
    Claims {
        /// The membership, and through which connection it is claimed.
        waiting: WaitingMembership,
        /// How the provider knows them, where that is new.
        identity: Option<ExternalIdentity>,
        /// Whether an account is made for them.
        is_newcomer: bool,
    },
    /// An account and a membership are made for them.
    Joins {
        /// How the provider knows them.
        identity: ExternalIdentity,
        /// What the organization knows of them, with the address it vouches for.
        profile: MemberProfile,
        /// That address.
        address: EmailAddress,
    },
    /// The account they are signed in to is theirs at the provider too.
    Links(ExternalIdentity),
}

/// A provisioned membership that belongs to nobody yet, and the connection through which it is claimed: one that an owner
/// confirmed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WaitingMembership {
    /// The membership.
    pub membership: MembershipId,
    /// The connection.
    pub connection: ConnectionId,
}

/// What is known here about whoever a provider reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalIdentityFacts {
    /// The account that the identity belongs to, with its condition.
    pub account: Option<(AccountId, LifecycleCondition)>,
    /// The membership that account has in the organization, with its condition; none where it has none that has not ended.
    pub membership: Option<LifecycleCondition>,
    /// The membership that was provisioned for them and belongs to nobody yet, where it can be claimed here.
    pub waiting: Option<WaitingMembership>,
    /// Whether the one that was provisioned for them is switched off, is somebody's who is not known by this provider, or
    /// waits for a connection that an owner confirmed.
    pub is_taken: bool,
    /// Whether the organization removed or switched off somebody whom it knew by the same.
    pub was_removed: bool,
    /// Whether a domain that the organization proved vouches for the address the provider reports as verified.
    pub is_vouched_for: bool,
}

/// Why somebody is turned away. Outside all of them look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExternalIdentityRejection {
    /// Their account does not count.
    #[error("the account cannot sign in")]
    Account,
    /// They are no member any more, or their membership is switched off.
    #[error("the membership has ended or is switched off")]
    Membership,
    /// Nobody knows them, and nothing vouches for them.
    #[error("an unknown identity without a provisioned membership or a domain that vouches for its address")]
    Unknown,
}

/// Decides what becomes of whoever a provider reports.
pub fn resolve_identity(
    identity: ExternalIdentity,
    reported: &IdentityProviderClaims,
    facts: ExternalIdentityFacts,
) -> Result<IdentityResolution, ExternalIdentityRejection> {
    match (facts.account, facts.membership) {
        (Some((_, LifecycleCondition::Suspended | LifecycleCondition::Ended)), _) => {
            Err(ExternalIdentityRejection::Account)
        }
        (Some(_), Some(LifecycleCondition::Enabled)) => Ok(IdentityResolution::Known),
        (Some(_), Some(LifecycleCondition::Suspended | LifecycleCondition::Ended)) => {
            Err(ExternalIdentityRejection::Membership)
        }
        // Whoever was removed does not come back by signing in; whoever was provisioned again does.
        (Some(_), None) => match facts.waiting {
            Some(waiting) => Ok(IdentityResolution::Claims { waiting, identity: None, is_newcomer: false }),
            None => Err(ExternalIdentityRejection::Membership),
        },
        (None, _) => match (facts.waiting, &reported.verified_email) {
            (Some(waiting), _) => {
                Ok(IdentityResolution::Claims { waiting, identity: Some(identity), is_newcomer: true })
            }
            // Whom the directory switched off does not come back as somebody new.
            (None, _) if facts.is_taken || facts.was_removed => Err(ExternalIdentityRejection::Membership),
            (None, Some(address)) if facts.is_vouched_for => Ok(IdentityResolution::Joins {
                identity,
                profile: profile(reported, address),
                address: address.clone(),
            }),
            (None, _) => Err(ExternalIdentityRejection::Unknown),
        },
    }
}

/// What the organization's provider says about somebody, as far as it can be shown.
fn profile(reported: &IdentityProviderClaims, address: &EmailAddress) -> MemberProfile {
    let text = |said: &Option<String>| said.clone().and_then(|said| ProfileText::try_from(said).ok());
    MemberProfile {
        name: text(&reported.name),
        given_name: text(&reported.given_name),
        family_name: text(&reported.family_name),
        email: Some(address.clone()),
        ..MemberProfile::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn identity() -> ExternalIdentity {
        ExternalIdentity { provider: "acme https://idp.example".into(), subject: "7".into() }
    }

    fn reported(email: Option<&str>) -> IdentityProviderClaims {
        IdentityProviderClaims {
            subject: "7".into(),
            external_id: Some("7".into()),
            verified_email: email.map(|email| email.parse().unwrap()),
            name: Some("Ana\u{202e}".into()),
            given_name: Some("Ana".into()),
            family_name: None,
            acr: None,
            amr: Vec::new(),
            auth_time: None,
        }
    }

    const ANA: AccountId = AccountId::from_bytes([1; 16]);
    const WAITING: WaitingMembership = WaitingMembership {
        membership: MembershipId::from_bytes([2; 16]),
        connection: ConnectionId::from_bytes([3; 16]),
    };
    const NOBODY: ExternalIdentityFacts = ExternalIdentityFacts {
        account: None,
        membership: None,
        waiting: None,
        is_taken: false,
        was_removed: false,
        is_vouched_for: false,
    };

    #[test]
    fn unknown_identity_joins_only_with_a_verified_address_in_a_proven_domain() {
        let vouched = ExternalIdentityFacts { is_vouched_for: true, ..NOBODY };
        let joined = resolve_identity(identity(), &reported(Some("ana@acme.example")), vouched).unwrap();
        let IdentityResolution::Joins { profile, .. } = joined else { panic!("{joined:?}") };
        assert_eq!(profile.email.unwrap().as_str(), "ana@acme.example");
        assert_eq!(
            (profile.name, profile.given_name.unwrap().as_str()),
            (None, "Ana"),
            "what misleads is left out"
        );
        for (email, facts) in [(None, vouched), (Some("ana@acme.example"), NOBODY), (None, NOBODY)] {
            assert_eq!(
                resolve_identity(identity(), &reported(email), facts),
                Err(ExternalIdentityRejection::Unknown)
            );
        }
    }

    #[test]
    fn removed_or_disabled_member_does_not_return_by_single_sign_on() {
        let known = ExternalIdentityFacts {
            account: Some((ANA, LifecycleCondition::Enabled)),
            is_vouched_for: true,
            ..NOBODY
        };
        let email = reported(Some("ana@acme.example"));
        assert_eq!(resolve_identity(identity(), &email, known), Err(ExternalIdentityRejection::Membership));
        let switched_off = ExternalIdentityFacts { is_taken: true, is_vouched_for: true, ..NOBODY };
        assert_eq!(
            resolve_identity(identity(), &email, switched_off),
            Err(ExternalIdentityRejection::Membership)
        );
        let unlinked = ExternalIdentityFacts { was_removed: true, is_vouched_for: true, ..NOBODY };
        assert_eq!(
            resolve_identity(identity(), &email, unlinked),
            Err(ExternalIdentityRejection::Membership),
            "nor after unlinking"
        );
        let let_in = resolve_identity(
            identity(),
            &email,
            ExternalIdentityFacts { waiting: Some(WAITING), ..unlinked },
        );
        assert!(
            matches!(let_in, Ok(IdentityResolution::Claims { is_newcomer: true, .. })),
            "unless a directory lets them in"
        );
        let off = ExternalIdentityFacts { membership: Some(LifecycleCondition::Suspended), ..known };
        assert_eq!(resolve_identity(identity(), &email, off), Err(ExternalIdentityRejection::Membership));
        let member = ExternalIdentityFacts { membership: Some(LifecycleCondition::Enabled), ..known };
        assert_eq!(resolve_identity(identity(), &email, member), Ok(IdentityResolution::Known));
        let lost = ExternalIdentityFacts { account: Some((ANA, LifecycleCondition::Suspended)), ..member };
        assert_eq!(resolve_identity(identity(), &email, lost), Err(ExternalIdentityRejection::Account));
        let again =
            resolve_identity(identity(), &email, ExternalIdentityFacts { waiting: Some(WAITING), ..known });
        let claims = IdentityResolution::Claims { waiting: WAITING, identity: None, is_newcomer: false };
        assert_eq!(again, Ok(claims), "provisioned again");
    }

    #[test]
    fn provisioned_membership_is_claimed_by_provider_and_subject_whatever_the_address() {
        let facts = ExternalIdentityFacts { waiting: Some(WAITING), ..NOBODY };
        let expected =
            IdentityResolution::Claims { waiting: WAITING, identity: Some(identity()), is_newcomer: true };
        assert_eq!(resolve_identity(identity(), &reported(None), facts), Ok(expected));
    }

    proptest! {
        #[test]
        fn identity_resolution_never_creates_an_account_without_a_reason(
            known in prop::option::of(prop::sample::select(vec![LifecycleCondition::Enabled, LifecycleCondition::Suspended, LifecycleCondition::Ended])),
            member in prop::option::of(prop::sample::select(vec![LifecycleCondition::Enabled, LifecycleCondition::Suspended])),
            waits: bool,
            is_taken: bool,
            was_removed: bool,
            is_vouched_for: bool,
            has_address: bool,
        ) {
            let facts = ExternalIdentityFacts {
                account: known.map(|condition| (ANA, condition)),
                membership: member,
                waiting: (waits && !is_taken).then_some(WAITING),
                is_taken,
                was_removed,
                is_vouched_for,
            };
            let email = has_address.then_some("ana@acme.example");
            match resolve_identity(identity(), &reported(email), facts) {
                Ok(IdentityResolution::Joins { .. }) => prop_assert!(known.is_none() && is_vouched_for && has_address && !is_taken && !was_removed),
                Ok(IdentityResolution::Claims { is_newcomer, .. }) => prop_assert!(waits && is_newcomer == known.is_none()),
                Ok(IdentityResolution::Known) => prop_assert!(known == Some(LifecycleCondition::Enabled) && member == Some(LifecycleCondition::Enabled)),
                Ok(IdentityResolution::Links(_)) => prop_assert!(false, "only whoever is signed in links"),
                Err(_) => {}
            }
        }
    }
}
