//! The single write connection and its operations. Only the holder of its mutex can write.

use super::commit_group::{CommitGroup, PendingCommit};
use super::error::to_failure;
use super::lock_wait::LockWait;
use crate::driver::deadline::StatementDeadline;
use crate::driver::{CommitResult, closed_failure};
use crate::failure::StoreFailure;
use crate::statistics::StoreCounters;
use crate::write_batch::WriteBatch;
use rusqlite::Connection;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::time::Duration;

/// Most batches in one transaction.
const GROUP_BATCHES_MAX: usize = 128;
/// Pages in the log (16 MiB) at which it is checkpointed, as far as readers allow.
const WAL_CHECKPOINT_PAGES: i32 = 4096;
/// Pages in the log (256 MiB) at which the writer waits for readers, so that the log can restart.
const WAL_PAGES_MAX: i32 = 65_536;

/// The write connection; absent once the database is closed.
pub(super) struct WriteConnection {
    connection: Option<Connection>,
    counters: Arc<StoreCounters>,
    /// Pages in the log after the last write.
    log_pages: Arc<AtomicI32>,
    lock_wait: LockWait,
    /// Lock timeout of maintenance work. A batch brings its own deadline.
    lock_timeout: Duration,
}

impl WriteConnection {
    pub(super) fn new(
        mut connection: Connection,
        counters: Arc<StoreCounters>,
        timeout: Duration,
    ) -> Result<Self, StoreFailure> {
        let log_pages = Arc::new(AtomicI32::new(0));
        let page_count = log_pages.clone();
        // Replaces SQLite's own hook, which would checkpoint before the reply.
        connection
            .wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
                page_count.store(pages, Relaxed);
                Ok(())
            }))
            .map_err(to_failure)?;
        let lock_wait = LockWait::install(&mut connection, timeout)?;
        Ok(Self { connection: Some(connection), counters, log_pages, lock_wait, lock_timeout: timeout })
    }

    /// Commits the first batch with all that arrive meanwhile, without waiting for more: the group consists
    /// of the batches that have arrived by the time the last one in it was applied. Returns their number.
    pub(super) fn commit_group(
        &self,
        first: PendingCommit,
        mut next_act: impl FnMut() -> Option<PendingCommit>,
    ) -> usize {
        let Some(connection) = &self.connection else {
            first.send_reply(Err(closed_failure()));
            return 1;
        };
        let mut group = CommitGroup::new(&self.lock_wait);
        let mut next = Some(first);
        while let Some(pending_commit) = next {
            group.apply_batch(connection, pending_commit);
            next = if group.has_capacity(GROUP_BATCHES_MAX) { next_act() } else { None };
        }
        let acts = group.len();
        group.commit_all(connection, &self.counters);
        acts
    }

    /// Commits one batch for the calling task.
    pub(super) fn commit_single(&self, batch: &WriteBatch, deadline: StatementDeadline) -> CommitResult {
        let connection = self.connection.as_ref().ok_or_else(closed_failure)?;
        super::commit_group::commit_single(connection, batch, deadline, &self.lock_wait, &self.counters)
    }

    /// Runs maintenance work and then checkpoints, because further work would make the log longer still.
    pub(super) fn run_maintenance<T>(
        &mut self,
        operation: impl FnOnce(&mut Connection) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreFailure> {
        let connection = self.connection.as_mut().ok_or_else(closed_failure)?;
        self.lock_wait.set_deadline(StatementDeadline::from_now(self.lock_timeout));
        let result = operation(connection);
        if self.needs_checkpoint() {
            self.checkpoint_log();
        }
        result
    }

    /// Whether the log is long enough for a checkpoint.
    pub(super) fn needs_checkpoint(&self) -> bool {
        self.log_pages.load(Relaxed) >= WAL_CHECKPOINT_PAGES
    }

    /// Checkpoints the log. If that is not possible now, it is retried after the next commit.
    pub(super) fn checkpoint_log(&self) {
        let pages = self.log_pages.load(Relaxed);
        self.checkpoint(if pages >= WAL_PAGES_MAX { "RESTART" } else { "PASSIVE" });
    }

    /// Empties the log and closes the connection.
    pub(super) fn close(&mut self) {
        self.checkpoint("TRUNCATE");
        self.connection = None;
    }

    fn checkpoint(&self, mode: &str) {
        let Some(connection) = &self.connection else { return };
        self.lock_wait.set_deadline(StatementDeadline::from_now(self.lock_timeout));
        let folded = connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| {
            Ok((row.get::<_, i64>(0)? != 0, row.get::<_, i64>(1)?))
        });
        match folded {
            Ok((false, _)) => {}
            Ok((true, pages)) => {
                tracing::debug!(pages, mode, "the log is in use and was checkpointed only in part")
            }
            Err(error) => tracing::warn!(%error, mode, "the write-ahead log could not be checkpointed"),
        }
    }
}
