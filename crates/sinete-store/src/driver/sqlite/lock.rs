//! The lock that keeps two servers from using one file.

use super::error::to_file_failure;
use crate::failure::StoreFailure;
use std::fs::{File, TryLockError};
use std::path::Path;

/// A lock that is held until it is dropped or the process ends.
pub(super) struct DatabaseLock(File);

impl Drop for DatabaseLock {
    /// Unlocks explicitly: a child process being spawned shares the open file for a moment, and merely
    /// closing it here would leave the lock with the child.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

/// Takes the lock file beside the database.
pub(super) fn acquire_lock(database: &Path) -> Result<DatabaseLock, StoreFailure> {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| to_file_failure(database, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(DatabaseLock(file)),
        Err(TryLockError::WouldBlock) => Err(StoreFailure::Locked),
        Err(TryLockError::Error(error)) => Err(to_file_failure(database, &error)),
    }
}
