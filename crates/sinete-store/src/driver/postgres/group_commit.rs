//! Batches of several callers, committed in one transaction.
//!
//! A commit waits for the disk and wakes a process of the server, which costs more than the few rows of a
//! batch. A batch with little competition is committed at once and alone. While some are in flight, new ones
//! queue and share the next transaction; none waits for others to arrive. Each keeps its own guard, and its own
//! statement unless it only inserts rows as others do. If one of them fails, the transaction changes nothing,
//! and each is committed alone and gets its own result.

use super::commit::QueuedCommit;
use super::transaction;
use crate::write_batch::{ExpectedRows, WriteBatch};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Most batches in one transaction.
const BATCHES_PER_TRANSACTION_MAX: usize = 64;
/// Transactions in flight before batches start to queue.
const TRANSACTIONS_BEFORE_QUEUEING: usize = 2;
/// Most transactions in flight, once enough batches are queued.
const TRANSACTIONS_IN_FLIGHT_MAX: usize = 4;
/// Queued batches, per transaction in flight, that justify one more.
const QUEUED_BATCHES_PER_TRANSACTION: usize = 16;

/// How long a turn waits for its transaction before it begins another one. What waits for a lock, or for a
/// connection that stalls, must not delay the batches that come after it.
pub(super) const TRANSACTION_WAIT_MAX: Duration = Duration::from_millis(100);

/// Begins a shared transaction. It gives up early on a lock that is held: its holder must not delay the other
/// batches, nor wait for one of their locks.
pub(super) const BEGIN_SHARED: &str = "BEGIN; SET LOCAL lock_timeout = 50";

/// The queue, and the number of turns in progress.
#[derive(Default)]
pub(super) struct GroupCommitQueue(Mutex<QueuedCommits>);

#[derive(Default)]
struct QueuedCommits {
    waiting: Vec<QueuedCommit>,
    running_turns: usize,
}

/// A turn, which commits queued batches until none are left.
pub(super) struct GroupCommitTurn<'all> {
    queue: &'all GroupCommitQueue,
    is_finished: bool,
}

/// Whether the batch is one statement that must touch one row, so that it takes its locks at once and briefly.
pub(super) fn can_share(batch: &WriteBatch) -> bool {
    batch.statements().first().is_some_and(|first| first.rows == ExpectedRows::One)
        && transaction::is_single_request(batch)
}

impl GroupCommitQueue {
    /// Queues the batch; returns whether the caller must start a turn for it.
    pub(super) fn enqueue(&self, queued_commit: QueuedCommit) -> bool {
        let mut queued = self.lock_queue();
        queued.waiting.push(queued_commit);
        let is_needed = queued.running_turns < TRANSACTIONS_BEFORE_QUEUEING
            || (queued.running_turns < TRANSACTIONS_IN_FLIGHT_MAX
                && queued.waiting.len() >= QUEUED_BATCHES_PER_TRANSACTION * queued.running_turns);
        queued.running_turns += usize::from(is_needed);
        is_needed
    }

    /// Starts the turn that [`enqueue`](Self::enqueue) asked for.
    pub(super) const fn start_turn(&self) -> GroupCommitTurn<'_> {
        GroupCommitTurn { queue: self, is_finished: false }
    }

    fn lock_queue(&self) -> MutexGuard<'_, QueuedCommits> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl GroupCommitTurn<'_> {
    /// The batches to commit next; `None` ends the turn.
    pub(super) fn next_batches(&mut self) -> Option<Vec<QueuedCommit>> {
        let mut queued = self.queue.lock_queue();
        if queued.waiting.is_empty() {
            queued.running_turns -= 1;
            self.is_finished = true;
            return None;
        }
        let going = queued.waiting.len().min(BATCHES_PER_TRANSACTION_MAX);
        Some(queued.waiting.drain(..going).collect())
    }
}

impl Drop for GroupCommitTurn<'_> {
    /// A turn that was cut short makes room for the next one.
    fn drop(&mut self) {
        if !self.is_finished {
            self.queue.lock_queue().running_turns -= 1;
        }
    }
}
