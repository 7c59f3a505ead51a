//! What a sign-in would do with an identity: the decision of the core with the facts of a sign-in, as if the
//! connection were enabled.

use super::super::identity_resolution::{DomainRouting, ProviderIdentity, load_facts};
use crate::organizations::members;
use crate::{Engine, Failure};
use sinete_core::assurance::AssuranceLevel;
use sinete_core::id::{MembershipId, OrganizationId};
use sinete_core::identity_providers::connections::build_provider_key;
use sinete_core::identity_providers::identity_resolution::{
    ExternalIdentity, ExternalIdentityRejection, IdentityResolution, resolve_identity,
};
use sinete_core::identity_providers::oidc::id_token::IdentityProviderClaims;
use sinete_core::identity_providers::owner_confirmation::OwnerConfirmation;
use sinete_core::organizations::member_profile::MemberProfile;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;
use sinete_store::identity_providers::identities;
use sinete_store::organizations::{memberships, roles};

/// What a sign-in would do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignInPreview {
    /// The decision.
    pub decision: SignInDecision,
    /// The roles that the user has afterwards.
    pub roles: Vec<String>,
    /// The assurance level that the sign-in has.
    pub assurance: AssuranceLevel,
}

/// The decision about a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignInDecision {
    /// A member signs in.
    SignsIn(PreviewedMember),
    /// A provisioned membership gets its account.
    ClaimsMembership(PreviewedMember),
    /// A new account and membership are created, with this address.
    Joins(String),
    /// The user is refused.
    Refused(SignInObstacle),
}

/// A member, as displayed to the organization.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviewedMember {
    /// The membership.
    pub id: MembershipId,
    /// The name or address.
    pub name: String,
}

/// Why a user is refused. The text is for the organization's audit log.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignInObstacle {
    /// The linked account is disabled or deleted.
    #[error("the linked account is disabled or deleted")]
    Account,
    /// The member was removed or disabled.
    #[error("the member was removed or disabled")]
    Membership,
    /// The provider reports no verified e-mail address.
    #[error("the user is unknown, and the provider reported no verified e-mail address")]
    NoVerifiedEmail,
    /// The SAML assertion contains no e-mail address.
    #[error("the user is unknown, and the assertion contained no e-mail address")]
    NoEmailAttribute,
    /// The domain is not one of the organization.
    #[error("the user is unknown, and the domain of the address, {0}, is not a domain of the organization")]
    DomainMissing(String),
    /// The domain is not verified.
    #[error("the user is unknown, and the domain of the address, {0}, is not verified")]
    DomainUnverified(String),
    /// The domain is not routed to this connection.
    #[error("the user is unknown, and the domain of the address, {0}, does not belong to this connection")]
    DomainNotRouted(String),
}

impl SignInDecision {
    /// The name in events.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::SignsIn(_) => "signs_in",
            Self::ClaimsMembership(_) => "claims",
            Self::Joins(_) => "joins",
            Self::Refused(_) => "refused",
        }
    }
}

/// Decides what a sign-in would do, and writes nothing.
pub(super) async fn preview_sign_in(
    engine: &Engine,
    connection: &ConnectionRow,
    claims: &IdentityProviderClaims,
) -> Result<SignInPreview, Failure> {
    // An owner who enables the connection confirms it.
    let enabled = ConnectionRow { confirmation: OwnerConfirmation::Confirmed, ..connection.clone() };
    let (settings, organization) = (&connection.settings, connection.organization);
    let identity = ExternalIdentity {
        provider: build_provider_key(organization, settings, &connection.issuer),
        subject: claims.subject.clone(),
    };
    let stored = identities::ExternalIdentityKey { provider: &identity.provider, subject: &identity.subject };
    let linked_account = identities::find_identity_account(engine.store(), stored).await?;
    let arrived = ProviderIdentity { connection: &enabled, claims };
    let facts = load_facts(engine, arrived, &identity, linked_account, DomainRouting::Configured).await?;
    let assurance = settings.two_factors.map_assurance_level(
        claims.acr.as_deref(),
        &claims.amr,
        claims.auth_time,
        engine.now(),
    );
    let (decision, roles) = match resolve_identity(identity, claims, facts) {
        Ok(IdentityResolution::ExistingMember | IdentityResolution::Links(_)) => {
            let all = match linked_account {
                Some(account) => memberships::list_account_memberships(engine.store(), account).await?,
                None => Vec::new(),
            };
            let membership = all.into_iter().find(|it| it.organization == organization);
            let (member, roles) = load_member(engine, organization, membership.map(|it| it.id)).await?;
            (SignInDecision::SignsIn(member), roles)
        }
        Ok(IdentityResolution::ClaimsMembership { claimable_membership: membership, .. }) => {
            let (member, roles) = load_member(engine, organization, Some(membership.membership)).await?;
            (SignInDecision::ClaimsMembership(member), roles)
        }
        Ok(IdentityResolution::CreatesAccount { address, .. }) => {
            (SignInDecision::Joins(address.as_str().to_owned()), vec!["member".to_owned()])
        }
        Err(ExternalIdentityRejection::InactiveAccount) => refused_decision(SignInObstacle::Account),
        Err(ExternalIdentityRejection::InactiveMembership) => refused_decision(SignInObstacle::Membership),
        Err(ExternalIdentityRejection::UnknownIdentity) => {
            refused_decision(find_obstacle(engine, connection, claims).await?)
        }
    };
    Ok(SignInPreview { decision, roles, assurance })
}

const fn refused_decision(in_obstacle: SignInObstacle) -> (SignInDecision, Vec<String>) {
    (SignInDecision::Refused(in_obstacle), Vec::new())
}

/// Why an unknown identity cannot join.
pub(in crate::sign_in::flows) async fn find_obstacle(
    engine: &Engine,
    connection: &ConnectionRow,
    claims: &IdentityProviderClaims,
) -> Result<SignInObstacle, Failure> {
    let Some(address) = &claims.verified_email else {
        return Ok(match connection.settings.saml_settings() {
            Some(_) => SignInObstacle::NoEmailAttribute,
            None => SignInObstacle::NoVerifiedEmail,
        });
    };
    let domain = address.domain();
    let owned = connections::list_domain_assignments(engine.store(), connection.organization).await?;
    let Some((_, routed)) = owned.iter().find(|(name, _)| name.as_str() == domain) else {
        return Ok(SignInObstacle::DomainMissing(domain.to_owned()));
    };
    Ok(match *routed == Some(connection.id) {
        true => SignInObstacle::DomainUnverified(domain.to_owned()),
        false => SignInObstacle::DomainNotRouted(domain.to_owned()),
    })
}

/// Loads a member for display, with the names of their roles.
async fn load_member(
    engine: &Engine,
    organization: OrganizationId,
    id: Option<MembershipId>,
) -> Result<(PreviewedMember, Vec<String>), Failure> {
    let membership_row = match id {
        Some(id) => memberships::find_membership(engine.store(), organization, id).await?,
        None => None,
    };
    let membership = membership_row.ok_or(Failure::Contended)?;
    let catalogue = roles::list_roles(engine.store(), organization).await?;
    let profile: MemberProfile = membership.profile.parse()?;
    let name = profile.name.map(|name| name.as_str().to_owned());
    let name = name.or_else(|| profile.email.map(|email| email.as_str().to_owned()));
    let member = PreviewedMember { id: membership.id, name: name.unwrap_or_default() };
    let with_roles = members::load_member_roles(engine, membership, &catalogue).await?;
    Ok((member, with_roles.roles.iter().map(|role| role.role.name().to_owned()).collect()))
}
