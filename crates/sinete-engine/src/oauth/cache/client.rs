//! Cache of clients. An entry is used only at the version that the database returns at every use. Whether a
//! client is active, and its permissions, are never cached.

use crate::{Engine, Failure};
use sinete_core::client_id::ClientId;
use sinete_core::limits::CLIENTS_CACHED_MAX;
use sinete_core::oauth::client_metadata::{ClientAuthMethod, ClientMetadata};
use sinete_core::oauth::scope_ceiling::ScopeCeiling;
use sinete_core::organizations::settings::OrganizationSettings;
use sinete_crypto::oauth::client_assertion::VerificationKeySet;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::{ClientOrigin, ClientRow};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// A client at one version.
#[derive(Debug)]
pub struct CachedClient {
    /// The client, as read. Its condition and epoch may have changed since.
    pub client: ClientRow,
    /// The client metadata.
    pub metadata: ClientMetadata,
    keys: OnceLock<Arc<VerificationKeySet>>,
}

impl CachedClient {
    pub(in crate::oauth) fn from_client(client: ClientRow) -> Result<Self, Failure> {
        let metadata = client.metadata.parse()?;
        Ok(Self { client, metadata, keys: OnceLock::new() })
    }

    /// Whether its authentication can be cached, and whether the dependency version covers its changes. It
    /// does not cover self-registered clients, so that their changes do not invalidate the caches of others.
    pub(crate) fn is_cacheable(&self) -> bool {
        use ClientAuthMethod::{ClientSecretBasic, ClientSecretPost, None};
        let method = self.metadata.token_endpoint_auth_method;
        self.client.origin != ClientOrigin::DynamicRegistration
            && matches!(method, None | ClientSecretBasic | ClientSecretPost)
    }

    /// The most that it may request: by the instance's policy, and the organization's once it is known.
    pub(crate) fn scope_ceiling(
        &self,
        engine: &Engine,
        settings: Option<&OrganizationSettings>,
    ) -> ScopeCeiling<'_> {
        let organization = settings.and_then(|settings| settings.registration.scope_ceiling);
        let policy = engine.settings().scope_ceiling.restrict(organization);
        let is_self_registered = self.client.origin == ClientOrigin::DynamicRegistration;
        self.metadata.scope_ceiling(&self.client.scope, is_self_registered, policy)
    }

    /// The keys registered by value, parsed on first use.
    pub(in crate::oauth) fn registered_keys(&self) -> Option<Arc<VerificationKeySet>> {
        let set = self.metadata.jwks.as_ref()?;
        let parse = || Arc::new(VerificationKeySet::from_jwks(set, None));
        Some(Arc::clone(self.keys.get_or_init(parse)))
    }
}

/// Clients.
///
/// - Holds: clients with their parsed metadata and keys, by id. Whether a client is active is not held.
/// - Confirmed by: the version of the client, which the database returns with every use.
/// - Dropped: when another version is loaded, and when the cache is full.
#[derive(Default)]
pub(crate) struct ClientCache(RwLock<HashMap<ClientId, Arc<CachedClient>>>);

impl ClientCache {
    fn get(&self, id: &ClientId, version: i64) -> Option<Arc<CachedClient>> {
        let clients = self.0.read().unwrap_or_else(PoisonError::into_inner);
        clients.get(id).filter(|client| client.client.version == version).cloned()
    }

    fn insert(&self, client: &Arc<CachedClient>) {
        let mut clients = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Unknown ids are not cached, so this happens only with that many real clients.
        if clients.len() >= CLIENTS_CACHED_MAX {
            clients.clear();
        }
        clients.insert(client.client.id.clone(), Arc::clone(client));
    }
}

/// Loads the client at this version, from the cache if possible. `None` if it was removed or changed
/// meanwhile.
pub(crate) async fn load_client_at_version(
    engine: &Engine,
    id: &ClientId,
    version: i64,
) -> Result<Option<Arc<CachedClient>>, Failure> {
    let client_cache = &engine.shared.client_cache;
    if let Some(client) = client_cache.get(id, version) {
        return Ok(Some(client));
    }
    let Some(client) = clients::find_client(engine.store(), id).await? else { return Ok(None) };
    let cached_client = Arc::new(CachedClient::from_client(client)?);
    client_cache.insert(&cached_client);
    Ok((cached_client.client.version == version).then_some(cached_client))
}
