//! Counters of reads, committed batches and transactions.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Counters since the store was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreStatistics {
    /// Read statements.
    pub reads: u64,
    /// Statements of submitted batches, whatever their outcome.
    pub steps: u64,
    /// Batches that became durable.
    pub commits: u64,
    /// Transactions they were committed in.
    pub groups: u64,
    /// The most batches that shared one transaction.
    pub largest_group: u64,
}

#[derive(Debug, Default)]
pub(crate) struct StoreCounters {
    reads: AtomicU64,
    steps: AtomicU64,
    commits: AtomicU64,
    groups: AtomicU64,
    largest_group: AtomicU64,
}

impl StoreCounters {
    /// Counts a read.
    pub(crate) fn count_read(&self) {
        self.reads.fetch_add(1, Relaxed);
    }

    /// Counts a submitted batch of this many statements.
    pub(crate) fn count_statements(&self, steps: usize) {
        self.steps.fetch_add(steps as u64, Relaxed);
    }

    /// Counts a durable transaction with this many batches.
    pub(crate) fn count_commit(&self, acts: u64) {
        self.commits.fetch_add(acts, Relaxed);
        self.groups.fetch_add(1, Relaxed);
        self.largest_group.fetch_max(acts, Relaxed);
    }

    pub(crate) fn snapshot(&self) -> StoreStatistics {
        StoreStatistics {
            reads: self.reads.load(Relaxed),
            steps: self.steps.load(Relaxed),
            commits: self.commits.load(Relaxed),
            groups: self.groups.load(Relaxed),
            largest_group: self.largest_group.load(Relaxed),
        }
    }
}
