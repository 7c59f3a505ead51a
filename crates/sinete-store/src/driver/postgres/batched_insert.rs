//! Batches of several callers that only insert rows, combined into one statement.
//!
//! A batch that only records events changes nothing that others read or guard, so such batches can share a
//! statement, a commit and the wait for the disk. Batches whose rows depend on a condition are combined with
//! those that depend on the same one. No batch waits for others to arrive: while some are being sent, new
//! ones queue and are sent together next.

use super::commit::QueuedCommit;
use super::error::{is_connection_lost, is_stale_statement, is_unmatched_guard, to_statement_failure};
use super::multi_row_insert::MultiRowInsert;
use super::transaction::{TransactionFailure, close_timed_out_connection};
use crate::driver::deadline::{CallError, StatementDeadline, flatten_timeout};
use crate::failure::StoreFailure;
use crate::value::SqlValue;
use crate::write_batch::{ExpectedRows, GuardConflict, WriteBatch};
use deadpool_postgres::Client;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tokio::time::timeout_at;

/// Most batches in one statement.
const BATCHES_PER_STATEMENT_MAX: usize = 128;
/// Most statements in flight at once.
const STATEMENTS_IN_FLIGHT_MAX: usize = 2;

/// The queue, and the number of turns in progress.
#[derive(Default)]
pub(super) struct InsertBatcher(Mutex<InsertQueue>);

#[derive(Default)]
struct InsertQueue {
    waiting: Vec<QueuedCommit>,
    running_turns: usize,
}

/// A turn, which sends queued batches until none are left.
pub(super) struct BatchedInsertTurn<'all> {
    batcher: &'all InsertBatcher,
    is_finished: bool,
}

impl InsertBatcher {
    /// Queues the batch; returns whether the caller must start a turn for it.
    pub(super) fn enqueue(&self, queued_commit: QueuedCommit) -> bool {
        let mut gathered = self.lock_queue();
        gathered.waiting.push(queued_commit);
        let is_needed = gathered.running_turns < STATEMENTS_IN_FLIGHT_MAX;
        gathered.running_turns += usize::from(is_needed);
        is_needed
    }

    /// Starts the turn that [`enqueue`](Self::enqueue) asked for.
    pub(super) const fn start_turn(&self) -> BatchedInsertTurn<'_> {
        BatchedInsertTurn { batcher: self, is_finished: false }
    }

    fn lock_queue(&self) -> MutexGuard<'_, InsertQueue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl BatchedInsertTurn<'_> {
    /// The batches to send next; `None` ends the turn.
    pub(super) fn next_batches(&mut self) -> Option<Vec<QueuedCommit>> {
        let mut gathered = self.batcher.lock_queue();
        if gathered.waiting.is_empty() {
            gathered.running_turns -= 1;
            self.is_finished = true;
            return None;
        }
        // Batches that depend on the same condition fail together if it does not hold; no others are
        // affected.
        let hangs_on = gathered.waiting.first().and_then(|first| shared_condition(&first.batch)).cloned();
        let mut room = BATCHES_PER_STATEMENT_MAX;
        let goes = |queued_commit: &mut QueuedCommit| {
            let goes = room > 0 && shared_condition(&queued_commit.batch) == hangs_on.as_ref();
            room -= usize::from(goes);
            goes
        };
        Some(gathered.waiting.extract_if(.., goes).collect())
    }
}

impl Drop for BatchedInsertTurn<'_> {
    /// A turn that was cut short makes room for the next one.
    fn drop(&mut self) {
        if !self.is_finished {
            self.batcher.lock_queue().running_turns -= 1;
        }
    }
}

/// Whether every statement inserts one row and reads nothing that any such statement changes.
pub(super) fn can_batch(batch: &WriteBatch) -> bool {
    batch.statements().iter().all(|step| step.rows == ExpectedRows::One && step.statement.is_plain_insert())
}

/// The condition that the batch depends on, if any.
fn shared_condition(batch: &WriteBatch) -> Option<&SqlValue> {
    batch
        .statements()
        .iter()
        .find(|step| step.statement.is_conditional())
        .and_then(|step| step.parameters.last())
}

/// Commits all of them in one statement, or none. A conflict that names a statement applies to each of them.
pub(super) async fn commit_inserts(
    client: Client,
    acts: &[QueuedCommit],
    deadline: StatementDeadline,
) -> Result<(), TransactionFailure> {
    let Some(first) = acts.iter().find_map(|queued_commit| queued_commit.batch.statements().first()) else {
        return Ok(());
    };
    let first = first.statement;
    let rows = MultiRowInsert::from_batches(acts.iter().map(|queued_commit| &queued_commit.batch));
    let inserted = async {
        let prepared = rows.prepare(&client).await?;
        if deadline.is_too_late_to_start() {
            return Ok(None);
        }
        prepared.execute(&client).await.map(Some)
    };
    match flatten_timeout(timeout_at(deadline.answer_by(), inserted).await) {
        Ok(Some(_)) => Ok(()),
        // Nothing was sent. Each one fails with this, or is retried alone if its deadline is later.
        Ok(None) => Err(TransactionFailure::NothingSent(StoreFailure::Overloaded)),
        Err(CallError::Failed(error)) if is_unmatched_guard(&error) => {
            Err(TransactionFailure::Conflict(rows.shared_conflict().unwrap_or(GuardConflict::AT_COMMIT)))
        }
        Err(CallError::Failed(error)) if is_stale_statement(&error) => {
            Err(TransactionFailure::NothingSent(to_statement_failure(first, &error)))
        }
        Err(CallError::Failed(error)) if is_connection_lost(&error) => {
            // The error is logged here; the outcome is looked up.
            let _ = to_statement_failure(first, &error);
            Err(TransactionFailure::Unknown)
        }
        Err(CallError::Failed(error)) => Err(match to_statement_failure(first, &error) {
            // The server rejected one of them and therefore all. A failure that applies to all alike is not
            // retried for each.
            StoreFailure::Other(_) if error.as_db_error().is_some() => {
                TransactionFailure::Conflict(GuardConflict::AT_COMMIT)
            }
            failed => TransactionFailure::Failed(failed),
        }),
        Err(CallError::TimedOut) => Err(close_timed_out_connection(client)),
    }
}
