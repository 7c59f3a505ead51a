//! The organization's policy at the token endpoint: every grant type checks it here after the contents of the
//! token are known, and gets the approval without which no token can be signed. Introspection checks it for
//! refresh tokens.

use crate::access_control::organization_access;
use crate::oauth::authorize::client_trust;
use crate::oauth::client_authentication::AuthenticatedClient;
use crate::oauth::token::{TokenRequestContext, grant_limit};
use crate::oauth::token_issuance::Audience;
use crate::{Engine, Failure};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::id::OrganizationId;
use sinete_core::oauth::authorization_details::AuthorizationDetails;
use sinete_core::oauth::authorize::organization_selection::RequestedOrganization;
use sinete_core::oauth::grants::organization_mismatch;
use sinete_core::oauth::jti::TokenRevocationRoot;
use sinete_core::oauth::organization_policy::{
    PolicyApproval, PolicyRequest, PolicyViolation, RequestedClientAccess, TokenDerivation, TokenSource,
    UserAuthentication, check_token_policy,
};
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::time::Timestamp;
use sinete_store::oauth::grants::StoredGrantKind;

/// What a token is derived from.
#[derive(Clone, Copy)]
pub(in crate::oauth) struct TokenOrigin<'a> {
    /// The organization.
    pub(in crate::oauth) organization: OrganizationId,
    /// The organization's settings.
    pub(in crate::oauth) settings: &'a OrganizationSettings,
    pub(in crate::oauth) source: TokenSource,
    pub(in crate::oauth) step: TokenDerivation,
    /// The grant or API key behind it.
    pub(in crate::oauth) root: TokenRevocationRoot,
    /// The user's authentication, if there is a user.
    pub(in crate::oauth) user: Option<UserAuthentication<'a>>,
}

/// The requested access.
#[derive(Clone, Copy)]
pub(in crate::oauth) struct RequestedAccess<'a> {
    pub(in crate::oauth) audience: &'a Audience,
    pub(in crate::oauth) scopes: &'a ScopeSet,
    pub(in crate::oauth) details: &'a AuthorizationDetails,
}

impl TokenRequestContext<'_> {
    /// Checks whether the client may have this token: the requested organization must match, the
    /// organization's policy must allow it, and the grant's rate limit must not be reached. Single-use
    /// redemptions are not counted.
    pub(in crate::oauth) fn check_policy(
        &self,
        engine: &Engine,
        origin: TokenOrigin<'_>,
        access: RequestedAccess<'_>,
    ) -> Result<PolicyApproval, Refusal> {
        match self.organization {
            RequestedOrganization::None => {}
            RequestedOrganization::Known(named) if named == origin.organization => {}
            RequestedOrganization::Known(_) | RequestedOrganization::Unknown => {
                return Err(organization_mismatch());
            }
        }
        let names_scope = self.request.scope.is_some();
        let approval = check_client_policy(self.client, origin, access)
            .map_err(|violation| violation.token_error(names_scope))?;
        match origin.step {
            TokenDerivation::First => {}
            TokenDerivation::Refresh | TokenDerivation::Exchange => {
                grant_limit::take(engine, self.client, origin.root)?
            }
        }
        Ok(approval)
    }
}

/// Checks the organization's policy for the client.
pub(in crate::oauth) fn check_client_policy(
    client: &AuthenticatedClient,
    origin: TokenOrigin<'_>,
    access: RequestedAccess<'_>,
) -> Result<PolicyApproval, PolicyViolation> {
    let TokenOrigin { organization, settings, source, step, user, .. } = origin;
    let client = RequestedClientAccess {
        client_trust: client_trust(&client.cached.client),
        document_host: client.id().document_host(),
        target: access.audience.target(),
        scopes: access.scopes,
        details: access.details,
    };
    let request = PolicyRequest { organization, source, step, client: Some(client), user };
    check_token_policy(settings, &request)
}

/// The token source of a grant of this kind.
pub(in crate::oauth) const fn token_source(kind: StoredGrantKind) -> TokenSource {
    match kind {
        StoredGrantKind::Code => TokenSource::AuthorizationCode,
        StoredGrantKind::Device => TokenSource::DeviceAuthorization,
        StoredGrantKind::Backchannel => TokenSource::Ciba,
    }
}

/// Finds the organization that a request names, by id or slug. A missing one cannot be distinguished from
/// another one.
pub(in crate::oauth) async fn find_named_organization(
    engine: &Engine,
    named: Option<&str>,
    now: Timestamp,
) -> Result<RequestedOrganization, Failure> {
    let Some(named) = named else { return Ok(RequestedOrganization::None) };
    let found = organization_access::find_organization(engine, named, now).await?;
    Ok(found
        .map_or(RequestedOrganization::Unknown, |organization| RequestedOrganization::Known(organization.id)))
}
