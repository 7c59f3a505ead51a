//! Signing keys from files or the environment. They are replaced by replacing the file; nothing about them is
//! stored.

use super::KeySource;
use super::key_ring::{KeyRing, SigningKeyEntry};
use crate::Engine;
use sinete_core::limits::{KEYS_CACHE_LIFETIME, KEYS_REFRESH_INTERVAL};
use sinete_core::platform::signing_keys::SigningKeyLifecycle;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::signing_keys::SigningKey;
use std::sync::Arc;

/// A key is configured twice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signing key {0} is configured twice: a key is used once, with one algorithm")]
pub struct DuplicateConfiguredKey(
    /// The `kid`.
    pub String,
);

/// Loads the configured keys at start. The first one of each algorithm signs; the others are only published.
pub(crate) fn load_configured_keys(
    keys: Vec<SigningKey>,
) -> Result<Vec<SigningKeyEntry>, DuplicateConfiguredKey> {
    assign_lifetimes(keys, &KeyRing::from_keys(Vec::new(), Timestamp::EPOCH), Timestamp::EPOCH)
}

/// Replaces the configured keys. A new key in first place is published at once and signs after verifiers have
/// refreshed the JWKS; until then the previous one signs, if it is still configured.
pub async fn reload_configured_keys(
    engine: &Engine,
    keys: Vec<SigningKey>,
) -> Result<(), DuplicateConfiguredKey> {
    let replacing = engine.shared.key_ring.lock_for_replacement().await;
    let (before, now) = (replacing.current(), engine.now());
    let configured = assign_lifetimes(keys, &before, now)?;
    replacing.replace_with(before.with_configured(configured, now));
    Ok(())
}

/// Assigns each key its lifecycle, continuing from the previous key ring.
fn assign_lifetimes(
    keys: Vec<SigningKey>,
    before: &KeyRing,
    now: Timestamp,
) -> Result<Vec<SigningKeyEntry>, DuplicateConfiguredKey> {
    let mut arranged: Vec<SigningKeyEntry> = Vec::with_capacity(keys.len());
    for key in keys {
        if arranged.iter().any(|key_entry| key_entry.key.kid() == key.kid()) {
            return Err(DuplicateConfiguredKey(key.kid().to_owned()));
        }
        let is_first = arranged.iter().all(|key_entry| key_entry.key.algorithm() != key.algorithm());
        let earlier = before.configured_keys().find(|key_entry| key_entry.key.kid() == key.kid());
        let published_at = earlier.map_or(now, |key_entry| key_entry.lifecycle.published_at);
        let signs_from = if is_first { published_at } else { NEVER };
        let key_lifecycle =
            SigningKeyLifecycle { published_at, signs_from, signs_until: None, withdrawn_at: None };
        arranged.push(SigningKeyEntry {
            key: Arc::new(key),
            lifecycle: key_lifecycle,
            source: KeySource::Configured,
        });
    }
    schedule_handover(&mut arranged, before, now);
    Ok(arranged)
}

/// A time in the infinite future.
const NEVER: Timestamp = Timestamp::from_micros(i64::MAX);

/// If another key than the first has been signing and is still configured, it continues until verifiers have
/// refreshed the JWKS.
fn schedule_handover(arranged: &mut [SigningKeyEntry], before: &KeyRing, now: Timestamp) {
    for index in 0..arranged.len() {
        let first = &arranged[index];
        if first.lifecycle.signs_from == NEVER {
            continue;
        }
        let known_to_all = first.lifecycle.published_at.plus(KEYS_CACHE_LIFETIME).plus(KEYS_REFRESH_INTERVAL);
        let Some(signer) = before.signing_key(first.key.algorithm(), now) else { continue };
        let Some(old) = arranged.iter().position(|key_entry| key_entry.key.kid() == signer.kid()) else {
            continue;
        };
        if old != index {
            let signs_from = known_to_all.max(now);
            arranged[index].lifecycle.signs_from = signs_from;
            arranged[old].lifecycle = SigningKeyLifecycle {
                signs_from: arranged[old].lifecycle.published_at,
                ..arranged[old].lifecycle
            };
            arranged[old].lifecycle.signs_until = Some(signs_from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::platform::signing_keys::{SigningAlgorithm, SigningKeyPhase};
    use sinete_core::time::Lifetime;

    const START: Timestamp = Timestamp::from_seconds(1_800_000_000);

    /// Loads the same keys again, like a reload.
    fn copies(keys: &[&SigningKey]) -> Vec<SigningKey> {
        keys.iter()
            .map(|key| SigningKey::parse(&key.to_pem().unwrap(), Some(key.algorithm())).unwrap())
            .collect()
    }

    fn ring_after(before: &KeyRing, keys: &[&SigningKey], now: Timestamp) -> KeyRing {
        before.with_configured(assign_lifetimes(copies(keys), before, now).unwrap(), now)
    }

    fn signer(ring: &KeyRing, now: Timestamp) -> String {
        ring.signing_key(SigningAlgorithm::Es256, now).unwrap().kid().to_owned()
    }

    #[test]
    fn configured_keys_first_of_each_algorithm_signs_and_all_are_published() {
        let [one, two] = [(); 2].map(|()| SigningKey::generate(SigningAlgorithm::Es256).unwrap());
        let other = SigningKey::generate(SigningAlgorithm::EdDsa).unwrap();
        let ring = KeyRing::from_keys(load_configured_keys(copies(&[&one, &two, &other])).unwrap(), START);
        assert_eq!(signer(&ring, START), one.kid());
        assert_eq!(ring.signing_key(SigningAlgorithm::EdDsa, START).unwrap().kid(), other.kid());
        assert_eq!(ring.published_keys(START).count(), 3);
        assert_eq!(ring.entries()[1].lifecycle.phase(START), SigningKeyPhase::Announced);
    }

    #[test]
    fn configured_key_new_in_first_position_signs_after_the_jwks_cache_expired() {
        let [old, new] = [(); 2].map(|()| SigningKey::generate(SigningAlgorithm::Es256).unwrap());
        let ring = KeyRing::from_keys(load_configured_keys(copies(&[&old])).unwrap(), START);
        let ring = ring_after(&ring, &[&new, &old], START);
        let takeover = START.plus(Lifetime::from_seconds(330));
        let just_before = takeover.minus(Lifetime::from_micros(1));
        assert_eq!((signer(&ring, START), ring.published_keys(START).count()), (old.kid().to_owned(), 2));
        // Reloading the files in between changes nothing.
        let ring = ring_after(&ring, &[&new, &old], START.plus(Lifetime::from_seconds(100)));
        assert_eq!(signer(&ring, just_before), old.kid());
        assert_eq!(signer(&ring, takeover), new.kid());
        // Nor does it afterwards; then the old key can be removed.
        let ring = ring_after(&ring, &[&new, &old], takeover);
        assert_eq!(signer(&ring, takeover), new.kid());
        let ring = ring_after(&ring, &[&new], takeover);
        assert_eq!(
            (signer(&ring, takeover), ring.published_keys(takeover).count()),
            (new.kid().to_owned(), 1)
        );
    }

    #[test]
    fn configured_key_already_published_signs_as_soon_as_it_is_first() {
        let [old, new] = [(); 2].map(|()| SigningKey::generate(SigningAlgorithm::Es256).unwrap());
        let ring = KeyRing::from_keys(load_configured_keys(copies(&[&old, &new])).unwrap(), START);
        let ring = ring_after(&ring, &[&new, &old], START);
        assert_eq!(signer(&ring, START), new.kid());
    }

    #[test]
    fn configured_key_without_its_predecessor_signs_at_once() {
        let [old, new] = [(); 2].map(|()| SigningKey::generate(SigningAlgorithm::Es256).unwrap());
        let ring = KeyRing::from_keys(load_configured_keys(copies(&[&old])).unwrap(), START);
        let ring = ring_after(&ring, &[&new], START);
        assert_eq!(signer(&ring, START), new.kid());
    }

    #[test]
    fn configured_key_for_two_algorithms_is_refused() {
        let pem = SigningKey::generate(SigningAlgorithm::Rs256).unwrap().to_pem().unwrap();
        let both = [SigningAlgorithm::Rs256, SigningAlgorithm::Ps256]
            .map(|it| SigningKey::parse(&pem, Some(it)).unwrap());
        let kid = both[0].kid().to_owned();
        assert_eq!(load_configured_keys(both.into()).err(), Some(DuplicateConfiguredKey(kid)));
    }
}
