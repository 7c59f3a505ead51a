//! Cache of refresh tokens issued by this node, with everything read for their grant. Clients usually refresh
//! at the same node. An entry is used only if the statement that rotates the token confirms its dependency
//! version.

use super::client_credentials;
use super::client_credentials::RawTokenRequest;
use crate::oauth::cache::{BoundedCache, CacheKey};
use crate::oauth::grants::active_grant::GrantSnapshot;
use crate::oauth::grants::refresh_token;
use crate::oauth::token::TokenRequestContext;
use crate::oauth::token_issuance::IssuedTokens;
use crate::{Engine, EventCause, Failure};
use sinete_core::access_control::scope::ScopeSet;
use sinete_core::limits::{REFRESH_TOKEN_CACHE_LIFETIME, REFRESH_TOKENS_CACHED_MAX};
use sinete_core::oauth::authorize::organization_selection::RequestedOrganization;
use sinete_core::oauth::grants::{AuthorizationGrant, TokenRequest};
use sinete_core::organizations::api_catalog::ApiIdentifier;
use sinete_core::secret::{RefreshTokenDigests, RefreshTokenSecret};
use sinete_core::time::Timestamp;

/// Refresh tokens.
///
/// - Holds: the unbound refresh tokens rotated by this node, by digest, with everything read for their grant.
/// - Confirmed by: the statement that rotates the token, at the dependency version of the entry.
/// - Dropped: when the token is presented, after `REFRESH_TOKEN_CACHE_LIFETIME`, and when the cache is full.
pub(crate) type RefreshTokenCache = BoundedCache<CachedRefreshToken, REFRESH_TOKENS_CACHED_MAX>;

/// A refresh token that is not sender-constrained, with what its grant depends on.
#[derive(Debug)]
pub(crate) struct CachedRefreshToken {
    /// The stored digests.
    pub(in crate::oauth) digests: RefreshTokenDigests,
    pub(in crate::oauth) terms: RefreshTokenLimits,
    /// The grant and what it depends on.
    pub(in crate::oauth) grant: GrantSnapshot,
    /// The dependency version of all of this.
    pub(in crate::oauth) dependency_version: i64,
    /// When it must be read again, however often it is rotated.
    pub(in crate::oauth) cached_until: Timestamp,
}

/// The terms of a grant's refresh tokens.
#[derive(Debug)]
pub(in crate::oauth) struct RefreshTokenLimits {
    /// The audience.
    pub(in crate::oauth) audience: ApiIdentifier,
    /// The scope.
    pub(in crate::oauth) scope: ScopeSet,
    /// When the family expires. The expiry of the newest token is checked when it is rotated.
    pub(in crate::oauth) expires_at: Timestamp,
}

impl CachedRefreshToken {
    /// When facts that are read now must be read again.
    pub(in crate::oauth) fn cached_until(now: Timestamp) -> Timestamp {
        now.plus(REFRESH_TOKEN_CACHE_LIFETIME)
    }

    /// Adds the token to the cache after its commit, if it is small and its client can be cached.
    pub(in crate::oauth) fn insert_into_cache(self, engine: &Engine, context: &TokenRequestContext<'_>) {
        let (client, now) = (context.client, context.now);
        if client.client.is_cacheable()
            && client.presented_confirmation.is_none()
            && self.grant.is_cacheable()
        {
            engine
                .shared
                .refresh_token_cache
                .insert_evicting(cache_key(&self.digests), self, |token| token.cached_until > now);
        }
    }
}

/// Removes expired entries.
pub(crate) fn evict_expired_refresh_tokens(engine: &Engine) {
    let now = engine.now();
    engine.shared.refresh_token_cache.retain(|token| token.cached_until > now);
}

fn cache_key(token: &RefreshTokenDigests) -> CacheKey {
    CacheKey(*token.token.as_bytes())
}

/// Redeems a cached refresh token of a cached client, if nothing has changed since.
pub(in crate::oauth) async fn redeem_from_cache(
    engine: &Engine,
    raw_request: &RawTokenRequest<'_>,
    request: &TokenRequest,
    cause: &EventCause,
) -> Result<Option<IssuedTokens>, Failure> {
    let AuthorizationGrant::RefreshToken { token } = &request.grant else { return Ok(None) };
    let Ok(refresh_token) = RefreshTokenSecret::parse(token) else { return Ok(None) };
    // The entry is removed: a rotation adds a new one.
    let Some(token) = engine.shared.refresh_token_cache.take(cache_key(&refresh_token.digests())) else {
        return Ok(None);
    };
    let Some(unconfirmed_client) = client_credentials::find_cached_client_for(engine, raw_request, request)
    else {
        return Ok(None);
    };
    let (client, now) = (&unconfirmed_client.client, engine.now());
    // Both must have the same dependency version. Client and expiry are checked when it is rotated.
    if token.dependency_version != unconfirmed_client.dependency_snapshot.version || token.cached_until <= now
    {
        return Ok(None);
    }
    let context = TokenRequestContext {
        client,
        request,
        cause: client.event_cause(cause),
        now,
        organization: RequestedOrganization::None,
    };
    refresh_token::redeem_cached_refresh_token(
        engine,
        &context,
        &refresh_token,
        token,
        unconfirmed_client.dependency_snapshot,
    )
    .await
}
