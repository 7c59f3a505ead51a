//! Cache of used DPoP proofs, so that each is accepted once.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

/// One key may use a tenth of the replay cache.
const KEYS_TO_FILL_CACHE: usize = 10;

/// The outcome of [`ReplayCache::record_first_use`].
pub type ReplayFuture<'a> = Pin<Box<dyn Future<Output = Result<bool, String>> + Send + 'a>>;

/// Records used DPoP proofs. An API that runs on several machines needs a shared implementation.
pub trait ReplayCache: Send + Sync {
    /// Returns whether this id is used for the first time, and records it until that second. Fails where it cannot tell. The
    /// id is unique for its key; the key is passed so that one key cannot fill the cache.
    fn record_first_use<'a>(&'a self, id: &'a str, until: i64, now: i64, key: &'a str) -> ReplayFuture<'a>;
}

/// Records used DPoP proofs in this process.
pub struct MemoryReplayCache {
    capacity: usize,
    capacity_per_key: usize,
    recorded: Mutex<RecordedProofs>,
}

#[derive(Default)]
struct RecordedProofs {
    ids: HashSet<Arc<str>>,
    /// When each id expires, with its key.
    expiries: BTreeSet<(i64, Arc<str>, Arc<str>)>,
    /// How many proofs of each key are recorded.
    count_by_key: HashMap<Arc<str>, usize>,
}

impl Default for MemoryReplayCache {
    fn default() -> Self {
        Self::with_capacity(100_000)
    }
}

impl MemoryReplayCache {
    /// Records at most this many proofs, of one key a tenth; beyond that requests are rejected with 503.
    pub fn with_capacity(capacity: usize) -> Self {
        Self {
            capacity,
            capacity_per_key: (capacity / KEYS_TO_FILL_CACHE).max(1),
            recorded: Mutex::default(),
        }
    }

    fn try_record(&self, id: &str, until: i64, (now, key): (i64, &str)) -> Result<bool, String> {
        let mut recorded = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        recorded.evict_expired(now);
        if recorded.ids.contains(id) {
            return Ok(false);
        }
        let count = recorded.count_by_key.get(key).copied().unwrap_or_default();
        if recorded.ids.len() >= self.capacity || count >= self.capacity_per_key {
            return Err("the replay cache is full".to_owned());
        }
        let (id, key): (Arc<str>, Arc<str>) = (id.into(), key.into());
        recorded.ids.insert(Arc::clone(&id));
        recorded.count_by_key.insert(Arc::clone(&key), count + 1);
        recorded.expiries.insert((until, id, key));
        Ok(true)
    }
}

impl RecordedProofs {
    fn evict_expired(&mut self, now: i64) {
        while let Some((end, _, _)) = self.expiries.first()
            && *end < now
            && let Some((_, id, key)) = self.expiries.pop_first()
        {
            self.ids.remove(&id);
            if let Some(count) = self.count_by_key.get_mut(&key) {
                *count -= 1;
                if *count == 0 {
                    self.count_by_key.remove(&key);
                }
            }
        }
    }
}

impl ReplayCache for MemoryReplayCache {
    fn record_first_use<'a>(&'a self, id: &'a str, until: i64, now: i64, key: &'a str) -> ReplayFuture<'a> {
        let first = self.try_record(id, until, (now, key));
        Box::pin(async move { first })
    }
}
