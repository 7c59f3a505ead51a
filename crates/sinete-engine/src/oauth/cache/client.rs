//! What is kept in memory of clients: their descriptions, which count only at the version the database names
//! at every use. Whether a client counts, and what it may do, is never kept.

use crate::{Engine, Failure};
use sinete_core::client_id::ClientId;
use sinete_core::limits::CLIENTS_CACHED_MAX;
use sinete_core::oauth::client_metadata::{ClientAuthMethod, ClientMetadata};
use sinete_crypto::oauth::client_assertion::VerificationKeySet;
use sinete_store::oauth::clients;
use sinete_store::oauth::clients::{ClientOrigin, ClientRow};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

/// A client's description as one version of it says it.
#[derive(Debug)]
pub struct CachedClient {
    /// The client as it was read. Its condition and epoch may have changed since.
    pub client: ClientRow,
    /// What it says about itself.
    pub metadata: ClientMetadata,
    keys: OnceLock<Arc<VerificationKeySet>>,
}

impl CachedClient {
    fn from_client(client: ClientRow) -> Result<Self, Failure> {
        let metadata = client.metadata.parse()?;
        Ok(Self { client, metadata, keys: OnceLock::new() })
    }

    /// Whether it can be known again by what it says, once it proved itself, and whether the version of the facts tells what it
    /// changes. Of clients that registered themselves that does not, so that nobody makes everybody be looked at anew.
    pub(crate) fn is_cacheable(&self) -> bool {
        use ClientAuthMethod::{ClientSecretBasic, ClientSecretPost, None};
        let method = self.metadata.token_endpoint_auth_method;
        self.client.origin != ClientOrigin::Itself
            && matches!(method, None | ClientSecretBasic | ClientSecretPost)
    }

    /// The keys it registered in place, parsed when they are first needed.
    pub(in crate::oauth) fn registered_keys(&self) -> Option<Arc<VerificationKeySet>> {
        let set = self.metadata.jwks.as_ref()?;
        let parse = || Arc::new(VerificationKeySet::from_jwks(set, None));
        Some(Arc::clone(self.keys.get_or_init(parse)))
    }
}

/// The descriptions that are kept.
#[derive(Default)]
pub(crate) struct ClientCache(RwLock<HashMap<ClientId, Arc<CachedClient>>>);

impl ClientCache {
    fn get(&self, id: &ClientId, version: i64) -> Option<Arc<CachedClient>> {
        let kept = self.0.read().unwrap_or_else(PoisonError::into_inner);
        kept.get(id).filter(|known| known.client.version == version).cloned()
    }

    fn insert(&self, known: &Arc<CachedClient>) {
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        // Whoever makes up ids is not kept at all, so this happens where there are that many real clients.
        if kept.len() >= CLIENTS_CACHED_MAX {
            kept.clear();
        }
        kept.insert(known.client.id.clone(), Arc::clone(known));
    }
}

/// The description of the client at this version, from memory or read now. There is none if it was removed or
/// changed meanwhile.
pub(crate) async fn load_client_at_version(
    engine: &Engine,
    id: &ClientId,
    version: i64,
) -> Result<Option<Arc<CachedClient>>, Failure> {
    let kept = &engine.shared.client_cache;
    if let Some(known) = kept.get(id, version) {
        return Ok(Some(known));
    }
    let Some(client) = clients::find_client(engine.store(), id).await? else { return Ok(None) };
    let known = Arc::new(CachedClient::from_client(client)?);
    kept.insert(&known);
    Ok((known.client.version == version).then_some(known))
}
