//! A minimal group commit: takes all waiting changes, commits them in one transaction, and notifies all
//! callers.

use crate::failed::BenchError;
use rusqlite::Connection;
use std::path::Path;
use tokio::sync::{mpsc, oneshot};

/// Maximum changes in one commit.
const GROUP_MAX: usize = 128;
/// Maximum waiting changes.
const QUEUED_CHANGES_MAX: usize = 4_096;

/// A writer thread shared by all callers. It stops when the last handle is dropped.
pub struct GroupWriter<C> {
    jobs: mpsc::Sender<WriteJob<C>>,
}

struct WriteJob<C> {
    change: C,
    reply: oneshot::Sender<Result<(), String>>,
}

impl<C: Send + 'static> GroupWriter<C> {
    /// Starts the thread; `apply` makes one change within the transaction.
    pub fn start(
        connection: Connection,
        apply: impl FnMut(&Connection, &C) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<Self, BenchError> {
        let (jobs, receiver) = mpsc::channel(QUEUED_CHANGES_MAX);
        std::thread::Builder::new()
            .name("floor-writer".to_owned())
            .spawn(move || write_all(&connection, receiver, apply))
            .map_err(|source| BenchError::io("start the writer", source))?;
        Ok(Self { jobs })
    }

    /// Makes one change, which is durable when this returns.
    pub async fn apply_change(&self, change: C) -> Result<(), BenchError> {
        let gone = || BenchError::Database("the writer has stopped".to_owned());
        let (sender, answer) = oneshot::channel();
        self.jobs.send(WriteJob { change, reply: sender }).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?.map_err(BenchError::Database)
    }
}

/// Opens a database with the durability settings of Sinete: a write-ahead log, synced at every commit.
pub fn open_durable(file: &Path) -> Result<Connection, BenchError> {
    let connection = Connection::open(file)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    Ok(connection)
}

/// Makes changes in one transaction.
pub fn commit(
    connection: &Connection,
    changes: impl FnOnce(&Connection) -> rusqlite::Result<()>,
) -> rusqlite::Result<()> {
    let within = || {
        connection.prepare_cached("BEGIN IMMEDIATE")?.execute([])?;
        changes(connection)?;
        connection.prepare_cached("COMMIT")?.execute([]).map(drop)
    };
    within().inspect_err(|_| {
        if !connection.is_autocommit() {
            // The caller receives the original error.
            let _ = connection.execute_batch("ROLLBACK");
        }
    })
}

/// Writes changes in groups. A single change never waits for others: a group is what is waiting when the
/// previous commit ends.
fn write_all<C>(
    connection: &Connection,
    mut jobs: mpsc::Receiver<WriteJob<C>>,
    mut apply: impl FnMut(&Connection, &C) -> rusqlite::Result<()>,
) {
    let mut group = Vec::with_capacity(GROUP_MAX);
    while let Some(first) = jobs.blocking_recv() {
        group.push(first);
        while group.len() < GROUP_MAX
            && let Ok(next) = jobs.try_recv()
        {
            group.push(next);
        }
        let outcome =
            commit(connection, |connection| group.iter().try_for_each(|job| apply(connection, &job.change)));
        for job in group.drain(..) {
            // The caller may have gone away.
            let _ = job.reply.send(outcome.as_ref().copied().map_err(ToString::to_string));
        }
    }
}
