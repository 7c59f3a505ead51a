//! Remembering proofs, so that each counts once.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

/// How many keys it takes to fill what remembers proofs.
const SHARES: usize = 10;

/// What is answered later.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<bool, String>> + Send + 'a>>;

/// Where proofs are remembered. An API that runs on several machines shares something of its own.
pub trait Replays: Send + Sync {
    /// Whether this id of a key is used for the first time; remembers it until that second. Fails where it cannot be known.
    /// The id is that of this key alone; the key is said so that none takes all the room.
    fn first_use<'a>(&'a self, id: &'a str, until: i64, now: i64, key: &'a str) -> Answer<'a>;
}

/// Remembers proofs in this process.
pub struct MemoryReplays {
    most: usize,
    share: usize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    ids: HashSet<Arc<str>>,
    /// What ends when, in whatever order it came, with the key it is of.
    ends: BTreeSet<(i64, Arc<str>, Arc<str>)>,
    /// How many are of which key.
    held: HashMap<Arc<str>, usize>,
}

impl Default for MemoryReplays {
    fn default() -> Self {
        Self::of(100_000)
    }
}

impl MemoryReplays {
    /// Remembers this many at most, and a tenth of them for one key; beyond that requests are turned away with 503.
    pub fn of(most: usize) -> Self {
        Self { most, share: (most / SHARES).max(1), seen: Mutex::default() }
    }

    fn take(&self, id: &str, until: i64, (now, key): (i64, &str)) -> Result<bool, String> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.sweep(now);
        if seen.ids.contains(id) {
            return Ok(false);
        }
        let held = seen.held.get(key).copied().unwrap_or_default();
        if seen.ids.len() >= self.most || held >= self.share {
            return Err("too many proofs are remembered".to_owned());
        }
        let (id, key): (Arc<str>, Arc<str>) = (id.into(), key.into());
        seen.ids.insert(Arc::clone(&id));
        seen.held.insert(Arc::clone(&key), held + 1);
        seen.ends.insert((until, id, key));
        Ok(true)
    }
}

impl Seen {
    fn sweep(&mut self, now: i64) {
        while let Some((end, _, _)) = self.ends.first()
            && *end < now
            && let Some((_, id, key)) = self.ends.pop_first()
        {
            self.ids.remove(&id);
            if let Some(held) = self.held.get_mut(&key) {
                *held -= 1;
                if *held == 0 {
                    self.held.remove(&key);
                }
            }
        }
    }
}

impl Replays for MemoryReplays {
    fn first_use<'a>(&'a self, id: &'a str, until: i64, now: i64, key: &'a str) -> Answer<'a> {
        let answer = self.take(id, until, (now, key));
        Box::pin(async move { answer })
    }
}
