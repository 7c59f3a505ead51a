//! Acts that share one transaction, and so one wait for the disk, without sharing their fate.

use super::fault::{Trouble, failed, trouble};
use crate::act::{Act, Committed, Conflict};
use crate::counts::Counters;
use crate::driver::Answer;
use crate::failed::Failed;
use rusqlite::Connection;
use tokio::sync::oneshot;

/// An act and whoever waits for it.
pub(super) struct Waiting {
    pub(super) act: Act,
    pub(super) reply: oneshot::Sender<Answer>,
}

type Outcome = Result<Result<(), Conflict>, Failed>;

/// The acts taken so far and what has become of each.
///
/// All are answered after the commit. A conflict too: it may be with a neighbour, and whoever is told of it
/// reads again and must then see the neighbour's change.
#[derive(Default)]
pub(super) struct Group {
    settled: Vec<(oneshot::Sender<Answer>, Outcome)>,
    /// Where in that list the open transaction began, if one is open. Its first act was applied.
    open_since: Option<usize>,
    /// Why no transaction can be begun. Those who come later need not try again.
    shut: Option<Failed>,
}

impl Group {
    pub(super) fn len(&self) -> usize {
        self.settled.len()
    }

    /// Applies one more act. Its neighbours feel nothing of it, unless the database gives the whole
    /// transaction up.
    pub(super) fn apply(&mut self, connection: &Connection, waiting: Waiting) {
        let outcome = match (&self.shut, self.open_since) {
            (Some(failed), _) => Err(failed.clone()),
            (None, None) => self.apply_first(connection, &waiting.act),
            (None, Some(_)) => self.apply_beside(connection, &waiting.act),
        };
        self.settled.push((waiting.reply, outcome));
    }

    /// The first act of a transaction needs no savepoint: undoing it is undoing the transaction.
    fn apply_first(&mut self, connection: &Connection, act: &Act) -> Outcome {
        if let Err(failed) = begin(connection) {
            self.shut = Some(failed.clone());
            return Err(failed);
        }
        match apply_steps(connection, act) {
            Ok(()) => {
                self.open_since = Some(self.settled.len());
                Ok(Ok(()))
            }
            Err(trouble) => {
                roll_back(connection);
                trouble.into()
            }
        }
    }

    fn apply_beside(&mut self, connection: &Connection, act: &Act) -> Outcome {
        let applied = run(connection, "SAVEPOINT act")
            .map_err(Trouble::Failed)
            .and_then(|()| apply_steps(connection, act))
            .and_then(|()| run(connection, "RELEASE act").map_err(Trouble::Failed));
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
    pub(super) fn commit(mut self, connection: &Connection, counters: &Counters) {
        if let Some(since) = self.open_since {
            match run(connection, "COMMIT") {
                Ok(()) => {
                    let applied = self.settled[since..].iter().filter(|(_, it)| matches!(it, Ok(Ok(()))));
                    counters.committed(applied.count() as u64);
                }
                Err(failed) => self.lose_transaction(connection, &failed),
            }
        }
        for (reply, outcome) in self.settled {
            // Whoever asked may have gone; what was committed stays committed.
            let _ = reply.send(outcome.map(|applied| applied.map(|()| Committed::witnessed())));
        }
    }

    /// Nobody in the open transaction got anything.
    fn lose_transaction(&mut self, connection: &Connection, failed: &Failed) {
        roll_back(connection);
        if let Some(since) = self.open_since.take() {
            for (_, outcome) in &mut self.settled[since..] {
                *outcome = Err(failed.clone());
            }
        }
    }
}

impl From<Trouble> for Outcome {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Conflict(conflict) => Ok(Err(conflict)),
            Trouble::Failed(failed) => Err(failed),
        }
    }
}

fn apply_steps(connection: &Connection, act: &Act) -> Result<(), Trouble> {
    for step in act.steps() {
        let touched = connection
            .prepare_cached(step.statement.sqlite())
            .and_then(|mut prepared| prepared.execute(rusqlite::params_from_iter(&step.parameters)))
            .map_err(|error| trouble(step, error))?;
        step.judge(touched as u64).map_err(Trouble::Conflict)?;
    }
    Ok(())
}

/// Takes the write lock at once: a transaction that upgrades later could fail where nothing can be done.
fn begin(connection: &Connection) -> Result<(), Failed> {
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
        tracing::error!(%failed, "a transaction could not be rolled back; it is tried again before the next");
    }
}

fn run(connection: &Connection, sql: &'static str) -> Result<(), Failed> {
    let done = connection.prepare_cached(sql).and_then(|mut prepared| prepared.execute([]));
    done.map(drop).map_err(failed)
}
