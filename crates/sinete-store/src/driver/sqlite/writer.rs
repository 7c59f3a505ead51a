//! The one thread that writes. Acts wait for it in a bounded queue and are answered when they are durable.

use super::fault::failed;
use super::group::{Group, Waiting};
use crate::act::Act;
use crate::counts::Counters;
use crate::driver::{Answer, closed};
use crate::failed::Failed;
use rusqlite::Connection;
use std::fs::File;
use std::sync::Arc;
use std::sync::atomic::{AtomicI32, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;
use tokio::sync::oneshot;

/// Most acts in one transaction.
const GROUP_ACTS_MAX: usize = 128;
/// Pages in the log (16 MiB) at which it is folded into the file, as far as readers allow.
const LOG_PAGES_USUAL: i32 = 4096;
/// Pages in the log (256 MiB) at which the writer waits for readers, so that it can start afresh.
const LOG_PAGES_MAX: i32 = 65_536;

/// The way to the writing thread.
pub(super) struct Writer {
    jobs: SyncSender<Job>,
}

enum Job {
    Commit(Waiting),
    Maintain(Box<dyn FnOnce(&mut Connection) + Send>),
    Stop(oneshot::Sender<()>),
}

impl Writer {
    /// Starts the thread. It holds the lock until it has stopped.
    pub(super) fn start(
        mut connection: Connection,
        lock: Option<File>,
        waiting_acts: usize,
        counters: Arc<Counters>,
    ) -> Result<Self, Failed> {
        let log_pages = Arc::new(AtomicI32::new(0));
        let seen = log_pages.clone();
        // This hook takes the place of SQLite's own, which would fold the log in before we can answer.
        connection
            .wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages| {
                seen.store(pages, Relaxed);
                Ok(())
            }))
            .map_err(failed)?;
        let (jobs, inbox) = sync_channel(waiting_acts);
        let thread = Thread { connection, inbox, postponed: None, counters, log_pages };
        std::thread::Builder::new()
            .name("sinete-writer".into())
            .spawn(move || {
                let asked = thread.run();
                drop(lock);
                asked.map(|done| done.send(()))
            })
            .map_err(|error| Failed::Other(format!("the writing thread cannot be started: {error}")))?;
        Ok(Self { jobs })
    }

    /// Commits the act. It is committed whole even if the caller stops waiting.
    pub(super) async fn commit(&self, act: Act) -> Answer {
        let (reply, answer) = oneshot::channel();
        self.hand_in(Job::Commit(Waiting { act, reply }))?;
        answer.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Runs work on the writing connection, between two groups.
    pub(super) async fn maintain<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, Failed> + Send + 'static,
    ) -> Result<T, Failed> {
        let (reply, answer) = oneshot::channel();
        self.hand_in(Job::Maintain(Box::new(move |connection| {
            // Nobody waits for the answer any more if this fails; the work is done all the same.
            let _ = reply.send(work(connection));
        })))?;
        answer.await.unwrap_or_else(|_| Err(closed()))
    }

    /// Lets the thread finish what waits, close the file and let go of the lock.
    pub(super) async fn stop(&self) {
        let (done, stopped) = oneshot::channel();
        let mut job = Job::Stop(done);
        while let Err(TrySendError::Full(refused)) = self.jobs.try_send(job) {
            job = refused;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        // An error means that it has stopped before.
        let _ = stopped.await;
    }

    fn hand_in(&self, job: Job) -> Result<(), Failed> {
        self.jobs.try_send(job).map_err(|refused| match refused {
            TrySendError::Full(_) => Failed::Overloaded,
            TrySendError::Disconnected(_) => closed(),
        })
    }
}

struct Thread {
    connection: Connection,
    inbox: Receiver<Job>,
    /// A job that is not an act and came while acts were being gathered.
    postponed: Option<Job>,
    counters: Arc<Counters>,
    log_pages: Arc<AtomicI32>,
}

impl Thread {
    /// Works until it is told to stop or nobody can ask for anything any more.
    fn run(mut self) -> Option<oneshot::Sender<()>> {
        let asked = loop {
            let job = match self.postponed.take() {
                Some(job) => job,
                None => match self.inbox.recv() {
                    Ok(job) => job,
                    Err(_) => break None,
                },
            };
            match job {
                Job::Commit(first) => self.commit_together(first),
                Job::Maintain(work) => work(&mut self.connection),
                Job::Stop(done) => break Some(done),
            }
        };
        self.fold_log("TRUNCATE");
        asked
    }

    /// Commits the act that came first with all that came meanwhile. Nobody waits for company: the group is
    /// whoever has arrived by the time the last one in it has been applied.
    fn commit_together(&mut self, first: Waiting) {
        let mut group = Group::default();
        let mut next = Some(first);
        while let Some(waiting) = next {
            group.apply(&self.connection, waiting);
            next = if group.len() < GROUP_ACTS_MAX { self.next_act() } else { None };
        }
        group.commit(&self.connection, &self.counters);
        let pages = self.log_pages.load(Relaxed);
        if pages >= LOG_PAGES_MAX {
            self.fold_log("RESTART");
        } else if pages >= LOG_PAGES_USUAL {
            self.fold_log("PASSIVE");
        }
    }

    fn next_act(&mut self) -> Option<Waiting> {
        match self.inbox.try_recv().ok()? {
            Job::Commit(waiting) => Some(waiting),
            other => {
                self.postponed = Some(other);
                None
            }
        }
    }

    /// Copies the log into the file. If it cannot be done now, it is tried again after the next group.
    fn fold_log(&self, mode: &str) {
        let folded = self.connection.query_row(&format!("PRAGMA wal_checkpoint({mode})"), [], |row| {
            Ok((row.get::<_, i64>(0)? != 0, row.get::<_, i64>(1)?))
        });
        match folded {
            Ok((false, _)) => {}
            Ok((true, pages)) => {
                tracing::debug!(pages, mode, "the log is in use and was not folded in whole")
            }
            Err(error) => tracing::warn!(%error, mode, "the log could not be folded into the database"),
        }
    }
}
