//! Cache of authorization codes issued by this node, with everything read when they were issued. A client
//! usually redeems its code within a second, and nothing has changed by then. An entry is used only if the
//! statement that redeems the code confirms its dependency version.

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

/// Authorization codes.
///
/// - Holds: the codes issued by this node, by digest, with everything read when they were issued.
/// - Confirmed by: the statement that redeems the code, at the dependency version of the entry.
/// - Dropped: when the code is presented, when it expires, and when the cache is full.
pub(crate) type AuthorizationCodeCache =
    BoundedCache<CachedAuthorizationCode, AUTHORIZATION_CODES_CACHED_MAX>;

/// A cached code with the facts read when it was issued.
#[derive(Debug)]
pub(crate) struct CachedAuthorizationCode {
    /// The stored digest.
    pub(crate) digest: AuthorizationCodeDigest,
    /// The client.
    pub(crate) client: ClientId,
    /// The redirect URI.
    pub(crate) redirect_uri: String,
    /// The PKCE challenge.
    pub(crate) challenge: S256Challenge,
    /// When it expires.
    pub(crate) expires_at: Timestamp,
    /// The other request parameters.
    pub(crate) request: StoredGrantParams,
    /// The grant and what it depends on.
    pub(crate) grant: GrantSnapshot,
    /// The dependency version of all of this, except whether the grant and session are active, which the
    /// redeeming statement checks, and the freshness of the session, which is never higher here than in the
    /// database.
    pub(crate) dependency_version: i64,
}

impl CachedAuthorizationCode {
    /// Adds the code to the cache, after its commit.
    pub(crate) fn insert_into_cache(self, engine: &Engine) {
        let now = engine.now();
        engine.shared.authorization_code_cache.insert_evicting(
            cache_key(&self.digest),
            self,
            |authorization_code| authorization_code.expires_at > now,
        );
    }
}

/// Removes expired codes.
pub(crate) fn evict_expired_codes(engine: &Engine) {
    let now = engine.now();
    engine.shared.authorization_code_cache.retain(|authorization_code| authorization_code.expires_at > now);
}

fn cache_key(code: &AuthorizationCodeDigest) -> CacheKey {
    CacheKey(*code.code.as_bytes())
}

/// Redeems a cached code of a cached client, if nothing has changed since.
pub(in crate::oauth) async fn redeem_from_cache(
    engine: &Engine,
    raw_request: &RawTokenRequest<'_>,
    request: &TokenRequest,
    cause: &EventCause,
) -> Result<Option<IssuedTokens>, Failure> {
    let AuthorizationGrant::AuthorizationCode { code, redirect_uri, verifier } = &request.grant else {
        return Ok(None);
    };
    let Ok(digest) = AuthorizationCodeSecret::parse(code).map(|code| code.digest()) else { return Ok(None) };
    let Some(unconfirmed_client) = client_credentials::find_cached_client_for(engine, raw_request, request)
    else {
        return Ok(None);
    };
    let Some(authorization_code) = engine.shared.authorization_code_cache.take(cache_key(&digest)) else {
        return Ok(None);
    };
    // The digest covers the grant id, and both entries must have the same dependency version.
    if authorization_code.digest != digest
        || authorization_code.dependency_version != unconfirmed_client.dependency_snapshot.version
    {
        return Ok(None);
    }
    let client = &unconfirmed_client.client;
    let (now, organization) = (engine.now(), RequestedOrganization::None);
    let context =
        TokenRequestContext { client, request, cause: client.event_cause(cause), now, organization };
    let params = AuthorizationCodeParams {
        code,
        redirect_uri: redirect_uri.as_deref(),
        verifier: verifier.as_deref(),
    };
    authorization_code::redeem_cached_code(
        engine,
        &context,
        &params,
        authorization_code,
        unconfirmed_client.dependency_snapshot,
    )
    .await
}
