//! Cache of client authentications. A client with identical credentials is unconfirmed until a statement that
//! the request needs anyway confirms the dependency version; otherwise it is authenticated again.

use crate::Engine;
use crate::oauth::cache::{BoundedCache, CacheKey};
use crate::oauth::client_authentication::{
    AuthenticatedClient, CachedClient, ClientAuthRequest, ClientCredential,
};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::limits::CLIENTS_CACHED_MAX;
use sinete_store::DependencySnapshot;
use std::sync::Arc;

/// Client authentications.
///
/// - Holds: clients that authenticated with a secret or as public clients, by the digest of what they sent.
/// - Confirmed by: a read or the write batch of the request, at the dependency version of the entry.
/// - Dropped: when a newer dependency version is seen, and when the cache is full.
pub(crate) type ClientAuthCache = BoundedCache<CachedClientAuth, CLIENTS_CACHED_MAX>;

/// An authenticated client, with the version it was read at.
pub(crate) struct CachedClientAuth {
    client: Arc<CachedClient>,
    dependency_snapshot: DependencySnapshot,
}

/// A client whose cached authentication is not confirmed yet. It must receive no response before that.
pub struct UnconfirmedClient {
    pub(crate) client: AuthenticatedClient,
    pub(crate) dependency_snapshot: DependencySnapshot,
    cache_key: CacheKey,
}

impl UnconfirmedClient {
    /// Whether the authentication is confirmed by this dependency version. If not, the entry is removed.
    pub(crate) fn is_confirmed_by(&self, engine: &Engine, facts: i64) -> bool {
        engine.shared.newest_dependency_version.record_version(facts);
        let holds = self.dependency_snapshot.version == facts;
        if !holds {
            engine.shared.client_auth_cache.remove(self.cache_key);
        }
        holds
    }
}

impl ClientAuthRequest {
    /// The cache key of the client and its secret, with further parts. `None` for assertions, certificates
    /// and DPoP proofs, which are verified each time.
    pub(crate) fn cache_key<'said>(
        &'said self,
        extra_parts: impl IntoIterator<Item = &'said [u8]>,
    ) -> Option<CacheKey> {
        if self.certificate.is_some() || self.dpop.is_some() {
            return None;
        }
        let (location, secret) = match &self.credential {
            ClientCredential::HeaderSecret(secret) => ("header", secret.as_str()),
            ClientCredential::BodySecret(secret) => ("body", secret.as_str()),
            ClientCredential::None => ("nowhere", ""),
            ClientCredential::Assertion(_) => return None,
        };
        let mut parts: Vec<&[u8]> = Vec::with_capacity(16);
        parts.extend([location.as_bytes(), self.client.as_ref()?.as_bytes(), secret.as_bytes()]);
        parts.extend(extra_parts);
        Some(CacheKey::from_parts(&parts))
    }
}

/// Looks up a cached client authentication for identical credentials. The caller must confirm it before use.
pub fn find_cached_client(engine: &Engine, auth_request: &ClientAuthRequest) -> Option<UnconfirmedClient> {
    let key = auth_request.cache_key([])?;
    let client_auth = engine.shared.client_auth_cache.get(key)?;
    if !engine
        .shared
        .newest_dependency_version
        .is_possibly_current(client_auth.dependency_snapshot, engine.now())
    {
        engine.shared.client_auth_cache.remove(key);
        return None;
    }
    let client =
        AuthenticatedClient::new(Arc::clone(&client_auth.client), LifecycleCondition::Enabled, auth_request);
    Some(UnconfirmedClient { client, dependency_snapshot: client_auth.dependency_snapshot, cache_key: key })
}

/// Adds a client authentication to the cache, if it can be cached.
pub(in crate::oauth) fn cache_client_authentication(
    engine: &Engine,
    auth_request: &ClientAuthRequest,
    client: &AuthenticatedClient,
    facts: DependencySnapshot,
) {
    let is_kept = client.condition == LifecycleCondition::Enabled && client.client.is_cacheable();
    if let Some(key) = auth_request.cache_key([]).filter(|_| is_kept) {
        engine
            .shared
            .client_auth_cache
            .insert(key, CachedClientAuth { client: Arc::clone(&client.client), dependency_snapshot: facts });
    }
}
