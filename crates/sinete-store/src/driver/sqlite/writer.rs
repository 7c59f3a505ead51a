//! Schedules batches on the write connection. Concurrent ones wait in a bounded queue, and one thread commits
//! them as a group; a lone one is committed on the calling task, because waking the thread would take half as
//! long as the disk. A batch that finds the connection free between two groups is not a lone one: the callers
//! that were just answered are about to return.

use super::commit_group::PendingCommit;
use super::lock::DatabaseLock;
use super::write_connection::WriteConnection;
use crate::driver::deadline::StatementDeadline;
use crate::driver::{CommitResult, closed_failure};
use crate::failure::StoreFailure;
use crate::write_batch::WriteBatch;
use rusqlite::Connection;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::sync::oneshot;

/// The longest pause after a write of a process that runs beside the server.
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// Handle to the writer thread and the write connection.
pub(super) struct SqliteWriter {
    connection: Arc<Mutex<WriteConnection>>,
    jobs: SyncSender<WriterJob>,
    /// How long a caller waits for the result of a batch.
    answer_timeout: Duration,
    /// Batches that a caller is waiting for.
    in_progress: AtomicUsize,
    /// Whether the last batches arrived concurrently.
    is_busy: Arc<AtomicBool>,
}

enum WriterJob {
    Commit(PendingCommit),
    Maintain(Box<dyn FnOnce(&mut WriteConnection) + Send>),
    Stop(oneshot::Sender<()>),
}

impl SqliteWriter {
    /// Starts the thread, which holds the lock until it stops.
    pub(super) fn start(
        connection: WriteConnection,
        lock: Option<DatabaseLock>,
        waiting_acts: usize,
        timeout: Duration,
    ) -> Result<Self, StoreFailure> {
        let connection = Arc::new(Mutex::new(connection));
        let (jobs, inbox) = sync_channel(waiting_acts.max(1));
        let (is_beside, is_busy) = (lock.is_none(), Arc::new(AtomicBool::new(false)));
        let thread = WriterThread {
            connection: connection.clone(),
            jobs: inbox,
            postponed: None,
            has_other_processes: is_beside,
            is_busy: is_busy.clone(),
        };
        std::thread::Builder::new()
            .name("sinete-writer".into())
            .spawn(move || {
                let sender = thread.run();
                drop(lock);
                sender.map(|reply| reply.send(()))
            })
            .map_err(|error| StoreFailure::Other(format!("the writing thread cannot be started: {error}")))?;
        Ok(Self { connection, jobs, answer_timeout: timeout, in_progress: AtomicUsize::new(0), is_busy })
    }

    /// Commits the batch. It is committed entirely even if the caller stops waiting.
    pub(super) async fn commit_batch(&self, batch: WriteBatch) -> CommitResult {
        self.commit_before_deadline(batch, StatementDeadline::from_now(self.answer_timeout)).await
    }

    /// The same for an optional batch, with a short wait.
    pub(super) async fn commit_with_short_deadline(&self, batch: WriteBatch) -> CommitResult {
        let deadline = StatementDeadline::brief_from_now(self.answer_timeout);
        let committed =
            tokio::time::timeout_at(deadline.answer_by(), self.commit_before_deadline(batch, deadline));
        committed.await.unwrap_or(Err(StoreFailure::Locked))
    }

    async fn commit_before_deadline(&self, batch: WriteBatch, deadline: StatementDeadline) -> CommitResult {
        let turn = CommitTurn::begin(&self.in_progress);
        if turn.is_only
            && !self.is_busy.load(Relaxed)
            && can_block_current_task()
            && let Ok(connection) = self.connection.try_lock()
        {
            return self.commit_on_calling_task(&connection, &batch, deadline);
        }
        let (reply, answer) = oneshot::channel();
        self.enqueue(WriterJob::Commit(PendingCommit { batch, deadline, reply }))?;
        answer.await.map_or_else(|_| Err(closed_failure()), |(answer, _)| answer)
    }

    fn commit_on_calling_task(
        &self,
        connection: &WriteConnection,
        batch: &WriteBatch,
        deadline: StatementDeadline,
    ) -> CommitResult {
        let answer = tokio::task::block_in_place(|| connection.commit_single(batch, deadline));
        if connection.needs_checkpoint() {
            // If the queue is full, the next commit tries again.
            let _ = self.enqueue(WriterJob::Maintain(Box::new(|connection| connection.checkpoint_log())));
        }
        answer
    }

    /// Runs work on the write connection, between two groups.
    pub(super) async fn run_maintenance<T: Send + 'static>(
        &self,
        operation: impl FnOnce(&mut Connection) -> Result<T, StoreFailure> + Send + 'static,
    ) -> Result<T, StoreFailure> {
        let (reply, answer) = oneshot::channel();
        self.enqueue(WriterJob::Maintain(Box::new(move |connection| {
            // If this fails, the caller has gone; the work is done all the same.
            let _ = reply.send(connection.run_maintenance(operation));
        })))?;
        answer.await.unwrap_or_else(|_| Err(closed_failure()))
    }

    /// Lets the thread finish the queue, close the file and release the lock.
    pub(super) async fn stop(&self) {
        let (sender, stopped) = oneshot::channel();
        let mut job = WriterJob::Stop(sender);
        while let Err(TrySendError::Full(refused)) = self.jobs.try_send(job) {
            job = refused;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // An error means that it has already stopped.
        let _ = stopped.await;
    }

    fn enqueue(&self, job: WriterJob) -> Result<(), StoreFailure> {
        self.jobs.try_send(job).map_err(|refused| match refused {
            TrySendError::Full(_) => StoreFailure::Overloaded,
            TrySendError::Disconnected(_) => closed_failure(),
        })
    }
}

/// A batch in progress.
struct CommitTurn<'writer> {
    in_progress: &'writer AtomicUsize,
    /// Whether no other batch was in progress when it began.
    is_only: bool,
}

impl<'writer> CommitTurn<'writer> {
    fn begin(in_progress: &'writer AtomicUsize) -> Self {
        Self { in_progress, is_only: in_progress.fetch_add(1, Relaxed) == 0 }
    }
}

impl Drop for CommitTurn<'_> {
    fn drop(&mut self) {
        self.in_progress.fetch_sub(1, Relaxed);
    }
}

/// Only a multi-threaded runtime can move its other tasks away from one that blocks.
fn can_block_current_task() -> bool {
    Handle::try_current().is_ok_and(|runtime| runtime.runtime_flavor() == RuntimeFlavor::MultiThread)
}

struct WriterThread {
    connection: Arc<Mutex<WriteConnection>>,
    jobs: Receiver<WriterJob>,
    /// Other work that arrived while a group was collected.
    postponed: Option<WriterJob>,
    /// Whether another process may be serving from the same file.
    has_other_processes: bool,
    /// Whether the last group had several batches.
    is_busy: Arc<AtomicBool>,
}

impl WriterThread {
    /// Runs until it is stopped or all senders are gone.
    fn run(mut self) -> Option<oneshot::Sender<()>> {
        let stop_sender = loop {
            let job = match self.postponed.take() {
                Some(job) => job,
                None => match self.jobs.recv() {
                    Ok(job) => job,
                    Err(_) => break None,
                },
            };
            let mut connection = lock_connection(&self.connection);
            match job {
                WriterJob::Commit(first) => {
                    let lock_timer = WriteLockTimer::begin();
                    let next_act = || next_commit(&self.jobs, &mut self.postponed);
                    let acts = connection.commit_group(first, next_act);
                    self.is_busy.store(acts > 1, Relaxed);
                    if connection.needs_checkpoint() {
                        connection.checkpoint_log();
                    }
                    if self.has_other_processes {
                        lock_timer.pause_after_write();
                    }
                }
                WriterJob::Maintain(operation) => operation(&mut connection),
                WriterJob::Stop(sender) => break Some(sender),
            }
        };
        lock_connection(&self.connection).close();
        stop_sender
    }
}

/// Measures how long the write lock was held. SQLite gives the lock to whichever process asks at the right
/// moment, and a waiting one asks ten times a second: a process that writes without a pause would starve the
/// server.
struct WriteLockTimer(Instant);

impl WriteLockTimer {
    #[expect(clippy::disallowed_methods, reason = "measures waiting time only, not the time of stored data")]
    fn begin() -> Self {
        Self(Instant::now())
    }

    /// Pauses for half as long, so that other processes can write.
    fn pause_after_write(self) {
        std::thread::sleep((self.0.elapsed() / 2).min(PAUSE_MAX));
    }
}

fn next_commit(inbox: &Receiver<WriterJob>, postponed: &mut Option<WriterJob>) -> Option<PendingCommit> {
    match inbox.try_recv().ok()? {
        WriterJob::Commit(pending_commit) => Some(pending_commit),
        other => {
            *postponed = Some(other);
            None
        }
    }
}

/// A thread that panicked here left at most a transaction, which the next caller rolls back.
fn lock_connection(connection: &Mutex<WriteConnection>) -> MutexGuard<'_, WriteConnection> {
    connection.lock().unwrap_or_else(PoisonError::into_inner)
}
