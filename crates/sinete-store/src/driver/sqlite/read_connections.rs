//! A fixed pool of read connections, each used by one task at a time.

use super::connection::open_for_reading;
use crate::driver::closed_failure;
use crate::failure::StoreFailure;
use rusqlite::Connection;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;

/// The idle connections. There are as many permits as connections, so the holder of a permit always finds
/// one.
///
/// The most recently used connection is taken first: after every write a connection rereads its pages, and
/// the fewer connections are in use, the fewer do so.
pub(super) struct ReadConnectionPool {
    idle: Mutex<Vec<Connection>>,
    permits: Arc<Semaphore>,
}

impl ReadConnectionPool {
    pub(super) fn open(count: usize, path: &Path, timeout: Duration) -> Result<Self, StoreFailure> {
        let idle = (0..count).map(|_| open_for_reading(path, timeout)).collect::<Result<_, _>>()?;
        Ok(Self { idle: Mutex::new(idle), permits: Arc::new(Semaphore::new(count)) })
    }

    /// Reads on the calling task: a short read is faster than waking another thread.
    pub(super) async fn read_on_task<T>(
        &self,
        operation: impl FnOnce(&Connection) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreFailure> {
        let _permit = self.permits.acquire().await.map_err(|_| closed_failure())?;
        self.with_connection(operation)
    }

    /// Reads on a thread where blocking is allowed.
    pub(super) async fn read_on_blocking_thread<T: Send + 'static>(
        self: Arc<Self>,
        operation: impl FnOnce(&Connection) -> Result<T, StoreFailure> + Send + 'static,
    ) -> Result<T, StoreFailure> {
        let permit = self.permits.clone().acquire_owned().await.map_err(|_| closed_failure())?;
        super::run_blocking(move || {
            let read = self.with_connection(operation);
            drop(permit);
            read
        })
        .await
    }

    /// Closes the idle connections and lets no caller take one from now on.
    pub(super) fn close(&self) {
        self.permits.close();
        self.lock_idle().clear();
    }

    fn with_connection<T>(
        &self,
        operation: impl FnOnce(&Connection) -> Result<T, StoreFailure>,
    ) -> Result<T, StoreFailure> {
        let connection = self.lock_idle().pop().ok_or_else(closed_failure)?;
        let read = operation(&connection);
        self.lock_idle().push(connection);
        read
    }

    fn lock_idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
