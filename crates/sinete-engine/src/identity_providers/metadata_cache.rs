//! Cache of identity provider metadata, with one shared request for concurrent readers.
//!
//! Readers wait for a request in progress, which completes even if its initiator disconnects. A provider that
//! does not respond is not requested again during a growing backoff, and readers fail immediately: otherwise
//! each flow would occupy one of the few outbound slots.

mod cached_provider;

use super::call_metrics;
use super::call_metrics::ProviderCallKind;
use super::{ProviderError, insecure_provider_policy};
use crate::Engine;
use cached_provider::{CachedProvider, ProviderLookup};
use sinete_core::id::OrganizationId;
use sinete_core::identity_providers::connections::IdentityProviderIssuer;
use sinete_core::identity_providers::oidc::metadata::OidcProviderMetadata;
use sinete_core::limits::{PROVIDER_QUEUE_WAIT_MAX, PROVIDERS_CACHED_MAX};
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_store::identity_providers::connections::ConnectionRow;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{OwnedSemaphorePermit, watch};

/// Metadata of identity providers.
///
/// - Holds: the discovery document of each issuer or the error of the last request, by organization and issuer.
/// - Confirmed by: its age.
/// - Dropped: when it was fetched again, and when the cache is full.
#[derive(Default)]
pub(crate) struct ProviderMetadataCache(Mutex<HashMap<OrganizationProvider, CachedProvider>>);

/// A provider as used by one organization. Requests and failures of one organization do not affect another
/// that uses the same issuer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct OrganizationProvider {
    organization: OrganizationId,
    issuer: IdentityProviderIssuer,
}

impl OrganizationProvider {
    pub(super) fn from_connection(connection: &ConnectionRow) -> Self {
        Self { organization: connection.organization, issuer: connection.issuer.clone() }
    }
}

impl ProviderMetadataCache {
    fn lock_entries(&self) -> MutexGuard<'_, HashMap<OrganizationProvider, CachedProvider>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs a function on the entry of a provider, creating it if necessary.
    fn with_entry<T>(
        &self,
        organization_provider: &OrganizationProvider,
        update: impl FnOnce(&mut CachedProvider) -> T,
    ) -> T {
        let mut all = self.lock_entries();
        if all.len() >= PROVIDERS_CACHED_MAX && !all.contains_key(organization_provider) {
            all.clear();
        }
        update(
            all.entry(organization_provider.clone())
                .or_insert_with(|| CachedProvider::new(&organization_provider.issuer)),
        )
    }

    /// Acquires a slot for the provider's token endpoint, waiting if necessary; `None` if too many wait or it
    /// takes too long.
    pub(super) async fn acquire_token_slot(
        &self,
        organization_provider: &OrganizationProvider,
    ) -> Option<OwnedSemaphorePermit> {
        let (places, queue) = self.with_entry(organization_provider, |cached_provider| {
            (Arc::clone(&cached_provider.token_slots), Arc::clone(&cached_provider.queue))
        });
        if let Ok(semaphore_permit) = Arc::clone(&places).try_acquire_owned() {
            return Some(semaphore_permit);
        }
        let _waits = queue.try_acquire_owned().ok()?;
        let free = places.acquire_owned();
        tokio::time::timeout(PROVIDER_QUEUE_WAIT_MAX.as_duration(), free).await.ok()?.ok()
    }
}

/// Loads the metadata, from the cache if it is fresh.
pub(crate) async fn load_provider(
    engine: &Engine,
    connection: &ConnectionRow,
) -> Result<Arc<OidcProviderMetadata>, ProviderError> {
    let (providers, organization_provider) =
        (&engine.shared.provider_metadata_cache, OrganizationProvider::from_connection(connection));
    let mut reading = match providers
        .with_entry(&organization_provider, |cached_provider| cached_provider.lookup(engine.now()))
    {
        ProviderLookup::Cached(result) => return result,
        ProviderLookup::Wait(reading) => reading,
        ProviderLookup::Fetch(sender, provider_metadata) => {
            let reading = sender.subscribe();
            tokio::spawn(fetch_provider(engine.clone(), organization_provider.clone(), sender));
            match provider_metadata {
                Some(provider) => return Ok(provider),
                None => reading,
            }
        }
    };
    // Nothing is ever sent: the channel closes when the request is done.
    while reading.changed().await.is_ok() {}
    providers
        .with_entry(&organization_provider, |cached_provider| cached_provider.usable_provider(engine.now()))
}

/// Fetches the metadata regardless of the cache, for an administrator who just fixed the provider.
pub(crate) async fn refetch_provider(
    engine: &Engine,
    connection: &ConnectionRow,
) -> Result<Arc<OidcProviderMetadata>, ProviderError> {
    let organization_provider = OrganizationProvider::from_connection(connection);
    let provider =
        Arc::new(discover_provider(engine, &organization_provider, OutboundPurpose::ConnectionTest).await?);
    engine.shared.provider_metadata_cache.with_entry(&organization_provider, |cached_provider| {
        cached_provider.record_result(Ok(&provider), engine.now())
    });
    Ok(provider)
}

/// Fetches the metadata and stores the result.
async fn fetch_provider(
    engine: Engine,
    organization_provider: OrganizationProvider,
    sender: watch::Sender<()>,
) {
    let result = discover_provider(&engine, &organization_provider, OutboundPurpose::IdentityProvider)
        .await
        .map(Arc::new);
    if let Err(trouble) = &result {
        tracing::warn!(issuer = organization_provider.issuer.as_str(), %trouble, "an identity provider cannot be used");
    }
    // If no request was sent, the provider did not fail.
    if result != Err(ProviderError::Busy) {
        let result = result.as_ref().map_err(Clone::clone);
        engine.shared.provider_metadata_cache.with_entry(&organization_provider, |cached_provider| {
            cached_provider.record_result(result, engine.now())
        });
    }
    drop(sender);
}

/// Fetches the metadata of an issuer that no connection has yet. Nothing is cached.
pub(super) async fn discover_issuer(
    engine: &Engine,
    organization: OrganizationId,
    issuer: &IdentityProviderIssuer,
) -> Result<OidcProviderMetadata, ProviderError> {
    let organization_provider = OrganizationProvider { organization, issuer: issuer.clone() };
    discover_provider(engine, &organization_provider, OutboundPurpose::ConnectionTest).await
}

async fn discover_provider(
    engine: &Engine,
    organization_provider: &OrganizationProvider,
    purpose: OutboundPurpose,
) -> Result<OidcProviderMetadata, ProviderError> {
    let address = organization_provider.issuer.discovery_url();
    let owner = OutboundOwner::Organization(organization_provider.organization);
    let target = OutboundTarget { purpose, owner, url: &address };
    let body = match call_metrics::observe_call(
        engine,
        ProviderCallKind::Metadata,
        engine.outbound_http().get(&target),
    )
    .await
    {
        Ok(body) => body,
        Err(not_reached) if not_reached.is_busy() => return Err(ProviderError::Busy),
        Err(_) => return Err(ProviderError::NotReached(address)),
    };
    Ok(OidcProviderMetadata::parse(&body, &organization_provider.issuer, insecure_provider_policy(engine))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::entropy::DangerouslySeededEntropy;
    use sinete_core::identity_providers::connections::InsecureProviderPolicy;
    use sinete_core::limits::{PROVIDER_CONCURRENT_MAX, PROVIDER_QUEUED_MAX};
    use sinete_core::time::{Lifetime, Timestamp};
    use std::future::poll_fn;
    use std::pin::Pin;
    use std::task::Poll;

    const NOON: Timestamp = Timestamp::from_seconds(1_763_208_000);

    fn later(minutes: u32) -> Timestamp {
        NOON.plus(Lifetime::from_minutes(minutes))
    }

    fn away() -> ProviderError {
        ProviderError::NotReached("https://idp.example/.well-known/openid-configuration".to_owned())
    }

    fn issuer() -> IdentityProviderIssuer {
        IdentityProviderIssuer::parse("https://idp.example", InsecureProviderPolicy::Refused).unwrap()
    }

    fn provider_of(organization: u64, issuer: &str) -> OrganizationProvider {
        let organization = OrganizationId::mint(NOON, &DangerouslySeededEntropy::new(organization));
        OrganizationProvider {
            organization,
            issuer: IdentityProviderIssuer::parse(issuer, InsecureProviderPolicy::Refused).unwrap(),
        }
    }

    fn described() -> Arc<OidcProviderMetadata> {
        let metadata = serde_json::json!({
            "issuer": "https://idp.example", "authorization_endpoint": "https://idp.example/authorize",
            "token_endpoint": "https://idp.example/token", "jwks_uri": "https://idp.example/keys",
            "response_types_supported": ["code"], "id_token_signing_alg_values_supported": ["ES256"],
        });
        Arc::new(
            OidcProviderMetadata::parse(
                metadata.to_string().as_bytes(),
                &issuer(),
                InsecureProviderPolicy::Refused,
            )
            .unwrap(),
        )
    }

    #[test]
    fn identity_provider_metadata_is_read_once_while_others_wait() {
        let mut cached_provider = CachedProvider::new(&issuer());
        let ProviderLookup::Fetch(sender, None) = cached_provider.lookup(NOON) else {
            panic!("the first one reads")
        };
        assert!(
            matches!(cached_provider.lookup(NOON), ProviderLookup::Wait(_))
                && matches!(cached_provider.lookup(NOON), ProviderLookup::Wait(_))
        );
        cached_provider.record_result(Ok(&described()), NOON);
        drop(sender);
        assert!(matches!(cached_provider.lookup(later(9)), ProviderLookup::Cached(Ok(_))));
        assert!(
            matches!(cached_provider.lookup(later(10)), ProviderLookup::Fetch(..)),
            "old metadata is fetched again"
        );
    }

    #[test]
    fn identity_provider_metadata_reader_that_stops_blocks_no_other() {
        let mut cached_provider = CachedProvider::new(&issuer());
        let ProviderLookup::Fetch(sender, None) = cached_provider.lookup(NOON) else {
            panic!("the first one reads")
        };
        drop(sender);
        assert!(matches!(cached_provider.lookup(NOON), ProviderLookup::Fetch(..)));
    }

    #[test]
    fn identity_provider_that_did_not_respond_is_reported_at_once_until_the_backoff_ends() {
        let mut cached_provider = CachedProvider::new(&issuer());
        cached_provider.record_result(Err(away()), NOON);
        assert!(
            matches!(cached_provider.lookup(NOON), ProviderLookup::Cached(Err(trouble)) if trouble == away())
        );
        assert!(
            matches!(cached_provider.lookup(later(1)), ProviderLookup::Fetch(..)),
            "and it is requested again after a while"
        );
    }

    #[test]
    fn identity_provider_metadata_cached_is_used_while_the_provider_is_unreachable() {
        let mut cached_provider = CachedProvider::new(&issuer());
        cached_provider.record_result(Ok(&described()), NOON);
        cached_provider.record_result(Err(away()), later(11));
        let ProviderLookup::Fetch(_done, Some(_)) = cached_provider.lookup(later(12)) else {
            panic!("it is requested again")
        };
        assert!(
            matches!(cached_provider.lookup(later(12)), ProviderLookup::Cached(Ok(_))),
            "while the others do not wait"
        );
        let day = later(24 * 60);
        assert!(
            matches!(cached_provider.lookup(day), ProviderLookup::Wait(_)),
            "its metadata is used for a day"
        );
        // After an invalid response, earlier metadata is no longer used.
        let wrong = ProviderError::NoKeys;
        cached_provider.record_result(Err(wrong.clone()), later(13));
        assert!(
            matches!(cached_provider.lookup(later(13)), ProviderLookup::Cached(Err(trouble)) if trouble == wrong)
        );
    }

    /// Polls the future once.
    async fn so_far<F: Future + Unpin>(awaited: &mut F) -> Option<F::Output> {
        poll_fn(|context| {
            Poll::Ready(match Pin::new(&mut *awaited).poll(context) {
                Poll::Ready(output) => Some(output),
                Poll::Pending => None,
            })
        })
        .await
    }

    #[tokio::test]
    async fn identity_provider_concurrency_limit_queues_and_then_refuses() {
        let (providers, acme) = (ProviderMetadataCache::default(), provider_of(1, "https://idp.example"));
        let mut semaphore_permits = Vec::new();
        for _ in 0..PROVIDER_CONCURRENT_MAX {
            semaphore_permits.push(providers.acquire_token_slot(&acme).await.unwrap());
        }
        let mut waits = Box::pin(providers.acquire_token_slot(&acme));
        assert!(so_far(&mut waits).await.is_none());
        semaphore_permits.truncate(PROVIDER_CONCURRENT_MAX - 1);
        semaphore_permits.push(waits.await.expect("the slot that became free"));
        let mut all: Vec<_> =
            (0..PROVIDER_QUEUED_MAX).map(|_| Box::pin(providers.acquire_token_slot(&acme))).collect();
        for waits in &mut all {
            assert!(so_far(waits).await.is_none());
        }
        assert!(
            matches!(so_far(&mut Box::pin(providers.acquire_token_slot(&acme))).await, Some(None)),
            "one more does not"
        );
        let other = provider_of(1, "https://other.example");
        assert!(providers.acquire_token_slot(&other).await.is_some(), "another provider has its own slots");
        let neighbour = provider_of(2, "https://idp.example");
        assert!(
            providers.acquire_token_slot(&neighbour).await.is_some(),
            "and so has another organization at this one"
        );
    }
}
