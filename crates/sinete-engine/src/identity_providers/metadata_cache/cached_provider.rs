//! The cached state of one provider, and how its metadata is obtained: from the cache, by waiting or by a request.

use crate::identity_providers::ProviderError;
use sinete_core::identity_providers::backoff::IdentityProviderBackoff;
use sinete_core::identity_providers::connections::IdentityProviderIssuer;
use sinete_core::identity_providers::oidc::metadata::OidcProviderMetadata;
use sinete_core::limits::{
    PROVIDER_CONCURRENT_MAX, PROVIDER_METADATA_AGE_MAX, PROVIDER_METADATA_FRESH, PROVIDER_QUEUED_MAX,
};
use sinete_core::time::Timestamp;
use std::sync::Arc;
use tokio::sync::{Semaphore, watch};

/// The cached state of a provider.
#[derive(Clone)]
pub(super) struct CachedProvider {
    /// The metadata URL.
    address: String,
    /// The last metadata, and when it was fetched.
    metadata: Option<(Arc<OidcProviderMetadata>, Timestamp)>,
    /// The last error, with its backoff.
    error: Option<(ProviderError, IdentityProviderBackoff)>,
    /// Closed when the request in progress is done.
    pending_read: Option<watch::Receiver<()>>,
    /// The slots for requests to its token endpoint.
    pub(super) token_slots: Arc<Semaphore>,
    /// The slots for waiting for one of these.
    pub(super) queue: Arc<Semaphore>,
}

/// How to get the metadata.
pub(super) enum ProviderLookup {
    /// From the cache.
    Cached(Result<Arc<OidcProviderMetadata>, ProviderError>),
    /// Wait for a request in progress.
    Wait(watch::Receiver<()>),
    /// Send a request; dropping the sender signals its end. The second value can be used meanwhile.
    Fetch(watch::Sender<()>, Option<Arc<OidcProviderMetadata>>),
}

impl CachedProvider {
    pub(super) fn new(issuer: &IdentityProviderIssuer) -> Self {
        let places = Arc::new(Semaphore::new(PROVIDER_CONCURRENT_MAX));
        let queue = Arc::new(Semaphore::new(PROVIDER_QUEUED_MAX));
        Self {
            address: issuer.discovery_url(),
            metadata: None,
            error: None,
            pending_read: None,
            token_slots: places,
            queue,
        }
    }

    fn is_fresh(&self, now: Timestamp) -> bool {
        self.metadata.as_ref().is_some_and(|(_, read_at)| now.since(*read_at) < PROVIDER_METADATA_FRESH)
    }

    /// The cached metadata if it is still usable, or the error. Metadata of a provider that does not respond
    /// stays usable for a while; after an invalid response it does not.
    pub(super) fn usable_provider(&self, now: Timestamp) -> Result<Arc<OidcProviderMetadata>, ProviderError> {
        let cached_metadata =
            self.metadata.as_ref().filter(|(_, read_at)| now.since(*read_at) < PROVIDER_METADATA_AGE_MAX);
        match (cached_metadata, &self.error) {
            (Some((provider, _)), None | Some((ProviderError::NotReached(_), _))) => Ok(Arc::clone(provider)),
            (_, Some((error, _))) => Err(error.clone()),
            (None, None) => Err(ProviderError::NotReached(self.address.clone())),
        }
    }

    pub(super) fn lookup(&mut self, now: Timestamp) -> ProviderLookup {
        let usable = self.usable_provider(now);
        if self.is_fresh(now) && self.error.is_none() {
            return ProviderLookup::Cached(usable);
        }
        if self.error.as_ref().is_some_and(|(_, silence)| silence.is_backing_off(now)) {
            return ProviderLookup::Cached(usable);
        }
        // If the last request failed but usable metadata is cached, readers do not wait.
        let provider_metadata = usable.ok().filter(|_| self.error.is_some());
        match (self.pending_read.clone().filter(|reading| reading.has_changed().is_ok()), provider_metadata) {
            (Some(_), Some(provider)) => ProviderLookup::Cached(Ok(provider)),
            (Some(reading), None) => ProviderLookup::Wait(reading),
            (None, provider_metadata) => {
                let (sender, reading) = watch::channel(());
                self.pending_read = Some(reading);
                ProviderLookup::Fetch(sender, provider_metadata)
            }
        }
    }

    pub(super) fn record_result(
        &mut self,
        result: Result<&Arc<OidcProviderMetadata>, ProviderError>,
        now: Timestamp,
    ) {
        match result {
            Ok(provider) => {
                self.metadata = Some((Arc::clone(provider), now));
                self.error = None;
            }
            Err(error) => {
                let earlier = self.error.as_ref().map(|(_, silence)| *silence);
                self.error = Some((error, IdentityProviderBackoff::record_failure(earlier, now)));
            }
        }
    }
}
