//! What a node keeps for those who say the same again. What it keeps counts only where the database says that nothing it
//! stands on has changed.

pub(in crate::oauth) mod authorization_code;
pub(crate) mod client;
pub(in crate::oauth) mod client_authentication;
pub(in crate::oauth) mod client_credentials;
pub mod client_jwks;
pub(in crate::oauth) mod refresh_token;
pub(in crate::oauth) mod verified_jwt;

use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;
use sinete_store::oauth::client_authentication::DependencySnapshot;
use std::collections::HashMap;
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

/// Stands for everything that somebody said, secrets included: of the texts themselves none is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CacheKey(pub(crate) [u8; 32]);

impl CacheKey {
    /// Of these parts, in their order.
    pub(crate) fn from_parts(said: &[&[u8]]) -> Self {
        Self(*Digest::<Self>::from_parts(said).as_bytes())
    }
}

/// At most so many of something, each by what was said.
pub(crate) struct BoundedCache<V, const MOST: usize>(RwLock<HashMap<CacheKey, Arc<V>>>);

impl<V, const MOST: usize> BoundedCache<V, MOST> {
    pub(crate) fn get(&self, said: CacheKey) -> Option<Arc<V>> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).get(&said).cloned()
    }

    pub(crate) fn remove(&self, said: CacheKey) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&said);
    }

    /// What was kept, which is not kept any more.
    pub(crate) fn take(&self, said: CacheKey) -> Option<V> {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&said).and_then(Arc::into_inner)
    }

    /// Forgets everything but what counts.
    pub(crate) fn retain(&self, counts: impl Fn(&V) -> bool) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).retain(|_, it| counts(it));
    }

    pub(crate) fn insert(&self, said: CacheKey, value: V) {
        self.insert_evicting(said, value, |_| false);
    }

    /// The same, and where there are too many those go first that do not count any more.
    pub(crate) fn insert_evicting(&self, said: CacheKey, value: V, counts: impl Fn(&V) -> bool) {
        let mut kept = self.0.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST && !kept.contains_key(&said) {
            kept.retain(|_, it| counts(it));
            // Nobody who is unknown is kept, so this happens where that many are busy. Looking for what does not count is
            // worth it only where much does not.
            if kept.len() > MOST * 9 / 10 {
                kept.clear();
            }
        }
        kept.insert(said, Arc::new(value));
    }
}

/// The newest state of the facts that this node has heard of. What was kept at an older one need not be tried: it can only
/// fail, and takes others along that are written with it.
#[derive(Default)]
pub(crate) struct NewestDependencyVersion(AtomicI64);

impl NewestDependencyVersion {
    /// Somebody read this state.
    pub(crate) fn record_version(&self, facts: i64) {
        if self.0.load(Relaxed) < facts {
            self.0.fetch_max(facts, Relaxed);
        }
    }

    /// Somebody found that this state is over.
    pub(crate) fn mark_outdated(&self, facts: DependencySnapshot) {
        self.record_version(facts.version.saturating_add(1));
    }

    /// Whether that is the state, for all that is known here.
    pub(crate) fn is_possibly_current(&self, facts: DependencySnapshot, now: Timestamp) -> bool {
        facts.version >= self.0.load(Relaxed) && facts.until.is_none_or(|until| until > now)
    }
}

impl<V, const MOST: usize> Default for BoundedCache<V, MOST> {
    fn default() -> Self {
        Self(RwLock::default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cache_is_bounded() {
        let kept = BoundedCache::<usize, 10>::default();
        let of = |number: usize| CacheKey([number as u8; 32]);
        for number in 0..25 {
            kept.insert(of(number), number);
            assert_eq!(kept.get(of(number)).as_deref(), Some(&number));
        }
        assert!(kept.0.read().unwrap().len() <= 10);
        kept.remove(of(24));
        assert_eq!(kept.get(of(24)), None);
        assert_eq!((kept.take(of(23)), kept.take(of(23))), (Some(23), None), "taken once");
        let full = BoundedCache::<usize, 2>::default();
        for number in [1, 2, 2] {
            full.insert(of(number), number);
        }
        assert_eq!(full.get(of(1)).as_deref(), Some(&1), "what is kept again takes nobody's place");
        let few = BoundedCache::<usize, 4>::default();
        for number in 1..=5 {
            few.insert_evicting(of(number), number, |kept| *kept == 2);
        }
        let left: Vec<_> = (1..=5).filter(|number| few.get(of(*number)).is_some()).collect();
        assert_eq!(left, [2, 5], "what counts stays");
        few.retain(|kept| *kept == 5);
        assert_eq!((few.get(of(2)), few.get(of(5)).as_deref()), (None, Some(&5)));
    }

    #[test]
    fn cache_version_is_valid_until_a_newer_one_or_its_expiry() {
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
