//! Acts that share one transaction, and so one wait for the disk, without sharing their fate.

use super::error::{StatementFailure, classify_error, to_failure};
use crate::driver::CommitResult;
use crate::driver::deadline::StatementDeadline;
use crate::failure::StoreFailure;
use crate::statistics::StoreCounters;
use crate::write_batch::{CommitReceipt, GuardConflict, WriteBatch};
use rusqlite::Connection;
use tokio::sync::oneshot;

/// An act and whoever waits for it.
pub(super) struct PendingCommit {
    pub(super) act: WriteBatch,
    /// Until when it waits for a lock that another process holds.
    pub(super) deadline: StatementDeadline,
    pub(super) reply: oneshot::Sender<CommitReply>,
}

/// What came of an act, and the act: whoever made it puts it away, mostly where it was made, so that the writer does not
/// give back the memory of others.
pub(super) type CommitReply = (CommitResult, WriteBatch);

impl PendingCommit {
    /// Tells whoever waits. They may have gone; what was committed stays committed.
    pub(super) fn send_reply(self, answer: CommitResult) {
        let _ = self.reply.send((answer, self.act));
    }
}

/// Commits a single act in a transaction of its own.
pub(super) fn commit_single(
    connection: &Connection,
    act: &WriteBatch,
    deadline: StatementDeadline,
    counters: &StoreCounters,
) -> CommitResult {
    begin(connection, deadline)?;
    let committed = match apply_steps(connection, act) {
        Ok(()) => run(connection, "COMMIT").map(|()| Ok(CommitReceipt::issue())),
        Err(stopped) => {
            Outcome::from(stopped.trouble).map(|applied| applied.map(|()| CommitReceipt::issue()))
        }
    };
    match &committed {
        Ok(Ok(_)) => counters.count_commit(1),
        Ok(Err(_)) | Err(_) => roll_back(connection),
    }
    committed
}

type Outcome = Result<Result<(), GuardConflict>, StoreFailure>;

/// The acts taken so far and what has become of each.
///
/// All are answered after the commit. A conflict too: it may be with a neighbour, and whoever is told of it
/// reads again and must then see the neighbour's change.
#[derive(Default)]
pub(super) struct CommitGroup {
    members: Vec<CommitGroupMember>,
    /// Where in that list the open transaction began, if one is open. Its first act was applied.
    open_since: Option<usize>,
    manner: SavepointStrategy,
    /// Why no transaction can be begun. Those who come later need not try again.
    shut: Option<StoreFailure>,
}

struct CommitGroupMember {
    waiting: PendingCommit,
    outcome: Outcome,
}

/// How acts are applied beside each other.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum SavepointStrategy {
    /// Without savepoints, which cost a copy of every page an act touches. An act that fails after it has
    /// changed something makes the group start over.
    #[default]
    Hopeful,
    /// Each behind a savepoint of its own.
    Careful,
}

impl CommitGroup {
    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether another act may join. Where no transaction could be begun, those who wait begin one of their own: each has
    /// a deadline of its own, and whoever has reached theirs is answered first.
    pub(super) fn has_capacity(&self, most: usize) -> bool {
        self.shut.is_none() && self.members.len() < most
    }

    /// Applies one more act. Its neighbours feel nothing of it, unless the database gives the whole
    /// transaction up.
    pub(super) fn apply_batch(&mut self, connection: &Connection, waiting: PendingCommit) {
        let outcome = match (&self.shut, self.open_since, self.manner) {
            (Some(failed), ..) => Err(failed.clone()),
            (None, None, _) => self.apply_first(connection, &waiting),
            (None, Some(_), SavepointStrategy::Careful) => {
                self.apply_behind_savepoint(connection, &waiting.act)
            }
            (None, Some(since), SavepointStrategy::Hopeful) => match apply_steps(connection, &waiting.act) {
                Ok(()) => Ok(Ok(())),
                Err(stopped) if stopped.left_nothing && !connection.is_autocommit() => stopped.trouble.into(),
                Err(stopped) => {
                    self.members.push(CommitGroupMember { waiting, outcome: stopped.trouble.into() });
                    return self.start_over(connection, since);
                }
            },
        };
        self.members.push(CommitGroupMember { waiting, outcome });
    }

    /// The first act of a transaction needs no savepoint: undoing it is undoing the transaction.
    fn apply_first(&mut self, connection: &Connection, waiting: &PendingCommit) -> Outcome {
        if let Err(failed) = begin(connection, waiting.deadline) {
            self.shut = Some(failed.clone());
            return Err(failed);
        }
        match apply_steps(connection, &waiting.act) {
            Ok(()) => {
                self.open_since = Some(self.members.len());
                Ok(Ok(()))
            }
            Err(stopped) => {
                roll_back(connection);
                stopped.trouble.into()
            }
        }
    }

    /// Undoes the transaction and applies its acts again, carefully. Nobody has been answered yet, and an
    /// act is nothing but its statements, so it can be applied as often as we like.
    fn start_over(&mut self, connection: &Connection, since: usize) {
        roll_back(connection);
        self.open_since = None;
        self.manner = SavepointStrategy::Careful;
        for member in self.members.split_off(since) {
            self.apply_batch(connection, member.waiting);
        }
    }

    fn apply_behind_savepoint(&mut self, connection: &Connection, act: &WriteBatch) -> Outcome {
        let applied = run(connection, "SAVEPOINT act")
            .map_err(StatementFailure::Failed)
            .and_then(|()| apply_steps(connection, act).map_err(|stopped| stopped.trouble))
            .and_then(|()| run(connection, "RELEASE act").map_err(StatementFailure::Failed));
        let Err(trouble) = applied else { return Ok(Ok(())) };
        let outcome = trouble.into();
        // Some errors make SQLite roll everything back by itself: then there is no savepoint to return to.
        let undone = run(connection, "ROLLBACK TO act").and_then(|()| run(connection, "RELEASE act"));
        if let Err(lost) = undone {
            let cause = if let Err(failed) = &outcome { failed.clone() } else { lost };
            self.lose_transaction(connection, &cause);
            return Err(cause);
        }
        outcome
    }

    /// Makes durable what was applied, then answers everybody.
    pub(super) fn commit_all(mut self, connection: &Connection, counters: &StoreCounters) {
        if let Some(since) = self.open_since {
            match run(connection, "COMMIT") {
                Ok(()) => {
                    let applied = self.members[since..].iter().filter(|it| matches!(it.outcome, Ok(Ok(()))));
                    counters.count_commit(applied.count() as u64);
                }
                Err(failed) => self.lose_transaction(connection, &failed),
            }
        }
        for CommitGroupMember { waiting, outcome } in self.members {
            waiting.send_reply(outcome.map(|applied| applied.map(|()| CommitReceipt::issue())));
        }
    }

    /// Nobody in the open transaction got anything.
    fn lose_transaction(&mut self, connection: &Connection, failed: &StoreFailure) {
        roll_back(connection);
        if let Some(since) = self.open_since.take() {
            for member in &mut self.members[since..] {
                member.outcome = Err(failed.clone());
            }
        }
    }
}

impl From<StatementFailure> for Outcome {
    fn from(trouble: StatementFailure) -> Self {
        match trouble {
            StatementFailure::Conflict(conflict) => Ok(Err(conflict)),
            StatementFailure::Failed(failed) => Err(failed),
        }
    }
}

/// An act that was not applied whole.
struct ApplyFailure {
    trouble: StatementFailure,
    /// Whether none of its statements changed anything.
    left_nothing: bool,
}

fn apply_steps(connection: &Connection, act: &WriteBatch) -> Result<(), ApplyFailure> {
    let mut left_nothing = true;
    for step in act.statements() {
        let touched = connection
            .prepare_cached(step.statement.sqlite_text())
            .and_then(|mut prepared| prepared.execute(rusqlite::params_from_iter(&step.parameters)))
            // A statement that fails undoes what it did itself.
            .map_err(|error| ApplyFailure { trouble: classify_error(step, error), left_nothing })?;
        left_nothing &= touched == 0;
        let judged = step.check_rows(touched as u64).map_err(StatementFailure::Conflict);
        judged.map_err(|trouble| ApplyFailure { trouble, left_nothing })?;
    }
    Ok(())
}

/// Takes the write lock at once: a transaction that upgrades later could fail where nothing can be done. Another process
/// that holds it is waited for until the deadline, however much of it has passed before the act had its turn.
fn begin(connection: &Connection, deadline: StatementDeadline) -> Result<(), StoreFailure> {
    if !connection.is_autocommit() {
        roll_back(connection);
    }
    connection.busy_timeout(deadline.remaining()).map_err(to_failure)?;
    run(connection, "BEGIN IMMEDIATE")
}

fn roll_back(connection: &Connection) {
    if connection.is_autocommit() {
        return;
    }
    if let Err(failed) = run(connection, "ROLLBACK") {
        tracing::error!(%failed, "a transaction could not be rolled back; it is tried again before the next");
    }
}

fn run(connection: &Connection, sql: &'static str) -> Result<(), StoreFailure> {
    let done = connection.prepare_cached(sql).and_then(|mut prepared| prepared.execute([]));
    done.map(drop).map_err(to_failure)
}
