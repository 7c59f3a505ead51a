//! A fixed number of connections for reading, each used by one task at a time and given back at once.

use super::connection::for_reading;
use crate::driver::closed;
use crate::failed::Failed;
use crossbeam_queue::ArrayQueue;
use rusqlite::Connection;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Semaphore;

/// The connections that nobody is using. There are as many permits as connections, so whoever holds a
/// permit finds one.
pub(super) struct Readers {
    idle: ArrayQueue<Connection>,
    permits: Arc<Semaphore>,
}

impl Readers {
    pub(super) fn open(count: usize, path: &Path, patience: Duration) -> Result<Self, Failed> {
        let idle = ArrayQueue::new(count);
        for _ in 0..count {
            // The queue has room for exactly this many.
            let _ = idle.push(for_reading(path, patience)?);
        }
        Ok(Self { idle, permits: Arc::new(Semaphore::new(count)) })
    }

    /// Reads on the calling task: a short read is done sooner than another thread would wake.
    pub(super) async fn here<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Failed>,
    ) -> Result<T, Failed> {
        let _permit = self.permits.acquire().await.map_err(|_| closed())?;
        self.lend(work)
    }

    /// Reads on a thread where blocking is allowed.
    pub(super) async fn elsewhere<T: Send + 'static>(
        self: Arc<Self>,
        work: impl FnOnce(&Connection) -> Result<T, Failed> + Send + 'static,
    ) -> Result<T, Failed> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| closed())?;
        super::off_the_runtime(move || {
            let read = self.lend(work);
            drop(permit);
            read
        })
        .await
    }

    /// Closes the connections that nobody is using, and lets nobody take one any more.
    pub(super) fn close(&self) {
        self.permits.close();
        while self.idle.pop().is_some() {}
    }

    fn lend<T>(&self, work: impl FnOnce(&Connection) -> Result<T, Failed>) -> Result<T, Failed> {
        let connection = self.idle.pop().ok_or_else(closed)?;
        let read = work(&connection);
        let _ = self.idle.push(connection);
        read
    }
}
