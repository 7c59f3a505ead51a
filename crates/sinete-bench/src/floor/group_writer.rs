//! The least a shared writer can be: take what waits, commit it together, answer everybody.

use crate::failed::BenchError;
use rusqlite::Connection;
use std::path::Path;
use tokio::sync::{mpsc, oneshot};

/// Most changes in one commit.
const GROUP_MAX: usize = 128;
/// Changes that may wait for the writer.
const WAITING_MAX: usize = 4_096;

/// A thread that makes the changes of everybody. It stops when the last of its users is gone.
pub struct GroupWriter<C> {
    jobs: mpsc::Sender<WriteJob<C>>,
}

struct WriteJob<C> {
    change: C,
    done: oneshot::Sender<Result<(), String>>,
}

impl<C: Send + 'static> GroupWriter<C> {
    /// Starts the thread; `apply` makes one change within the transaction.
    pub fn start(
        connection: Connection,
        apply: impl FnMut(&Connection, &C) -> rusqlite::Result<()> + Send + 'static,
    ) -> Result<Self, BenchError> {
        let (jobs, waiting) = mpsc::channel(WAITING_MAX);
        std::thread::Builder::new()
            .name("floor-writer".to_owned())
            .spawn(move || write_all(&connection, waiting, apply))
            .map_err(|source| BenchError::io("start the writer", source))?;
        Ok(Self { jobs })
    }

    /// Makes one change; it is on disk when this returns.
    pub async fn apply_change(&self, change: C) -> Result<(), BenchError> {
        let gone = || BenchError::Database("the writer has stopped".to_owned());
        let (done, answer) = oneshot::channel();
        self.jobs.send(WriteJob { change, done }).await.map_err(|_| gone())?;
        answer.await.map_err(|_| gone())?.map_err(BenchError::Database)
    }
}

/// Opens a file as durable as Sinete does: a write-ahead log, synced at every commit.
pub fn open_durable(file: &Path) -> Result<Connection, BenchError> {
    let connection = Connection::open(file)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "full")?;
    Ok(connection)
}

/// Makes changes in one transaction, all or none.
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
            // The failure itself is what the caller is told.
            let _ = connection.execute_batch("ROLLBACK");
        }
    })
}

/// A lone change never waits for others: the group is whatever waits when the last commit is done.
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
            // A caller that has gone away needs no answer.
            let _ = job.done.send(outcome.as_ref().copied().map_err(ToString::to_string));
        }
    }
}
