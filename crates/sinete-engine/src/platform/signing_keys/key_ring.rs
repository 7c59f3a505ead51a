//! The in-memory key ring of a node: parsed keys with their lifecycles, and the serialized JWKS.

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

/// An immutable key ring. A reload replaces it.
#[derive(Debug)]
pub struct KeyRing {
    keys: Vec<SigningKeyEntry>,
    unusable: Vec<UnusableKey>,
    document: JwksDocument,
}

/// A token signing key in memory.
#[derive(Clone, Debug)]
pub struct SigningKeyEntry {
    /// The key.
    pub key: Arc<SigningKey>,
    /// When it is published, signs and is withdrawn.
    pub lifecycle: SigningKeyLifecycle,
    /// The source.
    pub source: KeySource,
}

/// A key in the database that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnusableKey {
    /// The `kid`.
    pub kid: String,
    /// The reason.
    pub reason: String,
}

/// The serialized JWKS.
#[derive(Clone, Debug)]
pub struct JwksDocument {
    /// The JSON text.
    pub json: Arc<str>,
    /// The entity tag.
    pub tag: Arc<str>,
}

impl KeyRing {
    /// Creates a key ring from these keys.
    pub(crate) fn from_keys(keys: Vec<SigningKeyEntry>, now: Timestamp) -> Self {
        Self::new(keys, Vec::new(), now)
    }

    /// Creates a key ring from the configured keys of the previous one and the rows of the database.
    pub(crate) fn from_rows(
        rows: &[SigningKeyRow],
        before: &Self,
        instance_keys: &InstanceKeyRing,
        now: Timestamp,
    ) -> Self {
        let mut keys: Vec<_> = before.configured_keys().cloned().collect();
        let mut unusable = Vec::new();
        for row in rows.iter().filter(|row| row.purpose == SigningKeyPurpose::Tokens) {
            if keys.iter().any(|key_entry| key_entry.key.kid() == row.kid) {
                continue;
            }
            match before.find_opened_key(row).map_or_else(|| decrypt_key(row, instance_keys), Ok) {
                Ok(key) => {
                    keys.push(SigningKeyEntry { key, lifecycle: row.lifecycle, source: KeySource::Database })
                }
                Err(reason) => unusable.push(UnusableKey { kid: row.kid.clone(), reason }),
            }
        }
        Self::new(keys, unusable, now)
    }

    /// Replaces the configured keys and keeps those of the database.
    pub(crate) fn with_configured(&self, configured: Vec<SigningKeyEntry>, now: Timestamp) -> Self {
        let mut keys = configured;
        for key_entry in self.keys.iter().filter(|key_entry| key_entry.source == KeySource::Database) {
            if keys.iter().all(|other| other.key.kid() != key_entry.key.kid()) {
                keys.push(key_entry.clone());
            }
        }
        Self::new(keys, self.unusable.clone(), now)
    }

    fn new(keys: Vec<SigningKeyEntry>, unusable: Vec<UnusableKey>, now: Timestamp) -> Self {
        let json: Arc<str> = jwks::build_jwks_document(filter_published(&keys, now)).into();
        let tag = jwks::compute_etag(&json).into();
        Self { keys, unusable, document: JwksDocument { json, tag } }
    }

    /// The key that currently signs with this algorithm.
    pub fn signing_key(&self, algorithm: SigningAlgorithm, now: Timestamp) -> Option<&Arc<SigningKey>> {
        let source =
            if self.has_configured_key(algorithm) { KeySource::Configured } else { KeySource::Database };
        let keys = self.keys.iter().filter(|key_entry| key_entry.source == source);
        let lifecycle = |key_entry: &&SigningKeyEntry| (key_entry.key.algorithm(), key_entry.lifecycle);
        choose_signing_key(keys, lifecycle, algorithm, now).map(|key_entry| &key_entry.key)
    }

    /// Whether a key of this algorithm is announced while none signs yet.
    pub fn has_announced_key(&self, algorithm: SigningAlgorithm, now: Timestamp) -> bool {
        let is_announced =
            |key_entry: &SigningKeyEntry| key_entry.lifecycle.phase(now) == SigningKeyPhase::Announced;
        self.signing_key(algorithm, now).is_none()
            && self
                .keys
                .iter()
                .any(|key_entry| key_entry.key.algorithm() == algorithm && is_announced(key_entry))
    }

    /// The algorithms that can currently sign, in the usual order.
    pub fn algorithms(&self, now: Timestamp) -> Vec<SigningAlgorithm> {
        SigningAlgorithm::ALL
            .into_iter()
            .filter(|algorithm| self.signing_key(*algorithm, now).is_some())
            .collect()
    }

    /// The public keys that currently verify our tokens.
    pub fn published_keys(&self, now: Timestamp) -> impl Iterator<Item = &PublicKey> {
        filter_published(&self.keys, now)
    }

    /// The JWKS, as of the creation of the key ring.
    pub const fn jwks_document(&self) -> &JwksDocument {
        &self.document
    }

    /// All keys in memory.
    pub fn entries(&self) -> &[SigningKeyEntry] {
        &self.keys
    }

    /// The keys in the database that cannot be used.
    pub fn unusable_keys(&self) -> &[UnusableKey] {
        &self.unusable
    }

    pub(crate) fn configured_keys(&self) -> impl Iterator<Item = &SigningKeyEntry> {
        self.keys.iter().filter(|key_entry| key_entry.source == KeySource::Configured)
    }

    pub(crate) fn has_configured_key(&self, algorithm: SigningAlgorithm) -> bool {
        self.configured_keys().any(|key_entry| key_entry.key.algorithm() == algorithm)
    }

    /// The key of this row, if it was already decrypted.
    fn find_opened_key(&self, row: &SigningKeyRow) -> Option<Arc<SigningKey>> {
        let same = |key_entry: &&SigningKeyEntry| {
            key_entry.source == KeySource::Database && key_entry.key.kid() == row.kid
        };
        self.keys.iter().find(same).map(|key_entry| key_entry.key.clone())
    }
}

fn filter_published(keys: &[SigningKeyEntry], now: Timestamp) -> impl Iterator<Item = &PublicKey> {
    keys.iter()
        .filter(move |key_entry| key_entry.lifecycle.phase(now) != SigningKeyPhase::Withdrawn)
        .map(|key_entry| &**key_entry.key.public_key())
}

/// Decrypts the private key of a row, and checks that it matches the row.
fn decrypt_key(row: &SigningKeyRow, instance_keys: &InstanceKeyRing) -> Result<Arc<SigningKey>, String> {
    let context = EncryptionContext::new(EncryptionPurpose::SigningKey, &row.kid);
    let private =
        instance_keys.decrypt(&context, &row.sealed_private).map_err(|reason| reason.to_string())?;
    let key_marking =
        if row.is_development { SigningKeyMarking::Development } else { SigningKeyMarking::Real };
    let key =
        SigningKey::from_pkcs8(&private, row.algorithm, key_marking).map_err(|reason| reason.to_string())?;
    if key.kid() == row.kid {
        Ok(Arc::new(key))
    } else {
        Err("its private key belongs to another public key".to_owned())
    }
}

/// The current key ring. Reading it is cheap.
pub(crate) struct CurrentKeyRing {
    current: ArcSwap<KeyRing>,
    replacement_lock: Mutex<()>,
}

/// The exclusive right to replace the key ring, held from before reading the keys until the replacement, so
/// that an older read never replaces a newer one.
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
