//! Organization policy: whether a token may be issued in an organization, decided by one function from the organization's
//! settings, the client and how the user authenticated.
//!
//! Every path that makes an access token asks [`check_token_policy`] each time it makes one: the claims of an access token
//! cannot be put together without the [`PolicyApproval`] that only this function returns
//! (docs/decisions/0224-organization-policy-checked-for-every-token.md).
//!
//! ```
//! # use sinete_core::authorize::policy::{PolicyApproval, PolicyRequest, check_token_policy};
//! # use sinete_core::people::settings::OrganizationSettings;
//! fn approve(settings: &OrganizationSettings, request: &PolicyRequest<'_>) -> Option<PolicyApproval> {
//!     check_token_policy(settings, request).ok()
//! }
//! ```
//! Nobody else can approve:
//! ```compile_fail,E0423
//! # use sinete_core::authorize::policy::{PolicyApproval, PolicyRequest, check_token_policy};
//! # use sinete_core::people::settings::OrganizationSettings;
//! fn approve(settings: &OrganizationSettings, request: &PolicyRequest<'_>) -> Option<PolicyApproval> {
//!     Some(PolicyApproval(()))
//! }
//! ```

use super::authorize::consent::ClientTrust;
use super::authorize::cross_device::check_cross_device_risk;
use super::authorize::response::{AuthorizationErrorCode, AuthorizationRefusal};
use super::authorize::target_resource::TargetResource;
use crate::access_control::scope::ScopeSet;
use crate::assurance::freshness::FreshnessDemand;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::id::OrganizationId;
use crate::oauth::authorization_details::AuthorizationDetails;
use crate::oauth::grants::{invalid_grant, invalid_scope, unauthorized_client};
use crate::organizations::settings::{OrganizationSettings, RestrictableGrantType, UnverifiedClientPolicy};
use crate::refusal::Refusal;
use crate::time::Timestamp;

/// Proof that the organization's policy was asked for the token that is about to be issued.
#[derive(Debug)]
pub struct PolicyApproval(());

/// What a token is derived from in the first place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenSource {
    /// A user's authorization in a browser, redeemed with a code.
    AuthorizationCode,
    /// A user's authorization of a device (RFC 8628).
    DeviceAuthorization,
    /// A user's approval on another device (OpenID CIBA).
    Ciba,
    /// An API key.
    ApiKey,
    /// A client's own credentials.
    ClientCredentials,
    /// A user's session in our own console, which acts as a token would and involves no client.
    Session,
    /// An operator's assignment to act as the user.
    Impersonation,
}

/// How the token is made from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenStep {
    /// Directly.
    First,
    /// With a refresh token.
    Refresh,
    /// By token exchange (RFC 8693).
    Exchange,
}

/// What a client wants the token for.
#[derive(Clone, Copy, Debug)]
pub struct ClientRequest<'a> {
    /// Who vouches for the client at this moment.
    pub client_trust: ClientTrust,
    /// Where the token is to be used.
    pub target: TargetResource<'a>,
    /// The scopes it is to have.
    pub scopes: &'a ScopeSet,
    /// The authorization details it is to have.
    pub details: &'a AuthorizationDetails,
}

/// How the user authenticated.
#[derive(Clone, Copy, Debug)]
pub struct UserAuthentication<'a> {
    /// What they proved.
    pub evidence: &'a AuthenticationEvidence,
    /// What that counts for at this moment, whatever the organization accepts.
    pub assurance: AssuranceLevel,
    /// This moment.
    pub now: Timestamp,
}

impl UserAuthentication<'_> {
    /// The assurance level that counts in this organization; none if it does not accept this way of signing in.
    pub fn effective_level(
        &self,
        settings: &OrganizationSettings,
        organization: OrganizationId,
    ) -> Option<AssuranceLevel> {
        settings.effective_assurance_level(self.evidence, organization).map(|level| level.min(self.assurance))
    }
}

/// A token that is about to be issued.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRequest<'a> {
    /// The organization it speaks for.
    pub organization: OrganizationId,
    /// What it is derived from.
    pub source: TokenSource,
    /// How.
    pub step: TokenStep,
    /// The client that gets it, unless the user acts in the console.
    pub client: Option<ClientRequest<'a>>,
    /// How the user authenticated. API keys, services and operators who impersonate somebody prove nothing about a user.
    pub user: Option<UserAuthentication<'a>>,
}

/// Why the organization's policy refuses a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyViolation {
    /// `unverified_clients` is `refuse`.
    #[error("the organization refuses unverified clients")]
    UnverifiedClient,
    /// The API does not let unverified clients have these permissions or details.
    #[error("the API refuses this to unverified clients")]
    UnverifiedClientScope,
    /// An unverified client does not get this for another device.
    #[error("unverified clients do not get this for another device")]
    UnverifiedClientDevice,
    /// `refused_grants` holds one of the grants that lead to the token.
    #[error("the organization switched this grant off")]
    GrantDisabled,
    /// Neither `allowed_credentials` nor `single_sign_on` accept how the user signed in.
    #[error("the organization does not accept how the user signed in")]
    CredentialNotAllowed,
    /// `least_assurance` is higher.
    #[error("the organization asks for a higher assurance level")]
    AssuranceTooLow,
}

/// Whether the organization's settings allow the token. What is wrong with the client comes before what is missing from the
/// user, so that nobody is asked to prove more for a token that is refused in any case.
pub fn check_token_policy(
    settings: &OrganizationSettings,
    request: &PolicyRequest<'_>,
) -> Result<PolicyApproval, PolicyViolation> {
    if let Some(client) = &request.client {
        check_client(settings, request, client)?;
    }
    let disabled = |kind: Option<RestrictableGrantType>| {
        kind.is_some_and(|kind| settings.refused_grants.contains(&kind))
    };
    if disabled(request.source.restrictable_grant_type()) || disabled(request.step.restrictable_grant_type())
    {
        return Err(PolicyViolation::GrantDisabled);
    }
    if let Some(user) = &request.user {
        let level = user.effective_level(settings, request.organization);
        let level = level.ok_or(PolicyViolation::CredentialNotAllowed)?;
        // What is not accepted here makes nothing else fresh.
        let counted = settings.accepted_evidence(user.evidence, request.organization);
        let demand = FreshnessDemand::for_level(settings.least_assurance);
        if level < demand.level || !demand.is_satisfied_by(&counted, user.now) {
            return Err(PolicyViolation::AssuranceTooLow);
        }
    }
    Ok(PolicyApproval(()))
}

fn check_client(
    settings: &OrganizationSettings,
    request: &PolicyRequest<'_>,
    client: &ClientRequest<'_>,
) -> Result<(), PolicyViolation> {
    let ClientRequest { client_trust: vouching, target, scopes, details } = *client;
    if vouching != ClientTrust::Nobody {
        return Ok(());
    }
    if settings.unverified_clients == UnverifiedClientPolicy::Refuse {
        return Err(PolicyViolation::UnverifiedClient);
    }
    target
        .check_client_trust(vouching, &scopes.permissions(), details)
        .map_err(|_| PolicyViolation::UnverifiedClientScope)?;
    if request.source.is_cross_device() {
        // It would have got no refresh token, had it been unverified when the user answered.
        let lasts = request.step == TokenStep::Refresh;
        let risks = check_cross_device_risk(vouching, scopes, details, Some(target)).is_err();
        if lasts || risks {
            return Err(PolicyViolation::UnverifiedClientDevice);
        }
    }
    Ok(())
}

impl TokenSource {
    /// The grant that an organization can switch off. Codes and sessions are never off, and impersonation is not the
    /// organization's to decide.
    const fn restrictable_grant_type(self) -> Option<RestrictableGrantType> {
        match self {
            Self::DeviceAuthorization => Some(RestrictableGrantType::DeviceCode),
            Self::Ciba => Some(RestrictableGrantType::Backchannel),
            Self::ApiKey => Some(RestrictableGrantType::ApiKey),
            Self::ClientCredentials => Some(RestrictableGrantType::ClientCredentials),
            Self::AuthorizationCode | Self::Session | Self::Impersonation => None,
        }
    }

    const fn is_cross_device(self) -> bool {
        matches!(self, Self::DeviceAuthorization | Self::Ciba)
    }
}

impl TokenStep {
    const fn restrictable_grant_type(self) -> Option<RestrictableGrantType> {
        match self {
            Self::Exchange => Some(RestrictableGrantType::TokenExchange),
            Self::First | Self::Refresh => None,
        }
    }
}

impl PolicyViolation {
    /// How the authorization endpoint answers; none where the user can still do something about it.
    pub const fn authorization_error(self) -> Option<AuthorizationRefusal> {
        match self {
            Self::UnverifiedClient | Self::UnverifiedClientScope => Some((
                AuthorizationErrorCode::AccessDenied,
                "an application that nobody vouches for may not have this",
            )),
            Self::UnverifiedClientDevice => Some((
                AuthorizationErrorCode::InvalidScope,
                "an application that nobody vouches for does not get this for another device",
            )),
            Self::GrantDisabled => Some((
                AuthorizationErrorCode::AccessDenied,
                "the organization lets nobody answer what is asked on another device",
            )),
            Self::CredentialNotAllowed | Self::AssuranceTooLow => None,
        }
    }

    /// How the token endpoint answers (RFC 6749 §5.2). Where the request names scopes, asking for fewer may help.
    pub fn token_error(self, names_scope: bool) -> Refusal {
        let reason = self.to_string();
        match self {
            Self::UnverifiedClient | Self::GrantDisabled => unauthorized_client(reason),
            Self::UnverifiedClientScope | Self::UnverifiedClientDevice if names_scope => {
                invalid_scope(reason)
            }
            Self::UnverifiedClientScope
            | Self::UnverifiedClientDevice
            | Self::CredentialNotAllowed
            | Self::AssuranceTooLow => invalid_grant(reason),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
