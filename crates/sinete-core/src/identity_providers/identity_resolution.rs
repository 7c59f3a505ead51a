//! Resolves an external identity, reported by an organization's identity provider, to an account. An identity
//! is a provider and a subject. The reported e-mail address never identifies an account: it only decides
//! whether an unknown identity may be added.

use crate::access_control::subject::LifecycleCondition;
use crate::accounts::email_address::EmailAddress;
use crate::accounts::profile_text::ProfileText;
use crate::id::{AccountId, ConnectionId, MembershipId, OrganizationId};
use crate::identity_providers::oidc::id_token::IdentityProviderClaims;
use crate::organizations::member_profile::MemberProfile;
use serde::{Deserialize, Serialize};

/// An identity at an identity provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalIdentity {
    /// The provider key.
    pub provider: String,
    /// The provider's `sub` for the user.
    pub subject: String,
}

impl ExternalIdentity {
    /// Splits the provider key into organization and provider; `None` if it is not a provider of an
    /// organization.
    pub fn split_provider_key(&self) -> Option<(OrganizationId, &str)> {
        let (organization, issuer) = self.provider.split_once(' ')?;
        Some((organization.parse().ok()?, issuer))
    }
}

/// The result of resolving an external identity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IdentityResolution {
    /// The identity is known, and its account is a member.
    ExistingMember,
    /// A provisioned membership is claimed.
    ClaimsMembership {
        /// The membership, and the connection through which it is claimed.
        claimable_membership: ClaimableMembership,
        /// The identity, if it is new.
        identity: Option<ExternalIdentity>,
        /// Whether a new account is created.
        is_newcomer: bool,
    },
    /// A new account and membership are created.
    CreatesAccount {
        /// The identity.
        identity: ExternalIdentity,
        /// The profile, with the e-mail address that the organization verified.
        profile: MemberProfile,
        /// That e-mail address.
        address: EmailAddress,
    },
    /// The identity is linked to the signed-in account.
    Links(ExternalIdentity),
}

/// A provisioned membership without an account, and the owner-confirmed connection through which it is
/// claimed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimableMembership {
    /// The membership.
    pub membership: MembershipId,
    /// The connection.
    pub connection: ConnectionId,
}

/// What is stored about a reported identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExternalIdentityFacts {
    /// The account that the identity is linked to, with its state.
    pub account: Option<(AccountId, LifecycleCondition)>,
    /// The state of that account's membership in the organization; `None` if it has none, or only ended ones.
    pub membership: Option<LifecycleCondition>,
    /// The provisioned membership without an account, if it can be claimed through this connection.
    pub claimable_membership: Option<ClaimableMembership>,
    /// Whether the provisioned membership is disabled, belongs to an account without this identity, or waits
    /// for an owner-confirmed connection.
    pub is_claim_blocked: bool,
    /// Whether the organization removed or disabled a member with the same external id.
    pub was_removed: bool,
    /// Whether the reported, verified e-mail address is in a verified domain of the organization.
    pub is_email_in_verified_domain: bool,
}

/// Why an identity is rejected. Callers see the same error for all reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExternalIdentityRejection {
    /// The account is not active.
    #[error("the account cannot sign in")]
    InactiveAccount,
    /// The membership ended or is disabled.
    #[error("the membership has ended or is disabled")]
    InactiveMembership,
    /// The identity is unknown, and no verified domain admits it.
    #[error("an unknown identity without a provisioned membership or a verified domain for its address")]
    UnknownIdentity,
}

/// Decides how to resolve a reported identity.
pub fn resolve_identity(
    identity: ExternalIdentity,
    reported: &IdentityProviderClaims,
    facts: ExternalIdentityFacts,
) -> Result<IdentityResolution, ExternalIdentityRejection> {
    match (facts.account, facts.membership) {
        (Some((_, LifecycleCondition::Suspended | LifecycleCondition::Ended)), _) => {
            Err(ExternalIdentityRejection::InactiveAccount)
        }
        (Some(_), Some(LifecycleCondition::Enabled)) => Ok(IdentityResolution::ExistingMember),
        (Some(_), Some(LifecycleCondition::Suspended | LifecycleCondition::Ended)) => {
            Err(ExternalIdentityRejection::InactiveMembership)
        }
        // A removed member does not return by signing in, only by being provisioned again.
        (Some(_), None) => match facts.claimable_membership {
            Some(membership) => Ok(IdentityResolution::ClaimsMembership {
                claimable_membership: membership,
                identity: None,
                is_newcomer: false,
            }),
            None => Err(ExternalIdentityRejection::InactiveMembership),
        },
        (None, _) => match (facts.claimable_membership, &reported.verified_email) {
            (Some(membership), _) => Ok(IdentityResolution::ClaimsMembership {
                claimable_membership: membership,
                identity: Some(identity),
                is_newcomer: true,
            }),
            // A member whom the directory disabled does not return as a new account.
            (None, _) if facts.is_claim_blocked || facts.was_removed => {
                Err(ExternalIdentityRejection::InactiveMembership)
            }
            (None, Some(address)) if facts.is_email_in_verified_domain => {
                Ok(IdentityResolution::CreatesAccount {
                    identity,
                    profile: build_profile(reported, address),
                    address: address.clone(),
                })
            }
            (None, _) => Err(ExternalIdentityRejection::UnknownIdentity),
        },
    }
}

/// Builds the member profile from the provider's claims, as far as they can be displayed.
fn build_profile(reported: &IdentityProviderClaims, address: &EmailAddress) -> MemberProfile {
    let text = |claim: &Option<String>| claim.clone().and_then(|value| ProfileText::try_from(value).ok());
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
    const WAITING: ClaimableMembership = ClaimableMembership {
        membership: MembershipId::from_bytes([2; 16]),
        connection: ConnectionId::from_bytes([3; 16]),
    };
    const NOBODY: ExternalIdentityFacts = ExternalIdentityFacts {
        account: None,
        membership: None,
        claimable_membership: None,
        is_claim_blocked: false,
        was_removed: false,
        is_email_in_verified_domain: false,
    };

    #[test]
    fn jit_provisioning_of_an_unknown_identity_needs_a_verified_address_in_a_verified_domain() {
        let vouched = ExternalIdentityFacts { is_email_in_verified_domain: true, ..NOBODY };
        let joined = resolve_identity(identity(), &reported(Some("ana@acme.example")), vouched).unwrap();
        let IdentityResolution::CreatesAccount { profile, .. } = joined else { panic!("{joined:?}") };
        assert_eq!(profile.email.unwrap().as_str(), "ana@acme.example");
        assert_eq!(
            (profile.name, profile.given_name.unwrap().as_str()),
            (None, "Ana"),
            "misleading names are left out"
        );
        for (email, facts) in [(None, vouched), (Some("ana@acme.example"), NOBODY), (None, NOBODY)] {
            assert_eq!(
                resolve_identity(identity(), &reported(email), facts),
                Err(ExternalIdentityRejection::UnknownIdentity)
            );
        }
    }

    #[test]
    fn removed_or_disabled_member_does_not_return_by_single_sign_on() {
        let facts = ExternalIdentityFacts {
            account: Some((ANA, LifecycleCondition::Enabled)),
            is_email_in_verified_domain: true,
            ..NOBODY
        };
        let email = reported(Some("ana@acme.example"));
        assert_eq!(
            resolve_identity(identity(), &email, facts),
            Err(ExternalIdentityRejection::InactiveMembership)
        );
        let switched_off =
            ExternalIdentityFacts { is_claim_blocked: true, is_email_in_verified_domain: true, ..NOBODY };
        assert_eq!(
            resolve_identity(identity(), &email, switched_off),
            Err(ExternalIdentityRejection::InactiveMembership)
        );
        let unlinked =
            ExternalIdentityFacts { was_removed: true, is_email_in_verified_domain: true, ..NOBODY };
        assert_eq!(
            resolve_identity(identity(), &email, unlinked),
            Err(ExternalIdentityRejection::InactiveMembership),
            "nor after unlinking"
        );
        let let_in = resolve_identity(
            identity(),
            &email,
            ExternalIdentityFacts { claimable_membership: Some(WAITING), ..unlinked },
        );
        assert!(
            matches!(let_in, Ok(IdentityResolution::ClaimsMembership { is_newcomer: true, .. })),
            "unless a directory provisions them"
        );
        let off = ExternalIdentityFacts { membership: Some(LifecycleCondition::Suspended), ..facts };
        assert_eq!(
            resolve_identity(identity(), &email, off),
            Err(ExternalIdentityRejection::InactiveMembership)
        );
        let member = ExternalIdentityFacts { membership: Some(LifecycleCondition::Enabled), ..facts };
        assert_eq!(resolve_identity(identity(), &email, member), Ok(IdentityResolution::ExistingMember));
        let lost = ExternalIdentityFacts { account: Some((ANA, LifecycleCondition::Suspended)), ..member };
        assert_eq!(
            resolve_identity(identity(), &email, lost),
            Err(ExternalIdentityRejection::InactiveAccount)
        );
        let resolution = resolve_identity(
            identity(),
            &email,
            ExternalIdentityFacts { claimable_membership: Some(WAITING), ..facts },
        );
        let claims = IdentityResolution::ClaimsMembership {
            claimable_membership: WAITING,
            identity: None,
            is_newcomer: false,
        };
        assert_eq!(resolution, Ok(claims), "provisioned again");
    }

    #[test]
    fn provisioned_membership_is_claimed_by_provider_and_subject_whatever_the_address() {
        let facts = ExternalIdentityFacts { claimable_membership: Some(WAITING), ..NOBODY };
        let expected = IdentityResolution::ClaimsMembership {
            claimable_membership: WAITING,
            identity: Some(identity()),
            is_newcomer: true,
        };
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
                claimable_membership: (waits && !is_taken).then_some(WAITING),
                is_claim_blocked: is_taken,
                was_removed,
                is_email_in_verified_domain: is_vouched_for,
            };
            let email = has_address.then_some("ana@acme.example");
            match resolve_identity(identity(), &reported(email), facts) {
                Ok(IdentityResolution::CreatesAccount { .. }) => prop_assert!(known.is_none() && is_vouched_for && has_address && !is_taken && !was_removed),
                Ok(IdentityResolution::ClaimsMembership { is_newcomer, .. }) => prop_assert!(waits && is_newcomer == known.is_none()),
                Ok(IdentityResolution::ExistingMember) => prop_assert!(known == Some(LifecycleCondition::Enabled) && member == Some(LifecycleCondition::Enabled)),
                Ok(IdentityResolution::Links(_)) => prop_assert!(false, "only a signed-in user links"),
                Err(_) => {}
            }
        }
    }
}
