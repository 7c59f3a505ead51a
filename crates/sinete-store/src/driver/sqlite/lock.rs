//! The lock that keeps two servers from one file.

use super::fault::failed_file;
use crate::failed::Failed;
use std::fs::{File, TryLockError};
use std::path::Path;

/// Holds the lock until the file given back is dropped, or the process ends however it ends.
pub(super) fn hold(database: &Path) -> Result<File, Failed> {
    let mut path = database.as_os_str().to_owned();
    path.push(".lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| failed_file(database, &error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(Failed::Locked),
        Err(TryLockError::Error(error)) => Err(failed_file(database, &error)),
    }
}
