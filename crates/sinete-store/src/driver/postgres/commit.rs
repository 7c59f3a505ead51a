//! Commits of batches, with retries where they are safe and a lookup of the outcome if the response was lost.

use super::PostgresState;
use super::batched_insert;
use super::batched_insert::PendingBatchedInsert;
use super::commit_outcome::{CommitOutcome, OUTCOME_PATIENCE_FACTOR, look_up_outcome};
use super::transaction;
use super::transaction::TransactionFailure;
use crate::driver::CommitResult;
use crate::driver::deadline::StatementDeadline;
use crate::failure::StoreFailure;
use crate::write_batch::{BatchOutcome, CommitReceipt, GuardConflict, WriteBatch};
use deadpool_postgres::StatementCache;
use std::sync::Arc;

/// Retries of a batch that the server ended because of a deadlock.
const DEADLOCK_RETRIES_MAX: usize = 5;

impl PostgresState {
    /// Commits the queued inserts and replies. What was committed stays committed even if the callers have
    /// gone.
    pub(super) async fn commit_inserts(&self, acts: Vec<PendingBatchedInsert>) {
        let acts = batched_insert::reject_expired(acts);
        let shared = match &acts[..] {
            [] | [_] => None,
            several => Some(self.try_commit_inserts(several).await),
        };
        for PendingBatchedInsert { act, deadline, reply } in acts {
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
                )) => self.commit_with_retry(&act, deadline).await,
                Some(Err(TransactionFailure::Unknown)) => Err(StoreFailure::OutcomeUnknown),
            };
            let _ = reply.send(answer);
        }
    }

    async fn try_commit_inserts(&self, acts: &[PendingBatchedInsert]) -> Result<(), TransactionFailure> {
        // The earliest deadline applies to all of them.
        let earliest = acts.iter().map(|waiting| waiting.deadline).min();
        let deadline = earliest.unwrap_or_else(|| StatementDeadline::from_now(self.patience));
        let client = self.client(deadline).await.map_err(TransactionFailure::Failed)?;
        let connection = Arc::clone(&client.statement_cache);
        let mut done = batched_insert::commit_inserts(client, acts, deadline).await;
        if let (Err(TransactionFailure::Unknown), [first, ..]) = (&done, acts) {
            // They are one statement and share its outcome.
            done = self.resolve_lost_outcome(&connection, &first.act).await;
        }
        match &done {
            Ok(()) => self.counters.count_commit(acts.len() as u64),
            // The connection became free too late, and nothing is wrong with it.
            Err(TransactionFailure::NothingSent(StoreFailure::Overloaded)) => {}
            Err(
                TransactionFailure::Failed(StoreFailure::Unreachable) | TransactionFailure::NothingSent(_),
            ) => self.drop_idle(),
            Err(_) => {}
        }
        done
    }

    /// The outcome of a batch that was sent on this connection and whose response is lost.
    async fn resolve_lost_outcome(
        &self,
        connection: &Arc<StatementCache>,
        act: &WriteBatch,
    ) -> Result<(), TransactionFailure> {
        self.drop_idle();
        let backend = self.server_processes.find_process(connection);
        let patience = self.patience * OUTCOME_PATIENCE_FACTOR;
        let outcome = look_up_outcome(&self.pool, &self.server_processes, backend, act, patience).await;
        tracing::warn!(?outcome, "the answer to a commit was lost and has been looked up");
        match outcome {
            CommitOutcome::Committed => Ok(()),
            CommitOutcome::NotCommitted => Err(TransactionFailure::Failed(StoreFailure::Unreachable)),
            CommitOutcome::Unknown => Err(TransactionFailure::Unknown),
        }
    }

    /// Commits one batch, and retries it only if nothing of it happened.
    pub(super) async fn commit_with_retry(
        &self,
        act: &WriteBatch,
        deadline: StatementDeadline,
    ) -> CommitResult {
        let (mut first_try, mut collisions) = (true, 0);
        loop {
            let client = self.client(deadline).await?;
            let connection = Arc::clone(&client.statement_cache);
            let mut done = transaction::run_transaction(client, act, deadline).await;
            if let Err(TransactionFailure::Unknown) = done {
                done = self.resolve_lost_outcome(&connection, act).await;
            }
            return match done {
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
