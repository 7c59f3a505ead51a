//! The keys for tokens as a node holds them in memory: parsed, with their lives, and the public document ready to send.

use super::KeySource;
use arc_swap::ArcSwap;
use sinete_core::platform::signing_keys::{
    SigningAlgorithm, SigningKeyLifecycle, SigningKeyPhase, SigningKeyPurpose, choose_signing_key,
};
use sinete_core::time::Timestamp;
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose, InstanceKeyRing};
use sinete_crypto::platform::jwks;
use sinete_crypto::platform::signing_keys::{PublicKey, SigningKey, SigningKeyMarking};
use sinete_store::platform::signing_keys::SigningKeyRow;
use std::sync::Arc;
use tokio::sync::{Mutex, MutexGuard};

/// The keys of one moment. They never change; another ring takes their place.
#[derive(Debug)]
pub struct KeyRing {
    keys: Vec<SigningKeyEntry>,
    unusable: Vec<UnusableKey>,
    document: JwksDocument,
}

/// A key for tokens, in memory.
#[derive(Clone, Debug)]
pub struct SigningKeyEntry {
    /// The key itself.
    pub key: Arc<SigningKey>,
    /// When it is published, signs and is withdrawn.
    pub life: SigningKeyLifecycle,
    /// Where it comes from.
    pub source: KeySource,
}

/// A key in the database that does not count, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableKey {
    /// Its name.
    pub kid: String,
    /// One sentence.
    pub reason: String,
}

/// The public keys as a document, ready to be sent.
#[derive(Clone, Debug)]
pub struct JwksDocument {
    /// The JSON text.
    pub json: Arc<str>,
    /// Changes when the text does.
    pub tag: Arc<str>,
}

impl KeyRing {
    /// A ring of these keys and no others.
    pub(crate) fn from_keys(keys: Vec<SigningKeyEntry>, now: Timestamp) -> Self {
        Self::new(keys, Vec::new(), now)
    }

    /// The configured keys of the ring before, and those of the database.
    pub(crate) fn from_rows(
        rows: &[SigningKeyRow],
        before: &Self,
        instance_keys: &InstanceKeyRing,
        now: Timestamp,
    ) -> Self {
        let mut keys: Vec<_> = before.configured_keys().cloned().collect();
        let mut unusable = Vec::new();
        for row in rows.iter().filter(|row| row.purpose == SigningKeyPurpose::Tokens) {
            if keys.iter().any(|held| held.key.kid() == row.kid) {
                continue;
            }
            match before.find_opened_key(row).map_or_else(|| decrypt_key(row, instance_keys), Ok) {
                Ok(key) => keys.push(SigningKeyEntry { key, life: row.life, source: KeySource::Database }),
                Err(reason) => unusable.push(UnusableKey { kid: row.kid.clone(), reason }),
            }
        }
        Self::new(keys, unusable, now)
    }

    /// The same keys of the database, with these configured ones.
    pub(crate) fn with_configured(&self, configured: Vec<SigningKeyEntry>, now: Timestamp) -> Self {
        let mut keys = configured;
        for held in self.keys.iter().filter(|held| held.source == KeySource::Database) {
            if keys.iter().all(|other| other.key.kid() != held.key.kid()) {
                keys.push(held.clone());
            }
        }
        Self::new(keys, self.unusable.clone(), now)
    }

    fn new(keys: Vec<SigningKeyEntry>, unusable: Vec<UnusableKey>, now: Timestamp) -> Self {
        let json: Arc<str> = jwks::build_jwks_document(filter_published(&keys, now)).into();
        let tag = jwks::compute_etag(&json).into();
        Self { keys, unusable, document: JwksDocument { json, tag } }
    }

    /// The key that signs tokens with this algorithm now.
    pub fn signing_key(&self, algorithm: SigningAlgorithm, now: Timestamp) -> Option<&Arc<SigningKey>> {
        let source =
            if self.has_configured_key(algorithm) { KeySource::Configured } else { KeySource::Database };
        let keys = self.keys.iter().filter(|held| held.source == source);
        let life = |held: &&SigningKeyEntry| (held.key.algorithm(), held.life);
        choose_signing_key(keys, life, algorithm, now).map(|held| &held.key)
    }

    /// Whether a key of this algorithm is announced that will sign, and none signs yet.
    pub fn has_announced_key(&self, algorithm: SigningAlgorithm, now: Timestamp) -> bool {
        let is_announced = |held: &SigningKeyEntry| held.life.phase(now) == SigningKeyPhase::Announced;
        self.signing_key(algorithm, now).is_none()
            && self.keys.iter().any(|held| held.key.algorithm() == algorithm && is_announced(held))
    }

    /// The algorithms tokens can be signed with now, in their usual order.
    pub fn algorithms(&self, now: Timestamp) -> Vec<SigningAlgorithm> {
        SigningAlgorithm::ALL
            .into_iter()
            .filter(|algorithm| self.signing_key(*algorithm, now).is_some())
            .collect()
    }

    /// The public halves by which tokens of ours are verified now.
    pub fn published_keys(&self, now: Timestamp) -> impl Iterator<Item = &PublicKey> {
        filter_published(&self.keys, now)
    }

    /// The public document, as it was when the ring was made.
    pub const fn jwks_document(&self) -> &JwksDocument {
        &self.document
    }

    /// Every key in memory.
    pub fn entries(&self) -> &[SigningKeyEntry] {
        &self.keys
    }

    /// The keys in the database that do not count.
    pub fn unusable_keys(&self) -> &[UnusableKey] {
        &self.unusable
    }

    pub(crate) fn configured_keys(&self) -> impl Iterator<Item = &SigningKeyEntry> {
        self.keys.iter().filter(|held| held.source == KeySource::Configured)
    }

    pub(crate) fn has_configured_key(&self, algorithm: SigningAlgorithm) -> bool {
        self.configured_keys().any(|held| held.key.algorithm() == algorithm)
    }

    /// The key of this row, if it was opened before.
    fn find_opened_key(&self, row: &SigningKeyRow) -> Option<Arc<SigningKey>> {
        let same = |held: &&SigningKeyEntry| held.source == KeySource::Database && held.key.kid() == row.kid;
        self.keys.iter().find(same).map(|held| held.key.clone())
    }
}

fn filter_published(keys: &[SigningKeyEntry], now: Timestamp) -> impl Iterator<Item = &PublicKey> {
    keys.iter()
        .filter(move |held| held.life.phase(now) != SigningKeyPhase::Withdrawn)
        .map(|held| &**held.key.public_key())
}

/// Opens the private half of a stored key and makes sure that it is the one the row names.
fn decrypt_key(row: &SigningKeyRow, instance_keys: &InstanceKeyRing) -> Result<Arc<SigningKey>, String> {
    let place = EncryptionContext::new(EncryptionPurpose::SigningKey, &row.kid);
    let private = instance_keys.decrypt(&place, &row.sealed_private).map_err(|reason| reason.to_string())?;
    let known = if row.is_development { SigningKeyMarking::Development } else { SigningKeyMarking::Real };
    let key = SigningKey::from_pkcs8(&private, row.algorithm, known).map_err(|reason| reason.to_string())?;
    if key.kid() == row.kid { Ok(Arc::new(key)) } else { Err("its private half is another key's".to_owned()) }
}

/// Where the ring of the moment is. Reading it costs next to nothing.
pub(crate) struct CurrentKeyRing {
    current: ArcSwap<KeyRing>,
    replacement_lock: Mutex<()>,
}

/// The right to replace the ring. One holds it from before reading until the ring is replaced, so that an
/// older reading never takes the place of a newer one.
pub(crate) struct KeyRingReplacement<'a> {
    ring: &'a ArcSwap<KeyRing>,
    _lock: MutexGuard<'a, ()>,
}

impl CurrentKeyRing {
    pub(crate) fn new(ring: KeyRing) -> Self {
        Self { current: ArcSwap::from_pointee(ring), replacement_lock: Mutex::new(()) }
    }

    pub(crate) fn current(&self) -> Arc<KeyRing> {
        self.current.load_full()
    }

    pub(crate) async fn lock_for_replacement(&self) -> KeyRingReplacement<'_> {
        KeyRingReplacement { ring: &self.current, _lock: self.replacement_lock.lock().await }
    }
}

impl KeyRingReplacement<'_> {
    pub(crate) fn current(&self) -> Arc<KeyRing> {
        self.ring.load_full()
    }

    pub(crate) fn replace_with(self, ring: KeyRing) {
        self.ring.store(Arc::new(ring));
    }
}
