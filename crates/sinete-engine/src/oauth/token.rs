//! The token endpoint: an authenticated client requests a token by a grant type. Each grant type loads its
//! facts, lets the core decide, and commits one write batch. Before, every grant type checks the organization's policy
//! with the contents of the token, and gets the approval without which no token can be signed.

pub(super) mod grant_limit;

use crate::access_control::organization_access;
use crate::oauth::authorize::client_trust;
use crate::oauth::cache;
pub(crate) use crate::oauth::cache::authorization_code::{
    AuthorizationCodeCache, CachedAuthorizationCode, evict_expired_codes,
};
pub(crate) use crate::oauth::cache::client_credentials::ServiceTokenCache;
pub(crate) use crate::oauth::cache::refresh_token::{RefreshTokenCache, evict_expired_refresh_tokens};
pub(crate) use crate::oauth::grants::active_grant::GrantSnapshot;
use crate::oauth::grants::deferred;
pub(crate) use crate::oauth::grants::refresh_token::find_active;
use crate::oauth::grants::token_exchange;
use crate::oauth::grants::{authorization_code, client_credentials, refresh_token};
use crate::oauth::token_issuance::Audience;
pub use crate::oauth::token_issuance::IssuedTokens;
pub(crate) use grant_limit::GrantRateLimits;

use crate::oauth::client_authentication;
use crate::oauth::client_authentication::{AuthenticatedClient, ClientAuthRequest, PresentedGrant};
use crate::oauth::dpop;
use crate::{Engine, Error, EventCause, Failure};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::id::OrganizationId;
use sinete_core::oauth::authorization_details::AuthorizationDetails;
use sinete_core::oauth::authorize::organization_selection::RequestedOrganization;
use sinete_core::oauth::grants;
use sinete_core::oauth::grants::deferred::DeferredGrantDigest;
use sinete_core::oauth::grants::{AuthorizationGrant, TokenRequest, TokenRequestParams};
use sinete_core::oauth::jti::TokenRevocationRoot;
use sinete_core::oauth::organization_policy::{
    PolicyApproval, PolicyRequest, PolicyViolation, RequestedClientAccess, TokenDerivation, TokenSource,
    UserAuthentication, check_token_policy,
};
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_core::refusal::Refusal;
use sinete_core::secret::{BackchannelRequest, DeviceCode, Secret};
use sinete_core::time::Timestamp;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::oauth::dcr;
use sinete_store::oauth::grants::StoredGrantKind;
use sinete_store::oauth::subject_state::token_lookup::ClientLookup;
use sinete_store::{GuardedStatement, WriteBatch};

/// A token request of an authenticated client.
pub(crate) struct TokenRequestContext<'a> {
    /// The client.
    pub(crate) client: &'a AuthenticatedClient,
    /// The request.
    pub(crate) request: &'a TokenRequest,
    /// The actor and origin for events.
    pub(crate) cause: EventCause,
    /// The time at which the request is evaluated.
    pub(crate) now: Timestamp,
    /// The requested organization.
    pub(crate) organization: RequestedOrganization,
}

/// What a token is derived from.
#[derive(Clone, Copy)]
pub(in crate::oauth) struct TokenOrigin<'a> {
    /// The organization.
    pub(in crate::oauth) organization: OrganizationId,
    /// The organization's settings.
    pub(in crate::oauth) settings: &'a OrganizationSettings,
    pub(in crate::oauth) source: TokenSource,
    pub(in crate::oauth) derivation: TokenDerivation,
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
    /// The client lookup of an authenticated client.
    pub(super) fn client_lookup(&self) -> ClientLookup<'_> {
        ClientLookup { client: self.client.id(), secret: None }
    }

    /// The statement that records the use of a self-registered client, so that it is not removed as unused.
    pub(super) fn record_client_use(&self) -> Option<GuardedStatement> {
        let client = &self.client.client.client;
        (client.origin == ClientOrigin::DynamicRegistration)
            .then(|| dcr::record_client_use(&client.id, self.now))
    }

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
            RequestedOrganization::Existing(organization) if organization == origin.organization => {}
            RequestedOrganization::Existing(_) | RequestedOrganization::Unknown => {
                return Err(grants::organization_mismatch());
            }
        }
        let names_scope = self.request.scope.is_some();
        let approval = check_client_policy(self.client, origin, access)
            .map_err(|violation| violation.token_error(names_scope))?;
        match origin.derivation {
            TokenDerivation::Direct => {}
            TokenDerivation::Refresh | TokenDerivation::Exchange => {
                grant_limit::check_grant_limit(engine, self.client, origin.root)?
            }
        }
        Ok(approval)
    }
}

/// Issues a token, or refuses the request. Consequences of a refusal are committed before the response;
/// nothing else changes then.
pub async fn issue_token(
    engine: &Engine,
    auth_request: &ClientAuthRequest,
    parameters: &TokenRequestParams<'_>,
    cause: &EventCause,
) -> Result<IssuedTokens, Error> {
    let raw_request = cache::client_credentials::RawTokenRequest {
        client_auth: auth_request,
        cache_key: cache::client_credentials::cache_key(auth_request, parameters),
    };
    if let Some(issued) =
        Box::pin(cache::client_credentials::issue_from_cache(engine, &raw_request, cause)).await?
    {
        return Ok(issued);
    }
    let read = TokenRequest::parse(parameters);
    // A requested organization must be looked up, so the cache is not used.
    if let Ok(request) = &read
        && request.organization.is_none()
        && let Some(issued) = issue_from_cache(engine, &raw_request, request, cause).await?
    {
        return Ok(issued);
    }
    // Boxed, so that cached requests do not carry its state.
    Box::pin(issue_from_database(engine, &raw_request, read, cause)).await
}

/// Issues a token from the caches, if nothing has changed; `None` if they are not sufficient.
async fn issue_from_cache(
    engine: &Engine,
    raw_request: &cache::client_credentials::RawTokenRequest<'_>,
    request: &TokenRequest,
    cause: &EventCause,
) -> Result<Option<IssuedTokens>, Failure> {
    // Boxed separately, as below.
    match &request.grant {
        AuthorizationGrant::AuthorizationCode { .. } => {
            Box::pin(cache::authorization_code::redeem_from_cache(engine, raw_request, request, cause)).await
        }
        AuthorizationGrant::RefreshToken { .. } => {
            Box::pin(cache::refresh_token::redeem_from_cache(engine, raw_request, request, cause)).await
        }
        AuthorizationGrant::TokenExchange(_) => {
            Box::pin(cache::client_credentials::exchange_for_cached_client(
                engine,
                raw_request,
                request,
                cause,
            ))
            .await
        }
        AuthorizationGrant::ClientCredentials
        | AuthorizationGrant::DeviceCode { .. }
        | AuthorizationGrant::Ciba { .. } => Ok(None),
    }
}

/// The same from the database.
async fn issue_from_database(
    engine: &Engine,
    raw_request: &cache::client_credentials::RawTokenRequest<'_>,
    read: Result<TokenRequest, Refusal>,
    cause: &EventCause,
) -> Result<IssuedTokens, Error> {
    let auth_request = raw_request.client_auth;
    let grant = read.as_ref().ok().map(|request| &request.grant);
    let dpop_proof = dpop::verify_client_proof(engine, auth_request)?;
    let (client, presented_grant) =
        client_authentication::authenticate_client_with_grant(engine, auth_request, grant, cause).await?;
    let is_missing = presented_grant.is_missing(grant);
    let client = dpop::bind_client(client, dpop_proof.as_ref())?;
    let request = read?;
    check_client(&client, &request)?;
    // A proof is not stored if the request must fail, so that proofs with arbitrary keys cannot fill the
    // database (docs/contribute/decisions/0206-dpop-only-accepted-polls-use-up-proofs.md).
    if dpop_proof.is_some() && is_missing {
        return Err(grants::invalid_grant("there is no such code or refresh token").into());
    }
    // A poll uses up its proof together with the recorded poll, if it is in time.
    let waits =
        matches!(request.grant, AuthorizationGrant::DeviceCode { .. } | AuthorizationGrant::Ciba { .. });
    let at_once = dpop_proof.as_ref().filter(|_| !waits);
    dpop::consume_proof(engine, client.id(), at_once).await?;
    let now = engine.now();
    let organization = find_named_organization(engine, request.organization.as_deref(), now).await?;
    let context = TokenRequestContext {
        client: &client,
        request: &request,
        cause: client.event_cause(cause),
        now,
        organization,
    };
    match redeem_grant(engine, raw_request, &context, presented_grant, dpop_proof.as_ref()).await {
        Err(Error::Refused(refusal)) => Err(commit_consequences(engine, refusal, now).await?.into()),
        result => result,
    }
}

/// Checks whether the client may make this request, on facts from the database or from the cache.
pub(super) fn check_client(client: &AuthenticatedClient, request: &TokenRequest) -> Result<(), Refusal> {
    client.require_binding_key()?;
    if client.condition != LifecycleCondition::Enabled {
        return Err(request.grant.refuse_inactive_subject("the client or its owner is disabled"));
    }
    if !client.client.metadata.effective_grant_types().contains(&request.grant.parse_grant_type()) {
        return Err(grants::unauthorized_client(
            "The client is not registered for this grant type. Add it to grant_types of the client.",
        ));
    }
    Ok(())
}

/// Checks the organization's policy for the client.
pub(in crate::oauth) fn check_client_policy(
    client: &AuthenticatedClient,
    origin: TokenOrigin<'_>,
    access: RequestedAccess<'_>,
) -> Result<PolicyApproval, PolicyViolation> {
    let TokenOrigin { organization, settings, source, derivation: step, user, .. } = origin;
    let client = RequestedClientAccess {
        client_trust: client_trust(&client.client.client),
        document_host: client.id().document_host(),
        target: access.audience.target(),
        scopes: access.scopes,
        details: access.details,
    };
    let request = PolicyRequest { organization, source, derivation: step, client: Some(client), user };
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
    requested_name: Option<&str>,
    now: Timestamp,
) -> Result<RequestedOrganization, Failure> {
    let Some(name) = requested_name else { return Ok(RequestedOrganization::None) };
    let organization_row = organization_access::find_organization(engine, name, now).await?;
    Ok(organization_row.map_or(RequestedOrganization::Unknown, |organization| {
        RequestedOrganization::Existing(organization.id)
    }))
}

/// Redeems the grant of an authenticated client.
async fn redeem_grant(
    engine: &Engine,
    raw_request: &cache::client_credentials::RawTokenRequest<'_>,
    context: &TokenRequestContext<'_>,
    grant: PresentedGrant,
    dpop_proof: Option<&dpop::VerifiedDpopProof>,
) -> Result<IssuedTokens, Error> {
    // Boxed separately, so that a request carries only the state of its own grant type.
    match (&context.request.grant, grant) {
        (
            AuthorizationGrant::AuthorizationCode { code, redirect_uri, verifier },
            PresentedGrant::AuthorizationCode(lookup),
        ) => {
            let (redirect_uri, verifier) = (redirect_uri.as_deref(), verifier.as_deref());
            let params = authorization_code::AuthorizationCodeParams { code, redirect_uri, verifier };
            Box::pin(authorization_code::redeem_authorization_code(engine, context, &params, lookup)).await
        }
        (AuthorizationGrant::RefreshToken { token }, PresentedGrant::RefreshToken(lookup)) => {
            Box::pin(refresh_token::redeem_refresh_token(engine, context, token, lookup)).await
        }
        (AuthorizationGrant::ClientCredentials, PresentedGrant::Machine(service)) => {
            let (issued, decided) =
                Box::pin(client_credentials::issue_service_token(engine, context, service)).await?;
            Ok(raw_request.cache_decision(engine, issued, decided))
        }
        (AuthorizationGrant::TokenExchange(exchange), _) => {
            Box::pin(token_exchange::exchange_token(engine, context, exchange)).await
        }
        (AuthorizationGrant::DeviceCode { code }, _) => {
            if !engine.settings().flows.interaction.has_screens() {
                return Err(grants::unsupported_grant_type("there is no interface for users").into());
            }
            let Ok(code) = Secret::<DeviceCode>::parse(code) else {
                return Err(grants::invalid_grant("not a device code of ours").into());
            };
            let digest = DeferredGrantDigest::DeviceCode(code.digest());
            Box::pin(deferred::redeem_deferred_grant(engine, context, digest, dpop_proof)).await
        }
        (AuthorizationGrant::Ciba { request }, _) => {
            let Ok(request) = Secret::<BackchannelRequest>::parse(request) else {
                return Err(grants::invalid_grant("not a request of ours").into());
            };
            let digest = DeferredGrantDigest::AuthReqId(request.digest());
            Box::pin(deferred::redeem_deferred_grant(engine, context, digest, dpop_proof)).await
        }
        // Not a code or token of ours, so nothing was looked up.
        (AuthorizationGrant::AuthorizationCode { .. }, _) => {
            Err(grants::invalid_grant("not a code of ours").into())
        }
        (AuthorizationGrant::RefreshToken { .. }, _) => {
            Err(grants::invalid_grant("not a refresh token of ours").into())
        }
        (AuthorizationGrant::ClientCredentials, _) => {
            Err(grants::unauthorized_client("the client has no roles").into())
        }
    }
}

/// Returns the refusal after its consequences are durable.
async fn commit_consequences(
    engine: &Engine,
    mut refusal: Refusal,
    now: Timestamp,
) -> Result<Refusal, Failure> {
    let consequences = engine.limit_consequences(refusal.take_consequences()).await?;
    let batch = WriteBatch::from_consequences(consequences, refusal.detail(), now);
    engine.store().commit(batch).await?.into_result().map_err(|_| Failure::Contended)?;
    Ok(refusal)
}
