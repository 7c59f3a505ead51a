//! The keys a client signs with: registered in place, or published at an address that it registered.
//!
//! Published keys are kept for a while. One that is not known makes us look again, at most once a minute, so that
//! a client can change its keys and nobody can make us ask its server over and over. Whoever needs keys that are
//! being read waits for them, and the reading ends however soon whoever began it hangs up: otherwise anybody could
//! keep a client's new keys from being found.

use super::client::CachedClient;
use crate::oauth::mtls::ClientCertificate;
use crate::platform::outbound_owner::client_outbound_owner;
use crate::ports::OutboundError;
use crate::{Engine, Failure};
use sinete_core::limits::{
    CLIENT_JWKS_AGE_MAX, CLIENT_JWKS_FRESH, CLIENT_JWKS_RETRY_AFTER, CLIENTS_CACHED_MAX,
};
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::Timestamp;
use sinete_crypto::oauth::client_assertion::{VerificationKeySet, read_claimed_algorithm};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// The published keys that are kept, by the address they were read from and whoever named it: nobody can use up the look
/// that another may take at the same address.
#[derive(Default)]
pub(crate) struct JwksUriCache(Mutex<HashMap<ClientKeySource, CachedJwks>>);

/// Where keys are published, by whom.
type ClientKeySource = (OutboundOwner, String);

#[derive(Clone, Default)]
struct CachedJwks {
    keys: Option<Arc<VerificationKeySet>>,
    read_at: Option<Timestamp>,
    requested_at: Option<Timestamp>,
    pending_read: Option<watch::Receiver<KeysRead>>,
}

/// How reading keys went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeysRead {
    /// The address was asked, or still is.
    Asked,
    /// There was no place for the request, so that nothing is known about the address.
    Busy,
}

/// Whoever publishes the keys was not asked, for want of a place. That is held against nobody: it may be tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeysBusy;

impl From<KeysBusy> for Failure {
    fn from(_: KeysBusy) -> Self {
        Self::OutboundBusy
    }
}

/// What keys are looked for.
#[derive(Clone, Copy)]
enum JwksPurpose<'a> {
    /// One that may have signed this text.
    Signed(&'a str),
    /// The one of this certificate.
    Certificate(&'a ClientCertificate),
}

impl JwksPurpose<'_> {
    fn matches_any(self, keys: &VerificationKeySet) -> bool {
        match self {
            Self::Signed(text) => keys.may_verify(text),
            Self::Certificate(certificate) => keys.contains_certificate(certificate),
        }
    }
}

/// What is to be done about the keys at an address.
enum JwksLookup {
    /// Nothing: this is what there is.
    Cached(CachedJwks),
    /// Somebody is reading them.
    Wait(watch::Receiver<KeysRead>),
    /// They are to be read; dropping this says that they were.
    Read(watch::Sender<KeysRead>),
}

impl CachedJwks {
    /// Whether what is kept of them is what is needed, without asking again.
    fn is_sufficient(&self, needed: JwksPurpose<'_>, now: Timestamp) -> bool {
        let is_fresh = self.read_at.is_some_and(|at| now.since(at) < CLIENT_JWKS_FRESH);
        is_fresh && self.keys.as_ref().is_some_and(|keys| needed.matches_any(keys))
    }

    fn was_requested_recently(&self, now: Timestamp) -> bool {
        self.requested_at.is_some_and(|at| now.since(at) < CLIENT_JWKS_RETRY_AFTER)
    }

    /// The keys, unless they are so old that nobody knows any more whose they are.
    fn into_usable_keys(self, now: Timestamp) -> Option<Arc<VerificationKeySet>> {
        self.keys.filter(|_| self.read_at.is_some_and(|at| now.since(at) < CLIENT_JWKS_AGE_MAX))
    }
}

impl JwksUriCache {
    /// What is kept of an address, or whether it is to be read now, which is then noted so that nobody else does.
    fn lookup(&self, source: &ClientKeySource, needed: JwksPurpose<'_>, now: Timestamp) -> JwksLookup {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= CLIENTS_CACHED_MAX && !kept.contains_key(source) {
            kept.clear();
        }
        let published = kept.entry(source.clone()).or_default();
        if published.is_sufficient(needed, now) {
            return JwksLookup::Cached(published.clone());
        }
        match published.pending_read.clone().filter(|reading| reading.has_changed().is_ok()) {
            Some(reading) => JwksLookup::Wait(reading),
            None if published.was_requested_recently(now) => JwksLookup::Cached(published.clone()),
            None => {
                let (done, reading) = watch::channel(KeysRead::Asked);
                published.requested_at = Some(now);
                published.pending_read = Some(reading);
                JwksLookup::Read(done)
            }
        }
    }

    fn get(&self, source: &ClientKeySource) -> CachedJwks {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(source).cloned().unwrap_or_default()
    }

    fn insert(&self, source: ClientKeySource, keys: VerificationKeySet, now: Timestamp) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let published = kept.entry(source).or_default();
        published.keys = Some(Arc::new(keys));
        published.read_at = Some(now);
    }

    /// Nobody was asked, for want of a place: whoever comes next asks.
    fn clear_requested_at(&self, source: &ClientKeySource) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(published) = kept.get_mut(source) {
            published.requested_at = None;
        }
    }
}

/// The keys by which a text that the client signed is verified. Nobody else's can be among them, and there is none for
/// a text that is signed as the client's profile does not allow.
pub async fn find_signing_keys(
    engine: &Engine,
    known: &CachedClient,
    signed: &str,
) -> Result<Option<Arc<VerificationKeySet>>, KeysBusy> {
    let profile = known.metadata.security_profile;
    if !read_claimed_algorithm(signed).is_some_and(|algorithm| profile.allows_algorithm(algorithm)) {
        return Ok(None);
    }
    registered_or_published(engine, known, JwksPurpose::Signed(signed)).await
}

/// The keys among which the one of a certificate must be.
pub(in crate::oauth) async fn find_certificate_keys(
    engine: &Engine,
    known: &CachedClient,
    certificate: &ClientCertificate,
) -> Result<Option<Arc<VerificationKeySet>>, KeysBusy> {
    registered_or_published(engine, known, JwksPurpose::Certificate(certificate)).await
}

async fn registered_or_published(
    engine: &Engine,
    known: &CachedClient,
    needed: JwksPurpose<'_>,
) -> Result<Option<Arc<VerificationKeySet>>, KeysBusy> {
    if let Some(registered) = known.registered_keys() {
        return Ok(Some(registered));
    }
    match jwks_uri(known) {
        Some(target) => load_published_keys(engine, &target, needed).await,
        None => Ok(None),
    }
}

/// Where the client publishes its keys, if it does.
fn jwks_uri(known: &CachedClient) -> Option<OutboundTarget<'_>> {
    let url = known.metadata.jwks_uri.as_deref()?;
    Some(OutboundTarget {
        purpose: OutboundPurpose::ClientKeys,
        owner: client_outbound_owner(&known.client),
        url,
    })
}

/// The keys published at an address by which a signed text is verified, if there are any.
pub(crate) async fn find_published_keys(
    engine: &Engine,
    target: &OutboundTarget<'_>,
    signed: &str,
) -> Result<Option<Arc<VerificationKeySet>>, KeysBusy> {
    load_published_keys(engine, target, JwksPurpose::Signed(signed)).await
}

async fn load_published_keys(
    engine: &Engine,
    target: &OutboundTarget<'_>,
    needed: JwksPurpose<'_>,
) -> Result<Option<Arc<VerificationKeySet>>, KeysBusy> {
    let (published, now) = (&engine.shared.jwks_uri_cache, engine.now());
    let source = (target.owner.clone(), target.url.to_owned());
    let mut reading = match published.lookup(&source, needed, now) {
        JwksLookup::Cached(kept) => return Ok(kept.into_usable_keys(now)),
        JwksLookup::Wait(reading) => reading,
        JwksLookup::Read(done) => {
            let reading = done.subscribe();
            tokio::spawn(fetch_jwks(engine.clone(), target.purpose, source.clone(), done));
            reading
        }
    };
    // It ends when whoever reads is done.
    while reading.changed().await.is_ok() {}
    let was_busy = *reading.borrow() == KeysRead::Busy;
    // A server that is away for a moment does not lock its clients out.
    let usable = published.get(&source).into_usable_keys(now);
    if was_busy && !usable.as_ref().is_some_and(|keys| needed.matches_any(keys)) {
        return Err(KeysBusy);
    }
    Ok(usable)
}

/// Reads what is published at an address, and keeps it if it is a set of keys.
async fn fetch_jwks(
    engine: Engine,
    purpose: OutboundPurpose,
    source: ClientKeySource,
    done: watch::Sender<KeysRead>,
) {
    let target = OutboundTarget { purpose, owner: source.0.clone(), url: &source.1 };
    let read = engine.outbound_http().get(&target).await;
    if read.as_ref().is_err_and(OutboundError::is_busy) {
        engine.shared.jwks_uri_cache.clear_requested_at(&source);
        done.send_replace(KeysRead::Busy);
    }
    let set = read.ok().and_then(|body| serde_json::from_slice::<serde_json::Value>(&body).ok());
    if let Some(set) = set.filter(|set| set.get("keys").is_some_and(serde_json::Value::is_array)) {
        engine.shared.jwks_uri_cache.insert(source, VerificationKeySet::from_jwks(&set, None), engine.now());
    }
    drop(done);
}
