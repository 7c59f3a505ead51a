//! The caches that a store keeps for all its clones. Each module that needs one defines its own type.

use std::any::Any;
use std::sync::OnceLock;

/// At most one cache of each type, created at its first use.
#[derive(Default)]
pub(crate) struct CacheList {
    first: OnceLock<Box<CacheEntry>>,
}

struct CacheEntry {
    cache: Box<dyn Any + Send + Sync>,
    others: CacheList,
}

impl CacheList {
    /// The cache of this type.
    pub(crate) fn get<C: Any + Default + Send + Sync>(&self) -> &C {
        let entry = self
            .first
            .get_or_init(|| Box::new(CacheEntry { cache: Box::new(C::default()), others: Self::default() }));
        match entry.cache.downcast_ref() {
            Some(cache) => cache,
            None => entry.others.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

    #[test]
    fn cache_list_keeps_one_cache_of_each_type() {
        let caches = CacheList::default();
        caches.get::<AtomicU32>().store(7, Ordering::Relaxed);
        caches.get::<AtomicU64>().store(8, Ordering::Relaxed);
        assert_eq!(caches.get::<AtomicU32>().load(Ordering::Relaxed), 7);
        assert_eq!(caches.get::<AtomicU64>().load(Ordering::Relaxed), 8);
    }
}
