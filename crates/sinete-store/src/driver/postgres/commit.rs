//! Commits of batches, with retries where they are safe and a lookup of the outcome if the response was lost.

use super::PostgresState;
use super::batched_insert;
use super::commit_outcome::{CommitOutcome, OUTCOME_TIMEOUT_FACTOR, look_up_outcome};
use super::group_commit;
use super::transaction;
use super::transaction::TransactionFailure;
use crate::driver::CommitResult;
use crate::driver::deadline::StatementDeadline;
use crate::failure::StoreFailure;
use crate::write_batch::{BatchOutcome, CommitReceipt, GuardConflict, WriteBatch};
use deadpool_postgres::StatementCache;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio::time::timeout;

/// Retries of a batch that the server ended because of a deadlock.
const DEADLOCK_RETRIES_MAX: usize = 5;

/// A batch and where to send its result.
pub(super) struct QueuedCommit {
    pub(super) batch: WriteBatch,
    pub(super) deadline: StatementDeadline,
    pub(super) reply: oneshot::Sender<CommitResult>,
}

/// Answers the batches that queued so long that a lock could outlast their deadline. None of them was sent.
fn reject_expired(acts: Vec<QueuedCommit>) -> Vec<QueuedCommit> {
    let (late, in_time): (Vec<_>, Vec<_>) =
        acts.into_iter().partition(|queued_commit| queued_commit.deadline.is_too_late_to_start());
    for QueuedCommit { reply, .. } in late {
        let _ = reply.send(Err(StoreFailure::Overloaded));
    }
    in_time
}

/// Commits the batch together with concurrent ones, in a spawned task that outlives the caller.
pub(super) async fn commit_batched_insert(
    shared: Arc<PostgresState>,
    batch: WriteBatch,
    deadline: StatementDeadline,
) -> CommitResult {
    let (reply, answer) = oneshot::channel();
    if shared.insert_batcher.enqueue(QueuedCommit { batch, deadline, reply }) {
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let mut turn = shared.insert_batcher.start_turn();
            while let Some(acts) = turn.next_batches() {
                shared.commit_inserts(acts).await;
            }
        });
    }
    // The task that was to reply is gone and may have sent the batch before.
    answer.await.unwrap_or(Err(StoreFailure::OutcomeUnknown))
}

/// Commits the batch alone or in one transaction with concurrent ones, in a spawned task that outlives the
/// caller.
pub(super) async fn commit_in_group(
    shared: Arc<PostgresState>,
    batch: WriteBatch,
    deadline: StatementDeadline,
) -> CommitResult {
    let (reply, answer) = oneshot::channel();
    if shared.commit_queue.enqueue(QueuedCommit { batch, deadline, reply }) {
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let mut turn = shared.commit_queue.start_turn();
            while let Some(acts) = turn.next_batches() {
                let commit = tokio::spawn(Arc::clone(&shared).commit_group(acts));
                let _ = timeout(group_commit::TRANSACTION_WAIT_MAX, commit).await;
            }
        });
    }
    // The task that was to reply is gone and may have sent the batch before.
    answer.await.unwrap_or(Err(StoreFailure::OutcomeUnknown))
}

impl PostgresState {
    /// Commits the batches in one transaction and replies. If one of them fails, each is committed alone, at
    /// the same time as the others: one that waits for a lock delays no other.
    pub(super) async fn commit_group(self: Arc<Self>, acts: Vec<QueuedCommit>) {
        let mut acts = reject_expired(acts);
        let alone = if acts.len() == 1 { acts.pop() } else { None };
        if let Some(QueuedCommit { batch, deadline, reply }) = alone {
            let _ = reply.send(self.commit_with_retry(&batch, deadline).await);
        }
        if acts.is_empty() {
            return;
        }
        let shared = self.try_commit_group(&acts).await;
        for QueuedCommit { batch, deadline, reply } in acts {
            let of_all = match &shared {
                Ok(()) => Some(Ok(BatchOutcome::Committed(CommitReceipt::issue()))),
                Err(TransactionFailure::Unknown) => Some(Err(StoreFailure::OutcomeUnknown)),
                // A lock that one of them waits for is none of the others' concern.
                Err(TransactionFailure::Failed(failed))
                    if failed.is_temporary() && *failed != StoreFailure::Locked =>
                {
                    Some(Err(failed.clone()))
                }
                // Nothing happened.
                Err(_) => None,
            };
            match of_all {
                Some(answer) => drop(reply.send(answer)),
                None => {
                    let state = Arc::clone(&self);
                    tokio::spawn(async move {
                        let _ = reply.send(state.commit_with_retry(&batch, deadline).await);
                    });
                }
            }
        }
    }

    async fn try_commit_group(&self, acts: &[QueuedCommit]) -> Result<(), TransactionFailure> {
        // The earliest deadline applies to all of them.
        let earliest = acts.iter().map(|queued_commit| queued_commit.deadline).min();
        let deadline = earliest.unwrap_or_else(|| StatementDeadline::from_now(self.answer_timeout));
        let client = self.client(deadline).await.map_err(TransactionFailure::Failed)?;
        let connection = Arc::clone(&client.statement_cache);
        let group: Vec<_> = acts.iter().map(|queued_commit| &queued_commit.batch).collect();
        let mut result = transaction::run_group(client, self.statements, &group, deadline).await;
        if let Err(TransactionFailure::Unknown) = result {
            // They are one transaction and share its outcome, which the event of any of them tells.
            let recorded = group.iter().find(|batch| batch.recorded_event_id().is_some()).or(group.first());
            if let Some(batch) = recorded {
                result = self.resolve_lost_outcome(&connection, batch).await;
            }
        }
        self.settle_group(&result, acts.len());
        result
    }

    /// Commits the queued inserts and replies. What was committed stays committed even if the callers have
    /// gone.
    pub(super) async fn commit_inserts(&self, acts: Vec<QueuedCommit>) {
        let acts = reject_expired(acts);
        let shared = match &acts[..] {
            [] | [_] => None,
            commits => Some(self.try_commit_inserts(commits).await),
        };
        for QueuedCommit { batch, deadline, reply } in acts {
            let answer = match &shared {
                Some(Ok(())) => Ok(BatchOutcome::Committed(CommitReceipt::issue())),
                Some(Err(TransactionFailure::Failed(failed))) => Err(failed.clone()),
                // The condition they share no longer holds, for all of them alike.
                Some(Err(TransactionFailure::Conflict(conflict)))
                    if *conflict != GuardConflict::AT_COMMIT =>
                {
                    Ok(BatchOutcome::Conflict(conflict.clone()))
                }
                // Nothing happened: each is committed alone and gets its own result.
                None
                | Some(Err(
                    TransactionFailure::Conflict(_)
                    | TransactionFailure::Deadlocked(_)
                    | TransactionFailure::NothingSent(_),
                )) => self.commit_with_retry(&batch, deadline).await,
                Some(Err(TransactionFailure::Unknown)) => Err(StoreFailure::OutcomeUnknown),
            };
            let _ = reply.send(answer);
        }
    }

    async fn try_commit_inserts(&self, acts: &[QueuedCommit]) -> Result<(), TransactionFailure> {
        // The earliest deadline applies to all of them.
        let earliest = acts.iter().map(|queued_commit| queued_commit.deadline).min();
        let deadline = earliest.unwrap_or_else(|| StatementDeadline::from_now(self.answer_timeout));
        let client = self.client(deadline).await.map_err(TransactionFailure::Failed)?;
        let connection = Arc::clone(&client.statement_cache);
        let mut result = batched_insert::commit_inserts(client, acts, deadline).await;
        if let (Err(TransactionFailure::Unknown), [first, ..]) = (&result, acts) {
            // They are one statement and share its outcome.
            result = self.resolve_lost_outcome(&connection, &first.batch).await;
        }
        self.settle_group(&result, acts.len());
        result
    }

    /// Counts a shared transaction, and closes idle connections if its own was lost or stale.
    fn settle_group(&self, result: &Result<(), TransactionFailure>, acts: usize) {
        match result {
            Ok(()) => self.counters.count_commit(acts as u64),
            // The connection became free too late, and nothing is wrong with it.
            Err(TransactionFailure::NothingSent(StoreFailure::Overloaded)) => {}
            Err(
                TransactionFailure::Failed(StoreFailure::Unreachable) | TransactionFailure::NothingSent(_),
            ) => self.drop_idle(),
            Err(_) => {}
        }
    }

    /// The outcome of a batch that was sent on this connection and whose response is lost.
    async fn resolve_lost_outcome(
        &self,
        connection: &Arc<StatementCache>,
        batch: &WriteBatch,
    ) -> Result<(), TransactionFailure> {
        self.drop_idle();
        let backend = self.server_processes.find_process(connection);
        let timeout = self.answer_timeout * OUTCOME_TIMEOUT_FACTOR;
        let outcome = look_up_outcome(self, backend, batch, timeout).await;
        tracing::warn!(?outcome, "the response to a commit was lost, and its outcome was looked up");
        match outcome {
            CommitOutcome::Committed => Ok(()),
            CommitOutcome::NotCommitted => Err(TransactionFailure::Failed(StoreFailure::Unreachable)),
            CommitOutcome::Unknown => Err(TransactionFailure::Unknown),
        }
    }

    /// Commits one batch, and retries it only if nothing of it happened.
    pub(super) async fn commit_with_retry(
        &self,
        batch: &WriteBatch,
        deadline: StatementDeadline,
    ) -> CommitResult {
        let (mut first_try, mut collisions) = (true, 0);
        loop {
            let client = self.client(deadline).await?;
            let connection = Arc::clone(&client.statement_cache);
            let mut result = transaction::run_transaction(client, self.statements, batch, deadline).await;
            if let Err(TransactionFailure::Unknown) = result {
                result = self.resolve_lost_outcome(&connection, batch).await;
            }
            return match result {
                Ok(()) => {
                    self.counters.count_commit(1);
                    Ok(BatchOutcome::Committed(CommitReceipt::issue()))
                }
                Err(TransactionFailure::Deadlocked(_)) if collisions < DEADLOCK_RETRIES_MAX => {
                    collisions += 1;
                    continue;
                }
                Err(TransactionFailure::Conflict(conflict) | TransactionFailure::Deadlocked(conflict)) => {
                    Ok(BatchOutcome::Conflict(conflict))
                }
                Err(TransactionFailure::NothingSent(_)) if first_try => {
                    self.drop_idle();
                    first_try = false;
                    continue;
                }
                Err(TransactionFailure::NothingSent(failed) | TransactionFailure::Failed(failed)) => {
                    if failed == StoreFailure::Unreachable {
                        self.drop_idle();
                    }
                    Err(failed)
                }
                Err(TransactionFailure::Unknown) => Err(StoreFailure::OutcomeUnknown),
            };
        }
    }
}
