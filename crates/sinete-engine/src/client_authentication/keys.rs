//! The keys a client signs with: registered in place, or published at an address that it registered.
//!
//! Published keys are kept for a while. One that is not known makes us look again, at most once a minute, so that
//! a client can change its keys and nobody can make us ask its server over and over. Whoever needs keys that are
//! being read waits for them, and the reading ends however soon whoever began it hangs up: otherwise anybody could
//! keep a client's new keys from being found.

use super::known::CachedClient;
use crate::certificates::ClientCertificate;
use crate::outbound::owner_of;
use crate::ports::OutboundError;
use crate::{Engine, Failure};
use sinete_core::limits::{CLIENT_KEYS_AGE_MAX, CLIENT_KEYS_FRESH, CLIENT_KEYS_PAUSE, CLIENTS_KEPT_MAX};
use sinete_core::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use sinete_core::time::Timestamp;
use sinete_crypto::client_assertion::{VerificationKeySet, claimed_algorithm};
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
    asked_at: Option<Timestamp>,
    under_way: Option<watch::Receiver<KeysRead>>,
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
    fn is_among(self, keys: &VerificationKeySet) -> bool {
        match self {
            Self::Signed(text) => keys.know(text),
            Self::Certificate(certificate) => keys.register(certificate),
        }
    }
}

/// What is to be done about the keys at an address.
enum JwksLookup {
    /// Nothing: this is what there is.
    Kept(CachedJwks),
    /// Somebody is reading them.
    Wait(watch::Receiver<KeysRead>),
    /// They are to be read; dropping this says that they were.
    Read(watch::Sender<KeysRead>),
}

impl CachedJwks {
    /// Whether what is kept of them is what is needed, without asking again.
    fn suffice(&self, needed: JwksPurpose<'_>, now: Timestamp) -> bool {
        let is_fresh = self.read_at.is_some_and(|at| now.since(at) < CLIENT_KEYS_FRESH);
        is_fresh && self.keys.as_ref().is_some_and(|keys| needed.is_among(keys))
    }

    fn asked_lately(&self, now: Timestamp) -> bool {
        self.asked_at.is_some_and(|at| now.since(at) < CLIENT_KEYS_PAUSE)
    }

    /// The keys, unless they are so old that nobody knows any more whose they are.
    fn usable(self, now: Timestamp) -> Option<Arc<VerificationKeySet>> {
        self.keys.filter(|_| self.read_at.is_some_and(|at| now.since(at) < CLIENT_KEYS_AGE_MAX))
    }
}

impl JwksUriCache {
    /// What is kept of an address, or whether it is to be read now, which is then noted so that nobody else does.
    fn look(&self, source: &ClientKeySource, needed: JwksPurpose<'_>, now: Timestamp) -> JwksLookup {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= CLIENTS_KEPT_MAX && !kept.contains_key(source) {
            kept.clear();
        }
        let published = kept.entry(source.clone()).or_default();
        if published.suffice(needed, now) {
            return JwksLookup::Kept(published.clone());
        }
        match published.under_way.clone().filter(|reading| reading.has_changed().is_ok()) {
            Some(reading) => JwksLookup::Wait(reading),
            None if published.asked_lately(now) => JwksLookup::Kept(published.clone()),
            None => {
                let (done, reading) = watch::channel(KeysRead::Asked);
                published.asked_at = Some(now);
                published.under_way = Some(reading);
                JwksLookup::Read(done)
            }
        }
    }

    fn kept(&self, source: &ClientKeySource) -> CachedJwks {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.get(source).cloned().unwrap_or_default()
    }

    fn keep(&self, source: ClientKeySource, keys: VerificationKeySet, now: Timestamp) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let published = kept.entry(source).or_default();
        published.keys = Some(Arc::new(keys));
        published.read_at = Some(now);
    }

    /// Nobody was asked, for want of a place: whoever comes next asks.
    fn was_not_asked(&self, source: &ClientKeySource) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(published) = kept.get_mut(source) {
            published.asked_at = None;
        }
    }
}

/// The keys by which a text that the client signed is verified. Nobody else's can be among them, and there is none for
/// a text that is signed as the client's profile does not allow.
pub async fn of(
    engine: &Engine,
    known: &CachedClient,
    signed: &str,
) -> Result<Option<Arc<VerificationKeySet>>, KeysBusy> {
    let profile = known.metadata.security_profile;
    if !claimed_algorithm(signed).is_some_and(|algorithm| profile.allows(algorithm)) {
        return Ok(None);
    }
    registered_or_published(engine, known, JwksPurpose::Signed(signed)).await
}

/// The keys among which the one of a certificate must be.
pub(super) async fn of_certificate(
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
        Some(target) => read_where(engine, &target, needed).await,
        None => Ok(None),
    }
}

/// Where the client publishes its keys, if it does.
fn jwks_uri(known: &CachedClient) -> Option<OutboundTarget<'_>> {
    let url = known.metadata.jwks_uri.as_deref()?;
    Some(OutboundTarget { purpose: OutboundPurpose::ClientKeys, owner: owner_of(&known.client), url })
}

/// The keys published at an address by which a signed text is verified, if there are any.
pub(crate) async fn published(
    engine: &Engine,
    target: &OutboundTarget<'_>,
    signed: &str,
) -> Result<Option<Arc<VerificationKeySet>>, KeysBusy> {
    read_where(engine, target, JwksPurpose::Signed(signed)).await
}

async fn read_where(
    engine: &Engine,
    target: &OutboundTarget<'_>,
    needed: JwksPurpose<'_>,
) -> Result<Option<Arc<VerificationKeySet>>, KeysBusy> {
    let (published, now) = (&engine.shared.published_keys, engine.now());
    let source = (target.owner.clone(), target.url.to_owned());
    let mut reading = match published.look(&source, needed, now) {
        JwksLookup::Kept(kept) => return Ok(kept.usable(now)),
        JwksLookup::Wait(reading) => reading,
        JwksLookup::Read(done) => {
            let reading = done.subscribe();
            tokio::spawn(read(engine.clone(), target.purpose, source.clone(), done));
            reading
        }
    };
    // It ends when whoever reads is done.
    while reading.changed().await.is_ok() {}
    let was_busy = *reading.borrow() == KeysRead::Busy;
    // A server that is away for a moment does not lock its clients out.
    let usable = published.kept(&source).usable(now);
    if was_busy && !usable.as_ref().is_some_and(|keys| needed.is_among(keys)) {
        return Err(KeysBusy);
    }
    Ok(usable)
}

/// Reads what is published at an address, and keeps it if it is a set of keys.
async fn read(
    engine: Engine,
    purpose: OutboundPurpose,
    source: ClientKeySource,
    done: watch::Sender<KeysRead>,
) {
    let target = OutboundTarget { purpose, owner: source.0.clone(), url: &source.1 };
    let read = engine.web().get(&target).await;
    if read.as_ref().is_err_and(OutboundError::is_busy) {
        engine.shared.published_keys.was_not_asked(&source);
        done.send_replace(KeysRead::Busy);
    }
    let set = read.ok().and_then(|body| serde_json::from_slice::<serde_json::Value>(&body).ok());
    if let Some(set) = set.filter(|set| set.get("keys").is_some_and(serde_json::Value::is_array)) {
        engine.shared.published_keys.keep(source, VerificationKeySet::of(&set, None), engine.now());
    }
    drop(done);
}
