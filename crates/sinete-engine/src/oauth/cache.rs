//! Caches of the token endpoint. An entry is used only if the database confirms that nothing it depends on
//! has changed. Each cache states what it holds, what confirms an entry and when an entry is dropped.
//!
//! A cache supplies facts and makes no decision: the checks are those that also run on facts from the database
//! ([`check_client`](super::token::check_client) and the functions of `grants`). If a check fails on cached facts,
//! everything is read from the database, which then refuses or not.

pub(in crate::oauth) mod authorization_code;
pub(crate) mod client;
pub(in crate::oauth) mod client_authentication;
pub(in crate::oauth) mod client_credentials;
pub(crate) mod client_document;
pub(in crate::oauth) mod refresh_token;
pub(in crate::oauth) mod verified_jwt;

use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;
use sinete_store::DependencySnapshot;
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

/// The digest of a request including its secrets; the texts themselves are not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CacheKey(pub(crate) [u8; 32]);

impl CacheKey {
    /// Computes the digest of these parts, in order.
    pub(crate) fn from_parts(parts: &[&[u8]]) -> Self {
        Self(*Digest::<Self>::from_parts(parts).as_bytes())
    }
}

/// A cache with at most `ENTRIES_MAX` entries.
pub(crate) struct BoundedCache<V, const ENTRIES_MAX: usize>(RwLock<HashMap<CacheKey, Arc<V>>>);

impl<V, const ENTRIES_MAX: usize> BoundedCache<V, ENTRIES_MAX> {
    pub(crate) fn get(&self, key: CacheKey) -> Option<Arc<V>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&key).cloned()
    }

    pub(crate) fn remove(&self, key: CacheKey) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&key);
    }

    /// Removes and returns an entry.
    pub(crate) fn take(&self, key: CacheKey) -> Option<V> {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&key).and_then(Arc::into_inner)
    }

    /// Removes all entries for which the predicate is false.
    pub(crate) fn retain(&self, counts: impl Fn(&V) -> bool) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).retain(|_, it| counts(it));
    }

    pub(crate) fn insert(&self, key: CacheKey, value: V) {
        self.insert_evicting(key, value, |_| false);
    }

    /// Inserts an entry. If the cache is full, entries for which the predicate is false are removed first.
    pub(crate) fn insert_evicting(&self, key: CacheKey, value: V, counts: impl Fn(&V) -> bool) {
        let mut entries = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if entries.len() >= ENTRIES_MAX && !entries.contains_key(&key) {
            entries.retain(|_, it| counts(it));
            // Only authenticated requests are cached, so the cache is full only if that many clients are
            // active. If few entries could be removed, the cache is cleared, because scanning it again soon
            // would be expensive.
            if entries.len() > ENTRIES_MAX * 9 / 10 {
                entries.clear();
            }
        }
        entries.insert(key, Arc::new(value));
    }
}

/// The newest dependency version known to this node. Entries of older versions are not tried: they would fail
/// and make the writes committed together with them fail too.
#[derive(Default)]
pub(crate) struct NewestDependencyVersion(AtomicI64);

impl NewestDependencyVersion {
    /// Records a version that was read.
    pub(crate) fn record_version(&self, facts: i64) {
        if self.0.load(Relaxed) < facts {
            self.0.fetch_max(facts, Relaxed);
        }
    }

    /// Records that a version is outdated.
    pub(crate) fn mark_outdated(&self, facts: DependencySnapshot) {
        self.record_version(facts.version.saturating_add(1));
    }

    /// Whether the snapshot may be current, as far as this node knows.
    pub(crate) fn is_possibly_current(&self, facts: DependencySnapshot, now: Timestamp) -> bool {
        facts.version >= self.0.load(Relaxed) && facts.until.is_none_or(|until| until > now)
    }
}

impl<V, const ENTRIES_MAX: usize> Default for BoundedCache<V, ENTRIES_MAX> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oauth_cache_is_bounded() {
        let bounded_cache = BoundedCache::<usize, 10>::default();
        let of = |number: usize| CacheKey([number as u8; 32]);
        for number in 0..25 {
            bounded_cache.insert(of(number), number);
            assert_eq!(bounded_cache.get(of(number)).as_deref(), Some(&number));
        }
        assert!(bounded_cache.0.read().unwrap().len() <= 10);
        bounded_cache.remove(of(24));
        assert_eq!(bounded_cache.get(of(24)), None);
        assert_eq!((bounded_cache.take(of(23)), bounded_cache.take(of(23))), (Some(23), None), "taken once");
        let full = BoundedCache::<usize, 2>::default();
        for number in [1, 2, 2] {
            full.insert(of(number), number);
        }
        assert_eq!(full.get(of(1)).as_deref(), Some(&1), "replacing an entry removes no other");
        let few = BoundedCache::<usize, 4>::default();
        for number in 1..=5 {
            few.insert_evicting(of(number), number, |bounded_cache| *bounded_cache == 2);
        }
        let remaining_numbers: Vec<_> = (1..=5).filter(|number| few.get(of(*number)).is_some()).collect();
        assert_eq!(remaining_numbers, [2, 5], "what counts stays");
        few.retain(|value| *value == 5);
        assert_eq!((few.get(of(2)), few.get(of(5)).as_deref()), (None, Some(&5)));
    }

    #[test]
    fn oauth_cache_version_is_valid_until_a_newer_one_or_its_expiry() {
        let (newest, now) = (NewestDependencyVersion::default(), Timestamp::from_seconds(100));
        let at = |version, until: Option<i64>| DependencySnapshot {
            version,
            until: until.map(Timestamp::from_seconds),
        };
        assert!(
            newest.is_possibly_current(at(5, None), now) && newest.is_possibly_current(at(5, Some(101)), now)
        );
        assert!(!newest.is_possibly_current(at(5, Some(100)), now));
        newest.record_version(7);
        newest.record_version(6);
        assert!(
            newest.is_possibly_current(at(7, None), now) && !newest.is_possibly_current(at(6, None), now)
        );
        newest.mark_outdated(at(7, None));
        assert!(
            !newest.is_possibly_current(at(7, None), now) && newest.is_possibly_current(at(8, None), now)
        );
    }
}
