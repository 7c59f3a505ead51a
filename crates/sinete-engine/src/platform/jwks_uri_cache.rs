//! Cache of key sets that clients and identity providers publish at a `jwks_uri`.
//!
//! It holds the keys by owner and URL. Nothing confirms an entry but its age: after [`CLIENT_JWKS_FRESH`] the
//! keys are read again, and after [`CLIENT_JWKS_AGE_MAX`] they are no longer used. An unknown key causes
//! another request, at most once in [`CLIENT_JWKS_RETRY_AFTER`], so that owners can rotate keys but cannot
//! make us flood a server. A full cache is cleared. Readers wait for a request in progress, which completes
//! even if its initiator disconnects: otherwise an attacker could prevent new keys from being found.

use crate::ports::OutboundError;
use crate::{Engine, Failure};
use sinete_core::limits::{
    CLIENT_JWKS_AGE_MAX, CLIENT_JWKS_FRESH, CLIENT_JWKS_RETRY_AFTER, CLIENTS_CACHED_MAX,
};
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::Timestamp;
use sinete_crypto::oauth::client_assertion::VerificationKeySet;
use sinete_crypto::oauth::mtls::ClientCertificate;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Published keys.
///
/// - Holds: key sets by URL and owner, so that an owner cannot use up the request budget of another for the same
///   URL.
/// - Confirmed by: their age, and the presence of the key that is needed.
/// - Dropped: when they were read again, and when the cache is full.
#[derive(Default)]
pub(crate) struct JwksUriCache(Mutex<HashMap<KeySetSource, CachedJwks>>);

/// The owner and URL of published keys.
type KeySetSource = (OutboundOwner, String);

#[derive(Clone, Default)]
struct CachedJwks {
    keys: Option<Arc<VerificationKeySet>>,
    read_at: Option<Timestamp>,
    requested_at: Option<Timestamp>,
    pending_read: Option<watch::Receiver<KeysRead>>,
}

/// The result of a request for keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeysRead {
    /// The URL was requested.
    Requested,
    /// No slot was free, so nothing is known about the URL.
    Busy,
}

/// The URL was not requested for lack of a slot. This is not a failure of the client: it can retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JwksFetchBusy;

impl From<JwksFetchBusy> for Failure {
    fn from(_: JwksFetchBusy) -> Self {
        Self::OutboundBusy
    }
}

/// Which key is needed.
#[derive(Clone, Copy)]
pub(crate) enum JwksPurpose<'a> {
    /// A key that may have signed this JWS.
    Signed(&'a str),
    /// The key of this certificate.
    Certificate(&'a ClientCertificate),
}

impl JwksPurpose<'_> {
    fn matches_any(self, keys: &VerificationKeySet) -> bool {
        match self {
            Self::Signed(text) => keys.can_verify(text),
            Self::Certificate(certificate) => keys.contains_certificate(certificate),
        }
    }
}

/// How to get the keys.
enum JwksLookup {
    /// From the cache.
    Cached(CachedJwks),
    /// Wait for a request in progress.
    Wait(watch::Receiver<KeysRead>),
    /// Send a request; dropping the sender signals its end.
    Fetch(watch::Sender<KeysRead>),
}

impl CachedJwks {
    /// Whether the cached keys are sufficient without another request.
    fn is_sufficient(&self, needed: JwksPurpose<'_>, now: Timestamp) -> bool {
        let is_fresh = self.read_at.is_some_and(|at| now.since(at) < CLIENT_JWKS_FRESH);
        is_fresh && self.keys.as_ref().is_some_and(|keys| needed.matches_any(keys))
    }

    fn was_requested_recently(&self, now: Timestamp) -> bool {
        self.requested_at.is_some_and(|at| now.since(at) < CLIENT_JWKS_RETRY_AFTER)
    }

    /// The keys, unless they are too old to be trusted.
    fn into_usable_keys(self, now: Timestamp) -> Option<Arc<VerificationKeySet>> {
        self.keys.filter(|_| self.read_at.is_some_and(|at| now.since(at) < CLIENT_JWKS_AGE_MAX))
    }
}

impl JwksUriCache {
    /// Returns the cached keys, or registers a new request so that no other is sent.
    fn lookup(&self, source: &KeySetSource, needed: JwksPurpose<'_>, now: Timestamp) -> JwksLookup {
        let mut cached_jwks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cached_jwks.len() >= CLIENTS_CACHED_MAX && !cached_jwks.contains_key(source) {
            cached_jwks.clear();
        }
        let published = cached_jwks.entry(source.clone()).or_default();
        if published.is_sufficient(needed, now) {
            return JwksLookup::Cached(published.clone());
        }
        match published.pending_read.clone().filter(|reading| reading.has_changed().is_ok()) {
            Some(reading) => JwksLookup::Wait(reading),
            None if published.was_requested_recently(now) => JwksLookup::Cached(published.clone()),
            None => {
                let (sender, reading) = watch::channel(KeysRead::Requested);
                published.requested_at = Some(now);
                published.pending_read = Some(reading);
                JwksLookup::Fetch(sender)
            }
        }
    }

    fn get(&self, source: &KeySetSource) -> CachedJwks {
        let cached_jwks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        cached_jwks.get(source).cloned().unwrap_or_default()
    }

    fn insert(&self, source: KeySetSource, keys: VerificationKeySet, now: Timestamp) {
        let mut cached_jwks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let published = cached_jwks.entry(source).or_default();
        published.keys = Some(Arc::new(keys));
        published.read_at = Some(now);
    }

    /// Forgets the time of a request that was not sent, so that the next reader sends one.
    fn clear_requested_at(&self, source: &KeySetSource) {
        let mut cached_jwks = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(published) = cached_jwks.get_mut(source) {
            published.requested_at = None;
        }
    }
}

/// The published keys that can verify a JWS, if there are any.
pub(crate) async fn find_published_keys(
    engine: &Engine,
    target: &OutboundTarget<'_>,
    signed: &str,
) -> Result<Option<Arc<VerificationKeySet>>, JwksFetchBusy> {
    load_published_keys(engine, target, JwksPurpose::Signed(signed)).await
}

/// The published keys for this purpose, from the cache if they are sufficient.
pub(crate) async fn load_published_keys(
    engine: &Engine,
    target: &OutboundTarget<'_>,
    needed: JwksPurpose<'_>,
) -> Result<Option<Arc<VerificationKeySet>>, JwksFetchBusy> {
    let (published, now) = (&engine.shared.jwks_uri_cache, engine.now());
    let source = (target.owner.clone(), target.url.to_owned());
    let mut reading = match published.lookup(&source, needed, now) {
        JwksLookup::Cached(cached_jwks) => return Ok(cached_jwks.into_usable_keys(now)),
        JwksLookup::Wait(reading) => reading,
        JwksLookup::Fetch(sender) => {
            let reading = sender.subscribe();
            tokio::spawn(fetch_jwks(engine.clone(), target.purpose, source.clone(), sender));
            reading
        }
    };
    // Ends when the request is done.
    while reading.changed().await.is_ok() {}
    let was_busy = *reading.borrow() == KeysRead::Busy;
    // A temporarily unavailable server does not lock out its clients.
    let usable = published.get(&source).into_usable_keys(now);
    if was_busy && !usable.as_ref().is_some_and(|keys| needed.matches_any(keys)) {
        return Err(JwksFetchBusy);
    }
    Ok(usable)
}

/// Fetches the keys and caches them if they are a valid JWKS.
async fn fetch_jwks(
    engine: Engine,
    purpose: OutboundPurpose,
    source: KeySetSource,
    sender: watch::Sender<KeysRead>,
) {
    let target = OutboundTarget { purpose, owner: source.0.clone(), url: &source.1 };
    let read = engine.outbound_http().get(&target).await;
    if read.as_ref().is_err_and(OutboundError::is_busy) {
        engine.shared.jwks_uri_cache.clear_requested_at(&source);
        sender.send_replace(KeysRead::Busy);
    }
    let set = read.ok().and_then(|body| serde_json::from_slice::<serde_json::Value>(&body).ok());
    if let Some(set) = set.filter(|set| set.get("keys").is_some_and(serde_json::Value::is_array)) {
        engine.shared.jwks_uri_cache.insert(source, VerificationKeySet::from_jwks(&set, None), engine.now());
    }
    drop(sender);
}
