//! Remembering proofs, so that each counts once.

use std::collections::{HashSet, VecDeque};
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

/// What is answered later.
pub type Answer<'a> = Pin<Box<dyn Future<Output = Result<bool, String>> + Send + 'a>>;

/// Where proofs are remembered. An API that runs on several machines shares something of its own.
pub trait Replays: Send + Sync {
    /// Whether this id is used for the first time; remembers it until that second. Fails where it cannot be known.
    fn first_use<'a>(&'a self, id: &'a str, until: i64, now: i64) -> Answer<'a>;
}

/// Remembers proofs in this process.
pub struct MemoryReplays {
    most: usize,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    ids: HashSet<String>,
    ends: VecDeque<(i64, String)>,
}

impl Default for MemoryReplays {
    fn default() -> Self {
        Self::of(100_000)
    }
}

impl MemoryReplays {
    /// Remembers this many at most; beyond that requests are turned away with 503.
    pub fn of(most: usize) -> Self {
        Self { most, seen: Mutex::default() }
    }

    fn take(&self, id: &str, until: i64, now: i64) -> Result<bool, String> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((_, old)) = seen.ends.pop_front_if(|(end, _)| *end < now) {
            seen.ids.remove(&old);
        }
        if seen.ids.contains(id) {
            return Ok(false);
        }
        if seen.ids.len() >= self.most {
            return Err("too many proofs are remembered".to_owned());
        }
        seen.ids.insert(id.to_owned());
        seen.ends.push_back((until, id.to_owned()));
        Ok(true)
    }
}

impl Replays for MemoryReplays {
    fn first_use<'a>(&'a self, id: &'a str, until: i64, now: i64) -> Answer<'a> {
        let answer = self.take(id, until, now);
        Box::pin(async move { answer })
    }
}
