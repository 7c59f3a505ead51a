//! Cache of client credentials requests. A decision is reused only if nothing it depends on has changed,
//! which the statement that records the token confirms. Only positive decisions are cached, so the cache
//! never causes a refusal.

use crate::oauth::cache::{BoundedCache, CacheKey};
use crate::oauth::client_authentication::{
    ClientAuthRequest, ClientCredential, UnconfirmedClient, find_cached_client,
};
use crate::oauth::grants::client_credentials;
use crate::oauth::grants::client_credentials::CachedServiceToken;
use crate::oauth::grants::token_exchange;
use crate::oauth::token;
use crate::oauth::token::TokenRequestContext;
use crate::oauth::token_issuance::IssuedTokens;
use crate::{Engine, EventCause, Failure};
use sinete_core::limits::{CACHED_JWT_BYTES_MAX, CLIENT_CREDENTIALS_CACHED_MAX};
use sinete_core::oauth::authorize::organization_selection::RequestedOrganization;
use sinete_core::oauth::grants::{AuthorizationGrant, TokenRequest, TokenRequestParams};

/// Decisions of the client credentials grant.
///
/// - Holds: positive decisions, by the digest of the request with its secret.
/// - Confirmed by: the statement that records the token, at the dependency version of the entry.
/// - Dropped: when it was not confirmed, when a newer dependency version is seen, and when the cache is full.
pub(crate) type ServiceTokenCache = BoundedCache<CachedServiceToken, CLIENT_CREDENTIALS_CACHED_MAX>;

/// A token request, as received.
pub(in crate::oauth) struct RawTokenRequest<'a> {
    /// The client authentication.
    pub(in crate::oauth) client_auth: &'a ClientAuthRequest,
    /// The cache key, if the request can be cached.
    pub(in crate::oauth) cache_key: Option<CacheKey>,
}

/// The parameters of a cacheable request. Requests with others are not cached, so that arbitrary parameters
/// cannot fill the cache.
const CACHEABLE_PARAMETERS: [&str; 5] = ["grant_type", "scope", "resource", "client_id", "client_secret"];

/// The cache key of a client credentials request with a secret.
pub(in crate::oauth) fn cache_key(
    auth_request: &ClientAuthRequest,
    parameters: &TokenRequestParams<'_>,
) -> Option<CacheKey> {
    let is_own = parameters.get("grant_type") == Some("client_credentials")
        && matches!(
            auth_request.credential,
            ClientCredential::HeaderSecret(_) | ClientCredential::BodySecret(_)
        );
    if !is_own || !parameters.iter().all(|(name, _)| CACHEABLE_PARAMETERS.contains(&name)) {
        return None;
    }
    auth_request.cache_key(parameters.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]))
}

impl RawTokenRequest<'_> {
    /// Adds a decision to the cache, unless it is too large.
    pub(in crate::oauth) fn cache_decision(
        &self,
        engine: &Engine,
        issued: IssuedTokens,
        decided: CachedServiceToken,
    ) -> IssuedTokens {
        if let Some(key) = self.cache_key.filter(|_| issued.access_token.len() <= CACHED_JWT_BYTES_MAX) {
            engine.shared.service_token_cache.insert(key, decided);
        }
        issued
    }
}

/// Issues a token from a cached decision, if everything it depends on is unchanged.
pub(in crate::oauth) async fn issue_from_cache(
    engine: &Engine,
    raw_request: &RawTokenRequest<'_>,
    cause: &EventCause,
) -> Result<Option<IssuedTokens>, Failure> {
    let Some(key) = raw_request.cache_key else { return Ok(None) };
    let Some(decided) = engine.shared.service_token_cache.get(key) else { return Ok(None) };
    let now = engine.now();
    if engine.shared.newest_dependency_version.is_possibly_current(decided.dependency_snapshot(), now) {
        if let Some(issued) = client_credentials::reissue_service_token(engine, &decided, cause, now).await? {
            return Ok(Some(issued));
        }
        engine.shared.newest_dependency_version.mark_outdated(decided.dependency_snapshot());
    }
    engine.shared.service_token_cache.remove(key);
    Ok(None)
}

/// Finds the cached client of a request, if it may make this request.
pub(in crate::oauth) fn find_cached_client_for(
    engine: &Engine,
    raw_request: &RawTokenRequest<'_>,
    request: &TokenRequest,
) -> Option<UnconfirmedClient> {
    let client = find_cached_client(engine, raw_request.client_auth)?;
    token::check_client(&client.client, request).is_ok().then_some(client)
}

/// Runs a token exchange for a cached client, whose authentication the transaction confirms.
pub(in crate::oauth) async fn exchange_for_cached_client(
    engine: &Engine,
    raw_request: &RawTokenRequest<'_>,
    request: &TokenRequest,
    cause: &EventCause,
) -> Result<Option<IssuedTokens>, Failure> {
    let AuthorizationGrant::TokenExchange(exchange) = &request.grant else { return Ok(None) };
    let Some(unconfirmed_client) = self::find_cached_client_for(engine, raw_request, request) else {
        return Ok(None);
    };
    let client = &unconfirmed_client.client;
    let (now, organization) = (engine.now(), RequestedOrganization::None);
    let context =
        TokenRequestContext { client, request, cause: client.event_cause(cause), now, organization };
    token_exchange::exchange_token_at_version(
        engine,
        &context,
        exchange,
        unconfirmed_client.dependency_snapshot,
    )
    .await
}
