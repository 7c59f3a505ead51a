//! Codes that this node gave out and that nobody has redeemed yet, with everything that was read when it did. A client
//! redeems its code within a second, as a rule, and mostly nothing has changed by then. What was read counts again only if
//! the database says so as it spends the code.

use super::client_credentials;
use super::client_credentials::RawTokenRequest;
use crate::oauth::cache::{BoundedCache, CacheKey};
use crate::oauth::grants::active_grant::GrantSnapshot;
use crate::oauth::grants::authorization_code;
use crate::oauth::grants::authorization_code::AuthorizationCodeParams;
use crate::oauth::token::TokenRequestContext;
use crate::oauth::token_issuance::IssuedTokens;
use crate::{Engine, EventCause, Failure};
use sinete_core::client_id::ClientId;
use sinete_core::limits::AUTHORIZATION_CODES_CACHED_MAX;
use sinete_core::oauth::authorize::organization_selection::RequestedOrganization;
use sinete_core::oauth::authorize::stored_grant_params::StoredGrantParams;
use sinete_core::oauth::grants::{AuthorizationGrant, TokenRequest};
use sinete_core::oauth::pkce::S256Challenge;
use sinete_core::secret::{AuthorizationCodeDigest, AuthorizationCodeSecret};
use sinete_core::time::Timestamp;

/// Codes by what they are stored as.
pub(crate) type AuthorizationCodeCache =
    BoundedCache<CachedAuthorizationCode, AUTHORIZATION_CODES_CACHED_MAX>;

/// A code, and what was read before it was given out.
#[derive(Debug)]
pub(crate) struct CachedAuthorizationCode {
    /// What it is stored as.
    pub(crate) digest: AuthorizationCodeDigest,
    /// The only client that may redeem it.
    pub(crate) client: ClientId,
    /// Where it was sent.
    pub(crate) redirect_uri: String,
    /// Of the verifier.
    pub(crate) challenge: S256Challenge,
    /// When it stops working.
    pub(crate) expires_at: Timestamp,
    /// What else the token request is held against.
    pub(crate) request: StoredGrantParams,
    /// The grant, and what it hangs on.
    pub(crate) grant: GrantSnapshot,
    /// The version of all that, but for whether the grant and the session still count, which is asked as the code is spent;
    /// and for how fresh the session is, which is never fresher here than there.
    pub(crate) dependency_version: i64,
}

impl CachedAuthorizationCode {
    /// Keeps what was read, once the code is recorded.
    pub(crate) fn insert_into_cache(self, engine: &Engine) {
        let now = engine.now();
        engine
            .shared
            .authorization_code_cache
            .insert_evicting(cache_key(&self.digest), self, |given| given.expires_at > now);
    }
}

/// Forgets codes that nobody redeemed in time.
pub(crate) fn evict_expired_codes(engine: &Engine) {
    let now = engine.now();
    engine.shared.authorization_code_cache.retain(|given| given.expires_at > now);
}

fn cache_key(code: &AuthorizationCodeDigest) -> CacheKey {
    CacheKey(*code.code.as_bytes())
}

/// The tokens for a code that was given out here to a client that proved itself before, if nothing has changed since.
pub(in crate::oauth) async fn redeem_from_cache(
    engine: &Engine,
    asked: &RawTokenRequest<'_>,
    request: &TokenRequest,
    cause: &EventCause,
) -> Result<Option<IssuedTokens>, Failure> {
    let AuthorizationGrant::AuthorizationCode { code, redirect_uri, verifier } = &request.grant else {
        return Ok(None);
    };
    let Ok(digest) = AuthorizationCodeSecret::parse(code).map(|code| code.digest()) else { return Ok(None) };
    let Some(supposed) = client_credentials::find_cached_client_for(engine, asked, request) else {
        return Ok(None);
    };
    let Some(given) = engine.shared.authorization_code_cache.take(cache_key(&digest)) else {
        return Ok(None);
    };
    // What is named beside the digest is told apart by it, and both were read at one state.
    if given.digest != digest || given.dependency_version != supposed.dependency_snapshot.version {
        return Ok(None);
    }
    let client = &supposed.client;
    let (now, organization) = (engine.now(), RequestedOrganization::None);
    let asking = TokenRequestContext { client, request, cause: client.event_cause(cause), now, organization };
    let said = AuthorizationCodeParams {
        code,
        redirect_uri: redirect_uri.as_deref(),
        verifier: verifier.as_deref(),
    };
    authorization_code::redeem_cached_code(engine, &asking, &said, given, supposed.dependency_snapshot).await
}
