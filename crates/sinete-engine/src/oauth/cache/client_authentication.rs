//! Clients that proved who they are before, in the same words. Who they are is supposed until the database says, in the
//! statement that the request needs anyway, that nothing has changed since; where it does not, they prove themselves anew.

use crate::Engine;
use crate::oauth::cache::{BoundedCache, CacheKey};
use crate::oauth::client_authentication::{
    AuthenticatedClient, CachedClient, ClientAuthRequest, ClientCredential,
};
use sinete_core::access_control::subject::LifecycleCondition;
use sinete_core::limits::CLIENTS_CACHED_MAX;
use sinete_store::oauth::client_authentication::DependencySnapshot;
use std::sync::Arc;

/// Clients that proved who they are, by how they did.
pub(crate) type ClientAuthCache = BoundedCache<CachedClientAuth, CLIENTS_CACHED_MAX>;

/// A client that proved who it is, and what that was read from.
pub(crate) struct CachedClientAuth {
    client: Arc<CachedClient>,
    dependency_snapshot: DependencySnapshot,
}

/// A client that is who it says, if nothing has changed. It is told nothing before somebody made sure of that.
pub struct UnconfirmedClient {
    pub(crate) client: AuthenticatedClient,
    pub(crate) dependency_snapshot: DependencySnapshot,
    cache_key: CacheKey,
}

impl UnconfirmedClient {
    /// Whether it is so, if this is the state that the database was in. If not, it is not supposed any more.
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
    /// Stands for the client and the secret it shows, if it has one, with more of what is said. There is none where anything
    /// else is shown: an assertion, a certificate or the proof of a key is looked at each time.
    pub(crate) fn cache_key<'said>(
        &'said self,
        more: impl IntoIterator<Item = &'said [u8]>,
    ) -> Option<CacheKey> {
        if self.certificate.is_some() || self.key.is_some() {
            return None;
        }
        let (place, secret) = match &self.credential {
            ClientCredential::HeaderSecret(secret) => ("header", secret.as_str()),
            ClientCredential::BodySecret(secret) => ("body", secret.as_str()),
            ClientCredential::None => ("nowhere", ""),
            ClientCredential::Assertion(_) => return None,
        };
        let mut said: Vec<&[u8]> = Vec::with_capacity(16);
        said.extend([place.as_bytes(), self.client.as_ref()?.as_bytes(), secret.as_bytes()]);
        said.extend(more);
        Some(CacheKey::from_parts(&said))
    }
}

/// The client behind a request, if it proved who it is before in the same words.
pub fn find_cached_client(engine: &Engine, presented: &ClientAuthRequest) -> Option<UnconfirmedClient> {
    let said = presented.cache_key([])?;
    let proven = engine.shared.client_auth_cache.get(said)?;
    if !engine.shared.newest_dependency_version.is_possibly_current(proven.dependency_snapshot, engine.now())
    {
        engine.shared.client_auth_cache.remove(said);
        return None;
    }
    let client = AuthenticatedClient::new(Arc::clone(&proven.client), LifecycleCondition::Enabled, presented);
    Some(UnconfirmedClient { client, dependency_snapshot: proven.dependency_snapshot, cache_key: said })
}

/// Keeps that the client proved who it is, where it can be known again; others prove themselves each time.
pub(in crate::oauth) fn cache_client_authentication(
    engine: &Engine,
    presented: &ClientAuthRequest,
    client: &AuthenticatedClient,
    facts: DependencySnapshot,
) {
    let is_kept = client.condition == LifecycleCondition::Enabled && client.cached.is_cacheable();
    if let Some(said) = presented.cache_key([]).filter(|_| is_kept) {
        engine.shared.client_auth_cache.insert(
            said,
            CachedClientAuth { client: Arc::clone(&client.cached), dependency_snapshot: facts },
        );
    }
}
