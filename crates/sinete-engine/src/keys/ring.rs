//! The keys for tokens as a node holds them in memory: parsed, with their lives, and the public document ready to send.

use super::Source;
use arc_swap::ArcSwap;
use sinete_core::signing::{Algorithm, KeyPurpose, Life, Phase, choose};
use sinete_core::time::Timestamp;
use sinete_crypto::jwks;
use sinete_crypto::key::{Marking, PublicKey, SigningKey};
use sinete_crypto::seal::{InstanceKeys, Place, Purpose};
use sinete_store::signing_keys::StoredSigningKey;
use std::sync::Arc;
use tokio::sync::{Mutex, MutexGuard};

/// The keys of one moment. They never change; another ring takes their place.
#[derive(Debug)]
pub struct KeyRing {
    keys: Vec<HeldKey>,
    unusable: Vec<UnusableKey>,
    document: KeysDocument,
}

/// A key for tokens, in memory.
#[derive(Clone, Debug)]
pub struct HeldKey {
    /// The key itself.
    pub key: Arc<SigningKey>,
    /// When it is published, signs and is withdrawn.
    pub life: Life,
    /// Where it comes from.
    pub source: Source,
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
pub struct KeysDocument {
    /// The JSON text.
    pub json: Arc<str>,
    /// Changes when the text does.
    pub tag: Arc<str>,
}

impl KeyRing {
    /// A ring of these keys and no others.
    pub(crate) fn of(keys: Vec<HeldKey>, now: Timestamp) -> Self {
        Self::new(keys, Vec::new(), now)
    }

    /// The configured keys of the ring before, and those of the database.
    pub(crate) fn read(
        rows: &[StoredSigningKey],
        before: &Self,
        instance_keys: &InstanceKeys,
        now: Timestamp,
    ) -> Self {
        let mut keys: Vec<_> = before.configured().cloned().collect();
        let mut unusable = Vec::new();
        for row in rows.iter().filter(|row| row.purpose == KeyPurpose::Tokens) {
            if keys.iter().any(|held| held.key.kid() == row.kid) {
                continue;
            }
            match before.known(row).map_or_else(|| open(row, instance_keys), Ok) {
                Ok(key) => keys.push(HeldKey { key, life: row.life, source: Source::Database }),
                Err(reason) => unusable.push(UnusableKey { kid: row.kid.clone(), reason }),
            }
        }
        Self::new(keys, unusable, now)
    }

    /// The same keys of the database, with these configured ones.
    pub(crate) fn with_configured(&self, configured: Vec<HeldKey>, now: Timestamp) -> Self {
        let mut keys = configured;
        for held in self.keys.iter().filter(|held| held.source == Source::Database) {
            if keys.iter().all(|other| other.key.kid() != held.key.kid()) {
                keys.push(held.clone());
            }
        }
        Self::new(keys, self.unusable.clone(), now)
    }

    fn new(keys: Vec<HeldKey>, unusable: Vec<UnusableKey>, now: Timestamp) -> Self {
        let json: Arc<str> = jwks::document(published(&keys, now)).into();
        let tag = jwks::tag(&json).into();
        Self { keys, unusable, document: KeysDocument { json, tag } }
    }

    /// The key that signs tokens with this algorithm now.
    pub fn signer(&self, algorithm: Algorithm, now: Timestamp) -> Option<&Arc<SigningKey>> {
        let source = if self.has_configured(algorithm) { Source::Configured } else { Source::Database };
        let keys = self.keys.iter().filter(|held| held.source == source);
        let life = |held: &&HeldKey| (held.key.algorithm(), held.life);
        choose(keys, life, algorithm, now).map(|held| &held.key)
    }

    /// Whether a key of this algorithm is announced that will sign, and none signs yet.
    pub fn signs_later(&self, algorithm: Algorithm, now: Timestamp) -> bool {
        let is_announced = |held: &HeldKey| held.life.phase(now) == Phase::Announced;
        self.signer(algorithm, now).is_none()
            && self.keys.iter().any(|held| held.key.algorithm() == algorithm && is_announced(held))
    }

    /// The algorithms tokens can be signed with now, in their usual order.
    pub fn algorithms(&self, now: Timestamp) -> Vec<Algorithm> {
        Algorithm::ALL.into_iter().filter(|algorithm| self.signer(*algorithm, now).is_some()).collect()
    }

    /// The public halves by which tokens of ours are verified now.
    pub fn published(&self, now: Timestamp) -> impl Iterator<Item = &PublicKey> {
        published(&self.keys, now)
    }

    /// The public document, as it was when the ring was made.
    pub const fn document(&self) -> &KeysDocument {
        &self.document
    }

    /// Every key in memory.
    pub fn held(&self) -> &[HeldKey] {
        &self.keys
    }

    /// The keys in the database that do not count.
    pub fn unusable(&self) -> &[UnusableKey] {
        &self.unusable
    }

    pub(crate) fn configured(&self) -> impl Iterator<Item = &HeldKey> {
        self.keys.iter().filter(|held| held.source == Source::Configured)
    }

    pub(crate) fn has_configured(&self, algorithm: Algorithm) -> bool {
        self.configured().any(|held| held.key.algorithm() == algorithm)
    }

    /// The key of this row, if it was opened before.
    fn known(&self, row: &StoredSigningKey) -> Option<Arc<SigningKey>> {
        let same = |held: &&HeldKey| held.source == Source::Database && held.key.kid() == row.kid;
        self.keys.iter().find(same).map(|held| held.key.clone())
    }
}

fn published(keys: &[HeldKey], now: Timestamp) -> impl Iterator<Item = &PublicKey> {
    keys.iter().filter(move |held| held.life.phase(now) != Phase::Withdrawn).map(|held| &**held.key.public())
}

/// Opens the private half of a stored key and makes sure that it is the one the row names.
fn open(row: &StoredSigningKey, instance_keys: &InstanceKeys) -> Result<Arc<SigningKey>, String> {
    let place = Place::new(Purpose::SigningKey, &row.kid);
    let private = instance_keys.open(&place, &row.sealed_private).map_err(|reason| reason.to_string())?;
    let known = if row.is_development { Marking::Development } else { Marking::Real };
    let key = SigningKey::from_pkcs8(&private, row.algorithm, known).map_err(|reason| reason.to_string())?;
    if key.kid() == row.kid { Ok(Arc::new(key)) } else { Err("its private half is another key's".to_owned()) }
}

/// Where the ring of the moment is. Reading it costs next to nothing.
pub(crate) struct Ring {
    current: ArcSwap<KeyRing>,
    replacing: Mutex<()>,
}

/// The right to replace the ring. One holds it from before reading until the ring is replaced, so that an
/// older reading never takes the place of a newer one.
pub(crate) struct Replacing<'a> {
    ring: &'a ArcSwap<KeyRing>,
    _one_at_a_time: MutexGuard<'a, ()>,
}

impl Ring {
    pub(crate) fn of(ring: KeyRing) -> Self {
        Self { current: ArcSwap::from_pointee(ring), replacing: Mutex::new(()) }
    }

    pub(crate) fn current(&self) -> Arc<KeyRing> {
        self.current.load_full()
    }

    pub(crate) async fn replacing(&self) -> Replacing<'_> {
        Replacing { ring: &self.current, _one_at_a_time: self.replacing.lock().await }
    }
}

impl Replacing<'_> {
    pub(crate) fn current(&self) -> Arc<KeyRing> {
        self.ring.load_full()
    }

    pub(crate) fn with(self, ring: KeyRing) {
        self.ring.store(Arc::new(ring));
    }
}
