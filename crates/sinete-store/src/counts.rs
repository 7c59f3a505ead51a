//! How many acts were committed, and in how many transactions.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Figures since the store was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Acts that became durable.
    pub commits: u64,
    /// Transactions they were committed in.
    pub groups: u64,
    /// Most acts that shared one transaction.
    pub largest_group: u64,
}

#[derive(Debug, Default)]
pub(crate) struct Counters {
    commits: AtomicU64,
    groups: AtomicU64,
    largest_group: AtomicU64,
}

impl Counters {
    /// One transaction with this many acts became durable.
    pub(crate) fn committed(&self, acts: u64) {
        self.commits.fetch_add(acts, Relaxed);
        self.groups.fetch_add(1, Relaxed);
        self.largest_group.fetch_max(acts, Relaxed);
    }

    pub(crate) fn read(&self) -> Counts {
        Counts {
            commits: self.commits.load(Relaxed),
            groups: self.groups.load(Relaxed),
            largest_group: self.largest_group.load(Relaxed),
        }
    }
}
