//! Organization policy: one function decides whether a token may be issued in an organization, from its
//! settings, the client and how the user authenticated.
//!
//! Every path that issues an access token calls [`check_token_policy`]: the claims of an access token
//! cannot be built without the [`PolicyApproval`] that only this function returns
//! (docs/contribute/decisions/0224-organization-policy-checked-for-every-token.md).
//!
//! ```
//! # use sinete_core::oauth::organization_policy::{PolicyApproval, PolicyRequest, check_token_policy};
//! # use sinete_core::organizations::settings::OrganizationSettings;
//! fn approve(settings: &OrganizationSettings, request: &PolicyRequest<'_>) -> Option<PolicyApproval> {
//!     check_token_policy(settings, request).ok()
//! }
//! ```
//! No other code can construct an approval:
//! ```compile_fail,E0423
//! # use sinete_core::oauth::organization_policy::{PolicyApproval, PolicyRequest, check_token_policy};
//! # use sinete_core::organizations::settings::OrganizationSettings;
//! fn approve(settings: &OrganizationSettings, request: &PolicyRequest<'_>) -> Option<PolicyApproval> {
//!     Some(PolicyApproval(()))
//! }
//! ```

use super::authorize::consent::ClientTrust;
use super::authorize::cross_device::check_cross_device_risk;
use super::authorize::response::{AuthorizationErrorCode, AuthorizationRefusal};
use super::authorize::target_resource::TargetResource;
use crate::access_control::scope::ScopeSet;
use crate::assurance::freshness::ReauthenticationRequirement;
use crate::assurance::{AssuranceLevel, AuthenticationEvidence};
use crate::id::OrganizationId;
use crate::oauth::authorization_details::AuthorizationDetails;
use crate::oauth::grants::{invalid_grant, invalid_scope, unauthorized_client};
use crate::organizations::settings::{OrganizationSettings, RestrictableGrantType, UnverifiedClientPolicy};
use crate::refusal::Refusal;
use crate::time::Timestamp;

/// Proof that the organization's policy allows the token that is about to be issued.
#[derive(Debug)]
pub struct PolicyApproval(());

/// The original source of a token.
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

/// How the token is obtained from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenDerivation {
    /// Directly.
    Direct,
    /// With a refresh token.
    Refresh,
    /// By token exchange (RFC 8693).
    Exchange,
}

/// What a client requests the token for.
#[derive(Clone, Copy, Debug)]
pub struct RequestedClientAccess<'a> {
    /// Who trusts the client now.
    pub client_trust: ClientTrust,
    /// The host of its metadata document, if its id is a URL.
    pub document_host: Option<&'a str>,
    /// The target of the token.
    pub target: TargetResource<'a>,
    /// The requested scopes.
    pub scopes: &'a ScopeSet,
    /// The requested authorization details.
    pub details: &'a AuthorizationDetails,
}

/// How the user authenticated.
#[derive(Clone, Copy, Debug)]
pub struct UserAuthentication<'a> {
    /// The authentication methods used.
    pub evidence: &'a AuthenticationEvidence,
    /// The current assurance level, before applying the organization's settings.
    pub assurance: AssuranceLevel,
    /// The current time.
    pub now: Timestamp,
}

impl UserAuthentication<'_> {
    /// The assurance level accepted in this organization; `None` if it does not accept these methods.
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
    /// The organization it is valid in.
    pub organization: OrganizationId,
    /// Its original source.
    pub source: TokenSource,
    /// How it is obtained from the source.
    pub derivation: TokenDerivation,
    /// The client; `None` for the console.
    pub client: Option<RequestedClientAccess<'a>>,
    /// How the user authenticated; `None` for API keys, services and impersonation.
    pub user: Option<UserAuthentication<'a>>,
}

/// Why the organization's policy refuses a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyViolation {
    /// `unverified_clients` is `refuse`.
    #[error("the organization refuses unverified clients")]
    UnverifiedClient,
    /// `client_documents` does not accept the host of the client's metadata document.
    #[error("the organization does not accept client metadata documents of this host")]
    ClientDocument,
    /// The API does not let unverified clients have these permissions or details.
    #[error("the API refuses this to unverified clients")]
    UnverifiedClientScope,
    /// An unverified client may not get this in a cross-device flow.
    #[error("unverified clients do not get this for another device")]
    UnverifiedClientDevice,
    /// `refused_grants` holds one of the grants that lead to the token.
    #[error("the organization disabled this grant type")]
    GrantDisabled,
    /// Neither `allowed_credentials` nor `single_sign_on` accepts how the user signed in.
    #[error("the organization does not accept how the user signed in")]
    CredentialNotAllowed,
    /// The assurance level is below `least_assurance`.
    #[error("the organization requires a higher assurance level")]
    AssuranceTooLow,
}

/// Checks the organization's settings. Client problems are checked before the user's authentication, so that
/// no user is asked to step up for a token that is rejected anyway.
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
    if disabled(request.source.restrictable_grant_type())
        || disabled(request.derivation.restrictable_grant_type())
    {
        return Err(PolicyViolation::GrantDisabled);
    }
    if let Some(user) = &request.user {
        let level = user.effective_level(settings, request.organization);
        let level = level.ok_or(PolicyViolation::CredentialNotAllowed)?;
        // Methods that are not accepted here do not refresh others.
        let authentication_evidence = settings.accepted_evidence(user.evidence, request.organization);
        let demand = ReauthenticationRequirement::for_level(settings.required_assurance(user.now));
        if level < demand.level || !demand.is_satisfied_by(&authentication_evidence, user.now) {
            return Err(PolicyViolation::AssuranceTooLow);
        }
    }
    Ok(PolicyApproval(()))
}

fn check_client(
    settings: &OrganizationSettings,
    request: &PolicyRequest<'_>,
    client: &RequestedClientAccess<'_>,
) -> Result<(), PolicyViolation> {
    let RequestedClientAccess { client_trust, document_host, target, scopes, details } = *client;
    if client_trust != ClientTrust::SelfRegistered {
        return Ok(());
    }
    if settings.unverified_clients == UnverifiedClientPolicy::Refuse {
        return Err(PolicyViolation::UnverifiedClient);
    }
    if document_host.is_some_and(|host| !settings.client_documents.accepts_host(host)) {
        return Err(PolicyViolation::ClientDocument);
    }
    target
        .check_client_trust(client_trust, &scopes.permissions(), details)
        .map_err(|_| PolicyViolation::UnverifiedClientScope)?;
    if request.source.is_cross_device() {
        // An unverified client would not have received a refresh token in the first place.
        let is_refresh = request.derivation == TokenDerivation::Refresh;
        let risks = check_cross_device_risk(client_trust, scopes, details, Some(target)).is_err();
        if is_refresh || risks {
            return Err(PolicyViolation::UnverifiedClientDevice);
        }
    }
    Ok(())
}

impl TokenSource {
    /// The grant type that an organization can disable. Codes and sessions cannot be disabled, and
    /// impersonation is the operator's decision.
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

impl TokenDerivation {
    const fn restrictable_grant_type(self) -> Option<RestrictableGrantType> {
        match self {
            Self::Exchange => Some(RestrictableGrantType::TokenExchange),
            Self::Direct | Self::Refresh => None,
        }
    }
}

impl PolicyViolation {
    /// The authorization endpoint error; `None` if the user can still resolve the violation.
    pub fn authorization_error(self) -> Option<AuthorizationRefusal> {
        match self {
            Self::UnverifiedClient | Self::ClientDocument | Self::UnverifiedClientScope => Some((
                AuthorizationErrorCode::AccessDenied,
                "An unverified client cannot get this scope. Ask an operator to verify the client.".into(),
            )),
            Self::UnverifiedClientDevice => Some((
                AuthorizationErrorCode::InvalidScope,
                "An unverified client cannot get this scope for another device. Remove offline_access and \
                 irreversible permissions, or ask an operator to verify the client."
                    .into(),
            )),
            Self::GrantDisabled => Some((
                AuthorizationErrorCode::AccessDenied,
                "The organization does not allow requests from another device. Sign in on this device."
                    .into(),
            )),
            Self::CredentialNotAllowed | Self::AssuranceTooLow => None,
        }
    }

    /// The token endpoint error (RFC 6749 §5.2). If the request names scopes, fewer scopes may succeed.
    pub fn token_error(self, names_scope: bool) -> Refusal {
        let reason = self.to_string();
        match self {
            Self::UnverifiedClient | Self::ClientDocument | Self::GrantDisabled => {
                unauthorized_client(reason)
            }
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
