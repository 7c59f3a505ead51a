//! Cache of client metadata documents.
//!
//! A document is used as long as its HTTP headers say, within bounds. One that could not be used is not fetched
//! again for a while. Readers wait for a fetch in progress, which completes even if its initiator disconnects.
//! Fetches are limited for each network address that causes them and for each host.

use crate::Engine;
use crate::ports::{OutboundDocument, OutboundError, OutboundFailureKind};
use sinete_core::client_id::ClientId;
use sinete_core::limits::{
    CLIENT_DOCUMENT_BYTES_MAX, CLIENT_DOCUMENT_FETCHES_PER_ADDRESS_MAX, CLIENT_DOCUMENT_FETCHES_PER_HOST_MAX,
    CLIENT_DOCUMENT_RETRY_AFTER, CLIENT_DOCUMENTS_CACHED_MAX, RATE_LIMITED_ADDRESSES_MAX, RETRY_AFTER,
};
use sinete_core::oauth::client_document::{
    ClientDocumentFailure, compute_document_lifetime, parse_client_document,
};
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::platform::rate_limit::{RateLimit, TokenBucket, client_network};
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::time::{Lifetime, Timestamp};
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Client metadata documents, and the fetches that are left.
///
/// - Holds: the metadata of a document, or why it cannot be used, by client id.
/// - Confirmed by: the lifetime that its HTTP headers gave it, within bounds.
/// - Dropped: when that lifetime is over and the document is fetched again, and when the cache is full.
#[derive(Default)]
pub(crate) struct ClientDocumentCache {
    documents: Mutex<HashMap<ClientId, CachedDocument>>,
    fetches_by_address: FetchLimiter<IpAddr>,
    fetches_by_host: FetchLimiter<String>,
}

/// The metadata of a document, or why it cannot be used.
type DocumentOutcome = Result<Arc<ClientMetadata>, ClientDocumentFailure>;

#[derive(Clone, Default)]
struct CachedDocument {
    outcome: Option<(DocumentOutcome, Timestamp)>,
    pending_fetch: Option<watch::Receiver<()>>,
}

/// How to get a document.
enum DocumentLookup {
    /// From the cache.
    Cached(DocumentOutcome),
    /// Wait for a fetch in progress.
    Wait(watch::Receiver<()>),
    /// Fetch it; dropping the sender signals the end.
    Fetch(watch::Sender<()>),
    /// There were too many fetches.
    Limited(Lifetime),
}

/// Token buckets by key.
struct FetchLimiter<K>(Mutex<HashMap<K, TokenBucket>>);

impl<K> Default for FetchLimiter<K> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash> FetchLimiter<K> {
    fn take_token(&self, key: K, rate_limit: RateLimit, now: Timestamp) -> Result<(), Lifetime> {
        let mut buckets = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= RATE_LIMITED_ADDRESSES_MAX && !buckets.contains_key(&key) {
            buckets.retain(|_, bucket| !bucket.is_full(rate_limit, now));
            if buckets.len() >= RATE_LIMITED_ADDRESSES_MAX {
                return Err(RETRY_AFTER);
            }
        }
        let bucket = buckets.entry(key).or_insert_with(|| TokenBucket::new_full(rate_limit, now));
        *bucket = bucket.take_token(rate_limit, now)?;
        Ok(())
    }
}

impl CachedDocument {
    fn fresh_outcome(&self, now: Timestamp) -> Option<&DocumentOutcome> {
        self.outcome.as_ref().filter(|(_, fresh_until)| now < *fresh_until).map(|(outcome, _)| outcome)
    }
}

impl ClientDocumentCache {
    /// Returns the cached document, or registers a new fetch so that no other is started.
    fn lookup(&self, id: &ClientId, address: Option<IpAddr>, now: Timestamp) -> DocumentLookup {
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(document) = documents.get(id) {
            if let Some(outcome) = document.fresh_outcome(now) {
                return DocumentLookup::Cached(outcome.clone());
            }
            if let Some(fetch) = document.pending_fetch.clone().filter(|fetch| fetch.has_changed().is_ok()) {
                return DocumentLookup::Wait(fetch);
            }
        }
        if let Err(wait) = self.acquire_fetch(id, address, now) {
            return DocumentLookup::Limited(wait);
        }
        if documents.len() >= CLIENT_DOCUMENTS_CACHED_MAX && !documents.contains_key(id) {
            documents.retain(|_, it| it.fresh_outcome(now).is_some_and(Result::is_ok));
            if documents.len() >= CLIENT_DOCUMENTS_CACHED_MAX {
                documents.clear();
            }
        }
        let (sender, fetch) = watch::channel(());
        documents.entry(id.clone()).or_default().pending_fetch = Some(fetch);
        DocumentLookup::Fetch(sender)
    }

    fn acquire_fetch(&self, id: &ClientId, address: Option<IpAddr>, now: Timestamp) -> Result<(), Lifetime> {
        if let Some(address) = address {
            let rate_limit = RateLimit::per_minute(CLIENT_DOCUMENT_FETCHES_PER_ADDRESS_MAX);
            self.fetches_by_address.take_token(client_network(address), rate_limit, now)?;
        }
        let host = id.document_host().unwrap_or_default().to_owned();
        let rate_limit = RateLimit::per_minute(CLIENT_DOCUMENT_FETCHES_PER_HOST_MAX);
        self.fetches_by_host.take_token(host, rate_limit, now)
    }

    fn get_fresh(&self, id: &ClientId, now: Timestamp) -> Option<DocumentOutcome> {
        let documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        documents.get(id).and_then(|document| document.fresh_outcome(now)).cloned()
    }

    fn insert(&self, id: &ClientId, outcome: DocumentOutcome, fresh_until: Timestamp) {
        let mut documents = self.documents.lock().unwrap_or_else(PoisonError::into_inner);
        documents.entry(id.clone()).or_default().outcome = Some((outcome, fresh_until));
    }
}

/// The metadata of the client's document, from the cache or its host.
pub(in crate::oauth) async fn load_client_document(
    engine: &Engine,
    id: &ClientId,
    address: Option<IpAddr>,
) -> Result<Arc<ClientMetadata>, Refusal> {
    let (cache, now) = (&engine.shared.client_document_cache, engine.now());
    let mut fetch = match cache.lookup(id, address, now) {
        DocumentLookup::Cached(outcome) => return outcome.map_err(|failure| Refusal::from(&failure)),
        DocumentLookup::Limited(wait) => {
            let limited = Refusal::because(OAuthRefusal::ClientDocumentRateLimited, "");
            return Err(limited.with_retry_after(wait));
        }
        DocumentLookup::Wait(fetch) => fetch,
        DocumentLookup::Fetch(sender) => {
            let fetch = sender.subscribe();
            tokio::spawn(fetch_document(engine.clone(), id.clone(), address, sender));
            fetch
        }
    };
    // Ends when the fetch is done.
    while fetch.changed().await.is_ok() {}
    match cache.get_fresh(id, now) {
        Some(outcome) => outcome.map_err(|failure| Refusal::from(&failure)),
        // Nothing is known about the document: no slot was free.
        None => {
            let busy = Refusal::because(OAuthRefusal::ClientDocumentBusy, "no free outbound slot");
            Err(busy.with_retry_after(RETRY_AFTER))
        }
    }
}

/// Fetches the document and caches the result.
async fn fetch_document(engine: Engine, id: ClientId, address: Option<IpAddr>, sender: watch::Sender<()>) {
    let target = OutboundTarget {
        purpose: OutboundPurpose::ClientDocument,
        owner: OutboundOwner::Registrant(address),
        url: id.as_str(),
    };
    let fetched = engine.outbound_http().get_document(&target, CLIENT_DOCUMENT_BYTES_MAX).await;
    if !fetched.as_ref().is_err_and(OutboundError::is_busy) {
        let (outcome, lifetime) = read_document(&id, fetched);
        if let Err(failure) = &outcome {
            tracing::info!(client = %id, ?failure, "a client metadata document cannot be used");
        }
        engine.shared.client_document_cache.insert(&id, outcome, engine.now().plus(lifetime));
    }
    drop(sender);
}

/// The result of a response, and how long it is cached.
fn read_document(
    id: &ClientId,
    fetched: Result<OutboundDocument, OutboundError>,
) -> (DocumentOutcome, Lifetime) {
    let read = fetched.map_err(|error| to_document_failure(&error)).and_then(|document| {
        let lifetime = compute_document_lifetime(document.cache_control.as_deref(), document.age.as_deref());
        Ok((Arc::new(parse_client_document(id, &document.body)?), lifetime))
    });
    match read {
        Ok((metadata, lifetime)) => (Ok(metadata), lifetime),
        Err(failure) => (Err(failure), CLIENT_DOCUMENT_RETRY_AFTER),
    }
}

fn to_document_failure(error: &OutboundError) -> ClientDocumentFailure {
    match error.kind() {
        OutboundFailureKind::TimedOut => ClientDocumentFailure::TimedOut,
        OutboundFailureKind::TooLarge => ClientDocumentFailure::TooLarge,
        OutboundFailureKind::Redirected => ClientDocumentFailure::Redirected,
        OutboundFailureKind::HostNotAllowed | OutboundFailureKind::AddressNotAllowed => {
            ClientDocumentFailure::PrivateAddress
        }
        OutboundFailureKind::StatusNotOk => ClientDocumentFailure::StatusNotOk,
        OutboundFailureKind::Busy | OutboundFailureKind::NoResponse | OutboundFailureKind::Unusable => {
            ClientDocumentFailure::Unreachable
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    fn id(url: &str) -> ClientId {
        url.parse().unwrap()
    }

    #[test]
    fn client_document_fetches_are_limited_by_address_and_by_host() {
        let cache = ClientDocumentCache::default();
        let address = |last| Some(IpAddr::from([203, 0, 113, last]));
        let is_limited =
            |url: &str, address| matches!(cache.lookup(&id(url), address, NOW), DocumentLookup::Limited(_));
        // The receivers are dropped, so every lookup would fetch again.
        for number in 0..CLIENT_DOCUMENT_FETCHES_PER_ADDRESS_MAX {
            assert!(!is_limited(&format!("https://h{number}.example/c"), address(1)));
        }
        assert!(is_limited("https://other.example/c", address(1)));
        assert!(!is_limited("https://other.example/c", address(2)), "another network may fetch");
        for number in 1..CLIENT_DOCUMENT_FETCHES_PER_HOST_MAX {
            let last = u8::try_from(number).unwrap() + 2;
            assert!(!is_limited(&format!("https://other.example/{number}"), address(last)));
        }
        assert!(is_limited("https://other.example/last", address(200)));
    }

    #[test]
    fn client_document_cache_is_bounded_and_prefers_documents_that_can_be_used() {
        let cache = ClientDocumentCache::default();
        let later = NOW.plus(Lifetime::from_minutes(10));
        let good = id("https://good.example/c");
        cache.insert(&good, Ok(Arc::default()), later);
        for number in 0..CLIENT_DOCUMENTS_CACHED_MAX {
            cache.insert(
                &id(&format!("https://h{number}.example/c")),
                Err(ClientDocumentFailure::TimedOut),
                later,
            );
        }
        assert!(matches!(cache.lookup(&id("https://new.example/c"), None, NOW), DocumentLookup::Fetch(_)));
        assert!(matches!(cache.lookup(&good, None, NOW), DocumentLookup::Cached(Ok(_))));
        assert!(cache.documents.lock().unwrap().len() <= 2);
        assert!(matches!(cache.lookup(&good, None, later), DocumentLookup::Fetch(_)), "it is stale");
    }
}
