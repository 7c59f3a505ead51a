//! Carrying acts out: each tried as often as that is safe, and looked up where its answer was lost.

use super::PostgresState;
use super::gather::{self, PendingBatchedInsert};
use super::outcome::{CommitOutcome, LOOK_UP_PATIENCE, look_up};
use super::transaction::{self, TransactionFailure};
use crate::act::{CommitReceipt, GuardConflict, WriteBatch};
use crate::driver::CommitResult;
use crate::driver::deadline::StatementDeadline;
use crate::failed::StoreFailure;
use deadpool_postgres::StatementCache;
use std::sync::Arc;

/// How often an act is tried again that the server ended because it and another waited for each other.
const COLLISIONS_MAX: usize = 5;

impl PostgresState {
    /// Carries out those that gathered and tells whoever waits. They may have gone; what was committed stays committed.
    pub(super) async fn carry_out_together(&self, acts: Vec<PendingBatchedInsert>) {
        let acts = gather::answer_those_too_late(acts);
        let shared = match &acts[..] {
            [] | [_] => None,
            several => Some(self.try_together(several).await),
        };
        for PendingBatchedInsert { act, deadline, reply } in acts {
            let answer = match &shared {
                Some(Ok(())) => Ok(Ok(CommitReceipt::witnessed())),
                Some(Err(TransactionFailure::Failed(failed))) => Err(failed.clone()),
                // What they hang on has changed, for all of them alike.
                Some(Err(TransactionFailure::Conflict(conflict)))
                    if *conflict != GuardConflict::AT_COMMIT =>
                {
                    Ok(Err(conflict.clone()))
                }
                // Nothing of it happened: each is told what it meets by itself.
                None
                | Some(Err(
                    TransactionFailure::Conflict(_)
                    | TransactionFailure::Collided(_)
                    | TransactionFailure::NothingSent(_),
                )) => self.carry_out(&act, deadline).await,
                Some(Err(TransactionFailure::Unknown)) => Err(StoreFailure::OutcomeUnknown),
            };
            let _ = reply.send(answer);
        }
    }

    async fn try_together(&self, acts: &[PendingBatchedInsert]) -> Result<(), TransactionFailure> {
        // The first whose time is over is the one that all of them keep.
        let earliest = acts.iter().map(|waiting| waiting.deadline).min();
        let deadline = earliest.unwrap_or_else(|| StatementDeadline::within(self.patience));
        let client = self.client(deadline).await.map_err(TransactionFailure::Failed)?;
        let connection = Arc::clone(&client.statement_cache);
        let mut done = gather::together(client, acts, deadline).await;
        if let (Err(TransactionFailure::Unknown), [first, ..]) = (&done, acts) {
            // They are one statement: what became of one of them became of all.
            done = self.settle(&connection, &first.act).await;
        }
        match &done {
            Ok(()) => self.counters.committed(acts.len() as u64),
            // The connection was free too late, and nothing is wrong with it.
            Err(TransactionFailure::NothingSent(StoreFailure::Overloaded)) => {}
            Err(
                TransactionFailure::Failed(StoreFailure::Unreachable) | TransactionFailure::NothingSent(_),
            ) => self.drop_idle(),
            Err(_) => {}
        }
        done
    }

    /// What became of an act that was sent on this connection, whose answer is lost.
    async fn settle(
        &self,
        connection: &Arc<StatementCache>,
        act: &WriteBatch,
    ) -> Result<(), TransactionFailure> {
        self.drop_idle();
        let backend = self.backends.behind(connection);
        let patience = self.patience * LOOK_UP_PATIENCE;
        let outcome = look_up(&self.pool, &self.backends, backend, act, patience).await;
        tracing::warn!(?outcome, "the answer to a commit was lost and has been looked up");
        match outcome {
            CommitOutcome::Committed => Ok(()),
            CommitOutcome::NotCommitted => Err(TransactionFailure::Failed(StoreFailure::Unreachable)),
            CommitOutcome::Unknown => Err(TransactionFailure::Unknown),
        }
    }

    /// Carries one act out. It is tried again only where nothing of it happened.
    pub(super) async fn carry_out(&self, act: &WriteBatch, deadline: StatementDeadline) -> CommitResult {
        let (mut first_try, mut collisions) = (true, 0);
        loop {
            let client = self.client(deadline).await?;
            let connection = Arc::clone(&client.statement_cache);
            let mut done = transaction::attempt(client, act, deadline).await;
            if let Err(TransactionFailure::Unknown) = done {
                done = self.settle(&connection, act).await;
            }
            return match done {
                Ok(()) => {
                    self.counters.committed(1);
                    Ok(Ok(CommitReceipt::witnessed()))
                }
                Err(TransactionFailure::Collided(_)) if collisions < COLLISIONS_MAX => {
                    collisions += 1;
                    continue;
                }
                Err(TransactionFailure::Conflict(conflict) | TransactionFailure::Collided(conflict)) => {
                    Ok(Err(conflict))
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
