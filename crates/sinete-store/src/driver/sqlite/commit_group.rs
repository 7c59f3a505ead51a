//! Batches that share one transaction, and so one wait for the disk, but succeed or fail individually.

use super::error::{StatementFailure, classify_error, to_failure};
use super::lock_wait::LockWait;
use crate::driver::CommitResult;
use crate::driver::deadline::StatementDeadline;
use crate::failure::StoreFailure;
use crate::statistics::StoreCounters;
use crate::write_batch::{BatchOutcome, CommitReceipt, WriteBatch};
use rusqlite::Connection;
use tokio::sync::oneshot;

/// A batch and where to send its result.
pub(super) struct PendingCommit {
    pub(super) batch: WriteBatch,
    /// Until when it waits for a lock that another process holds.
    pub(super) deadline: StatementDeadline,
    pub(super) reply: oneshot::Sender<CommitReply>,
}

/// The result of a batch, with the batch itself: the caller drops it, mostly on the thread that allocated it,
/// so that the writer does not free the memory of others.
pub(super) type CommitReply = (CommitResult, WriteBatch);

impl PendingCommit {
    /// Sends the result. What was committed stays committed even if the caller has gone.
    pub(super) fn send_reply(self, answer: CommitResult) {
        let _ = self.reply.send((answer, self.batch));
    }
}

/// Commits a single batch in its own transaction.
pub(super) fn commit_single(
    connection: &Connection,
    batch: &WriteBatch,
    deadline: StatementDeadline,
    lock_wait: &LockWait,
    counters: &StoreCounters,
) -> CommitResult {
    lock_wait.set_deadline(deadline);
    begin(connection)?;
    let committed = match apply_steps(connection, batch) {
        Ok(()) => run(connection, "COMMIT").map_err(StatementFailure::Failed),
        Err(stopped) => Err(stopped.failure),
    };
    match &committed {
        Ok(()) => counters.count_commit(1),
        Err(_) => roll_back(connection),
    }
    to_commit_result(committed)
}

/// The result of applying a batch within a transaction.
type ApplyResult = Result<(), StatementFailure>;

/// The reply once the transaction is durable or rolled back.
fn to_commit_result(applied: ApplyResult) -> CommitResult {
    match applied {
        Ok(()) => Ok(BatchOutcome::Committed(CommitReceipt::issue())),
        Err(StatementFailure::Conflict(conflict)) => Ok(BatchOutcome::Conflict(conflict)),
        Err(StatementFailure::Failed(failed)) => Err(failed),
    }
}

/// The batches taken so far and the result of each.
///
/// All results are sent after the commit, conflicts too: a conflict may be with a neighbour, and a caller
/// that learns of it reads again and must then see the neighbour's change.
pub(super) struct CommitGroup<'connection> {
    lock_wait: &'connection LockWait,
    members: Vec<CommitGroupMember>,
    /// The index of the first batch in the open transaction, if one is open. That batch was applied.
    open_since: Option<usize>,
    savepoint_strategy: SavepointStrategy,
    /// Why no transaction can be started. Later batches need not try again.
    begin_failure: Option<StoreFailure>,
}

struct CommitGroupMember {
    commit: PendingCommit,
    outcome: ApplyResult,
}

/// How batches are isolated from each other within the transaction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum SavepointStrategy {
    /// No savepoints, which cost a copy of every page a batch touches. A batch that fails after it has
    /// changed something makes the group start over.
    NoSavepoints,
    /// A savepoint for each batch.
    PerBatch,
}

impl<'connection> CommitGroup<'connection> {
    pub(super) fn new(lock_wait: &'connection LockWait) -> Self {
        Self {
            lock_wait,
            members: Vec::new(),
            open_since: None,
            savepoint_strategy: SavepointStrategy::NoSavepoints,
            begin_failure: None,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether another batch may join. If no transaction could be started, the waiting batches start their
    /// own: each has its own deadline, and those that have reached theirs are answered first.
    pub(super) fn has_capacity(&self, limit: usize) -> bool {
        self.begin_failure.is_none() && self.members.len() < limit
    }

    /// Applies one more batch. Its failure does not affect its neighbours, unless the database aborts the
    /// whole transaction.
    pub(super) fn apply_batch(&mut self, connection: &Connection, pending_commit: PendingCommit) {
        let outcome = match (&self.begin_failure, self.open_since, self.savepoint_strategy) {
            (Some(failed), ..) => Err(StatementFailure::Failed(failed.clone())),
            (None, None, _) => self.apply_first(connection, &pending_commit),
            (None, Some(_), SavepointStrategy::PerBatch) => {
                self.apply_behind_savepoint(connection, &pending_commit.batch)
            }
            (None, Some(since), SavepointStrategy::NoSavepoints) => {
                match apply_steps(connection, &pending_commit.batch) {
                    Ok(()) => Ok(()),
                    Err(stopped) if stopped.changed_nothing && !connection.is_autocommit() => {
                        Err(stopped.failure)
                    }
                    Err(stopped) => {
                        self.members.push(CommitGroupMember {
                            commit: pending_commit,
                            outcome: Err(stopped.failure),
                        });
                        return self.reapply_with_savepoints(connection, since);
                    }
                }
            }
        };
        self.members.push(CommitGroupMember { commit: pending_commit, outcome });
    }

    /// The first batch of a transaction needs no savepoint: rolling it back is rolling the transaction back.
    fn apply_first(&mut self, connection: &Connection, pending_commit: &PendingCommit) -> ApplyResult {
        self.lock_wait.set_deadline(pending_commit.deadline);
        if let Err(failed) = begin(connection) {
            self.begin_failure = Some(failed.clone());
            return Err(StatementFailure::Failed(failed));
        }
        match apply_steps(connection, &pending_commit.batch) {
            Ok(()) => {
                self.open_since = Some(self.members.len());
                Ok(())
            }
            Err(stopped) => {
                roll_back(connection);
                Err(stopped.failure)
            }
        }
    }

    /// Rolls the transaction back and applies its batches again, with savepoints. No result was sent yet, and
    /// a batch consists only of its statements, so it can be applied repeatedly.
    fn reapply_with_savepoints(&mut self, connection: &Connection, since: usize) {
        roll_back(connection);
        self.open_since = None;
        self.savepoint_strategy = SavepointStrategy::PerBatch;
        for member in self.members.split_off(since) {
            self.apply_batch(connection, member.commit);
        }
    }

    fn apply_behind_savepoint(&mut self, connection: &Connection, batch: &WriteBatch) -> ApplyResult {
        let applied = run(connection, "SAVEPOINT act")
            .map_err(StatementFailure::Failed)
            .and_then(|()| apply_steps(connection, batch).map_err(|stopped| stopped.failure))
            .and_then(|()| run(connection, "RELEASE act").map_err(StatementFailure::Failed));
        let Err(failure) = applied else { return Ok(()) };
        // Some errors make SQLite roll everything back by itself: then there is no savepoint to return to.
        let undone = run(connection, "ROLLBACK TO act").and_then(|()| run(connection, "RELEASE act"));
        if let Err(lost) = undone {
            let cause = if let StatementFailure::Failed(failed) = &failure { failed.clone() } else { lost };
            self.lose_transaction(connection, &cause);
            return Err(StatementFailure::Failed(cause));
        }
        Err(failure)
    }

    /// Commits what was applied, then sends all results.
    pub(super) fn commit_all(mut self, connection: &Connection, counters: &StoreCounters) {
        if let Some(since) = self.open_since {
            match run(connection, "COMMIT") {
                Ok(()) => {
                    let applied = self.members[since..].iter().filter(|it| it.outcome.is_ok());
                    counters.count_commit(applied.count() as u64);
                }
                Err(failed) => self.lose_transaction(connection, &failed),
            }
        }
        for CommitGroupMember { commit: pending_commit, outcome } in self.members {
            pending_commit.send_reply(to_commit_result(outcome));
        }
    }

    /// Fails every batch in the open transaction.
    fn lose_transaction(&mut self, connection: &Connection, failed: &StoreFailure) {
        roll_back(connection);
        if let Some(since) = self.open_since.take() {
            for member in &mut self.members[since..] {
                member.outcome = Err(StatementFailure::Failed(failed.clone()));
            }
        }
    }
}

/// A batch that was not applied entirely.
struct ApplyFailure {
    failure: StatementFailure,
    /// Whether none of its statements changed anything.
    changed_nothing: bool,
}

fn apply_steps(connection: &Connection, batch: &WriteBatch) -> Result<(), ApplyFailure> {
    let mut left_nothing = true;
    for step in batch.statements() {
        let touched = connection
            .prepare_cached(step.statement.sqlite_text())
            .and_then(|mut prepared| prepared.execute(rusqlite::params_from_iter(&step.parameters)))
            // A failing statement rolls its own changes back.
            .map_err(|error| ApplyFailure {
                failure: classify_error(step, error),
                changed_nothing: left_nothing,
            })?;
        left_nothing &= touched == 0;
        let judged = step.check_rows(touched as u64).map_err(StatementFailure::Conflict);
        judged.map_err(|failure| ApplyFailure { failure, changed_nothing: left_nothing })?;
    }
    Ok(())
}

/// Takes the write lock at once: a transaction that upgrades later could fail where that cannot be handled. A
/// lock held by another process is waited for until the deadline, however much of it has passed before the
/// batch had its turn.
fn begin(connection: &Connection) -> Result<(), StoreFailure> {
    if !connection.is_autocommit() {
        roll_back(connection);
    }
    run(connection, "BEGIN IMMEDIATE")
}

fn roll_back(connection: &Connection) {
    if connection.is_autocommit() {
        return;
    }
    if let Err(failed) = run(connection, "ROLLBACK") {
        tracing::error!(%failed, "a transaction could not be rolled back; this is retried before the next");
    }
}

fn run(connection: &Connection, sql: &'static str) -> Result<(), StoreFailure> {
    let result = connection.prepare_cached(sql).and_then(|mut prepared| prepared.execute([]));
    result.map(drop).map_err(to_failure)
}
