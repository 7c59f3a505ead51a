//! Refresh tokens that this node handed out for others, with everything that was read for their grant. Whoever renews once
//! comes back to the same node, as a rule, each time an access token has run out. What was read counts again only if the
//! database says so as it renews.

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

/// Refresh tokens by what they are stored as.
pub(crate) type RefreshTokenCache = BoundedCache<CachedRefreshToken, REFRESH_TOKENS_CACHED_MAX>;

/// A refresh token that is bound to no key, and what its grant hangs on.
#[derive(Debug)]
pub(crate) struct CachedRefreshToken {
    /// What it is stored as.
    pub(in crate::oauth) digests: RefreshTokenDigests,
    pub(in crate::oauth) terms: RefreshTokenTerms,
    /// The grant, and what it hangs on.
    pub(in crate::oauth) grant: GrantSnapshot,
    /// The version of all that, as of a code that is kept.
    pub(in crate::oauth) dependency_version: i64,
    /// When it is read anew, however often it was renewed until then.
    pub(in crate::oauth) cached_until: Timestamp,
}

/// What the refresh tokens of a grant are good for.
#[derive(Debug)]
pub(in crate::oauth) struct RefreshTokenTerms {
    /// Where their access tokens are used.
    pub(in crate::oauth) audience: ApiIdentifier,
    /// What was asked for.
    pub(in crate::oauth) scope: ScopeSet,
    /// When all of them end. Whether the newest is in time is asked as it is renewed.
    pub(in crate::oauth) expires_at: Timestamp,
}

impl CachedRefreshToken {
    /// When what is read now is read anew.
    pub(in crate::oauth) fn cached_until(now: Timestamp) -> Timestamp {
        now.plus(REFRESH_TOKEN_CACHE_LIFETIME)
    }

    /// Keeps it, once it is recorded, where it is small and the client can be known again.
    pub(in crate::oauth) fn insert_into_cache(self, engine: &Engine, asking: &TokenRequestContext<'_>) {
        let (client, now) = (asking.client, asking.now);
        if client.cached.is_cacheable()
            && client.presented_confirmation.is_none()
            && self.grant.is_cacheable()
        {
            engine
                .shared
                .refresh_token_cache
                .insert_evicting(cache_key(&self.digests), self, |kept| kept.cached_until > now);
        }
    }
}

/// Forgets refresh tokens for which it is time to read anew.
pub(crate) fn evict_expired_refresh_tokens(engine: &Engine) {
    let now = engine.now();
    engine.shared.refresh_token_cache.retain(|kept| kept.cached_until > now);
}

fn cache_key(token: &RefreshTokenDigests) -> CacheKey {
    CacheKey(*token.token.as_bytes())
}

/// The tokens for a refresh token that was handed out here to a client that proved itself before, if nothing has changed since.
pub(in crate::oauth) async fn redeem_from_cache(
    engine: &Engine,
    asked: &RawTokenRequest<'_>,
    request: &TokenRequest,
    cause: &EventCause,
) -> Result<Option<IssuedTokens>, Failure> {
    let AuthorizationGrant::RefreshToken { token } = &request.grant else { return Ok(None) };
    let Ok(presented) = RefreshTokenSecret::parse(token) else { return Ok(None) };
    // It goes with whoever shows it: if it is renewed, there is another.
    let Some(kept) = engine.shared.refresh_token_cache.take(cache_key(&presented.digests())) else {
        return Ok(None);
    };
    let Some(supposed) = client_credentials::find_cached_client_for(engine, asked, request) else {
        return Ok(None);
    };
    let (client, now) = (&supposed.client, engine.now());
    // Both were read at one state. Whose it is and whether it is in time is asked as it is renewed.
    if kept.dependency_version != supposed.dependency_snapshot.version || kept.cached_until <= now {
        return Ok(None);
    }
    let asking = TokenRequestContext {
        client,
        request,
        cause: client.event_cause(cause),
        now,
        organization: RequestedOrganization::None,
    };
    refresh_token::redeem_cached_refresh_token(
        engine,
        &asking,
        &presented,
        kept,
        supposed.dependency_snapshot,
    )
    .await
}
