//! Copies the database file while it is in use, verifies a copy, and replaces the file with one.

use super::connection::open_for_reading;
use super::error::{to_failure, to_file_failure};
use super::lock;
use crate::failure::StoreFailure;
use rusqlite::backup::{Backup, StepResult};
use rusqlite::{Connection, OpenFlags};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Pages (4 MiB) copied between two progress reports.
const PAGES_PER_STEP: i32 = 1024;
/// Virtual machine instructions between two progress reports while a copy is verified.
const INSTRUCTIONS_PER_STEP: i32 = 1_000_000;
/// How long to wait for a locked file.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// Copies the database as of now, regardless of concurrent writes. The copy is a separate file, readable only
/// by its owner, and is on disk when this returns.
pub(crate) fn copy_database(
    source: &Path,
    destination: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<(), StoreFailure> {
    let from = open_for_reading(source, LOCK_TIMEOUT)?;
    // An open transaction pins the snapshot. Without it every commit of a server would restart the copy.
    from.execute_batch("BEGIN; SELECT count(*) FROM sqlite_schema").map_err(to_failure)?;
    create_new(destination)?;
    let mut to = open_existing(destination)?;
    // The file is synced once, below.
    to.execute_batch("PRAGMA synchronous = OFF").map_err(to_failure)?;
    {
        let backup = Backup::new(&from, &mut to).map_err(to_failure)?;
        loop {
            let step = backup.step(PAGES_PER_STEP).map_err(to_failure)?;
            let (remaining, all) = (backup.progress().remaining, backup.progress().pagecount);
            progress(u64::try_from(all - remaining).unwrap_or(0), u64::try_from(all).unwrap_or(0));
            match step {
                StepResult::Done => break,
                StepResult::More => {}
                _ => return Err(StoreFailure::Locked),
            }
        }
    }
    remove_log_mode(&to)?;
    drop(to);
    sync_to_disk(destination)
}

/// Copies the content of the database as of now, without free pages and in the order of its tables. The copy
/// is on disk when this returns.
pub(crate) fn copy_compact(source: &Path, destination: &Path) -> Result<(), StoreFailure> {
    let from = open_for_reading(source, LOCK_TIMEOUT)?;
    // An empty file is accepted as the destination, and only its owner can read it.
    create_new(destination)?;
    let name = destination.to_string_lossy();
    from.execute("VACUUM INTO ?1", [&*name]).map_err(to_failure)?;
    remove_log_mode(&open_existing(destination)?)?;
    sync_to_disk(destination)
}

/// Fails unless every page, index and foreign key of the file is intact; counts the rows of each table.
pub(crate) fn verify_copy(
    path: &Path,
    beat: impl Fn() + Send + 'static,
) -> Result<BTreeMap<String, u64>, StoreFailure> {
    let mut file = open_for_reading(path, LOCK_TIMEOUT)?;
    let keep_alive = move || {
        beat();
        false
    };
    file.progress_handler(INSTRUCTIONS_PER_STEP, Some(keep_alive)).map_err(to_failure)?;
    let verdict: String =
        file.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(to_failure)?;
    if verdict != "ok" {
        return Err(StoreFailure::Damaged(verdict.lines().collect::<Vec<_>>().join(" ")));
    }
    let mut dangling = file.prepare("PRAGMA foreign_key_check").map_err(to_failure)?;
    if let Some(row) = dangling.query([]).map_err(to_failure)?.next().map_err(to_failure)? {
        let table: String = row.get(0).map_err(to_failure)?;
        return Err(StoreFailure::Damaged(format!("a row of {table} refers to a missing row")));
    }
    count_rows(&file).map_err(to_failure)
}

fn count_rows(file: &Connection) -> rusqlite::Result<BTreeMap<String, u64>> {
    let mut names = file.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite!_%' ESCAPE '!'",
    )?;
    let names = names.query_map([], |row| row.get(0))?.collect::<rusqlite::Result<Vec<String>>>()?;
    names
        .into_iter()
        .map(|name| {
            let quoted = name.replace('"', "\"\"");
            let rows = file.query_row(&format!("SELECT count(*) FROM \"{quoted}\""), [], |row| row.get(0))?;
            Ok((name, i64::unsigned_abs(rows)))
        })
        .collect()
}

/// Replaces the database with the copy and moves the old database to `aside`. No process may serve from it or
/// have it open. The copy is moved, so it must be in the same folder.
pub(crate) fn replace_database(copy: &Path, database: &Path, aside: &Path) -> Result<(), StoreFailure> {
    let _held = lock::acquire_lock(database)?;
    let file_failure = |error: std::io::Error| to_file_failure(database, &error);
    // Changes to the copy since it was taken may still be in its write-ahead log.
    remove_write_ahead_log(copy)?;
    if database.exists() {
        match remove_write_ahead_log(database) {
            // Its log is checkpointed: the file is complete.
            Ok(()) => std::fs::hard_link(database, aside).map_err(file_failure)?,
            Err(StoreFailure::Locked) => return Err(StoreFailure::Locked),
            // Too damaged for a checkpoint: its files are moved as they are.
            Err(_) => move_files(database, aside).map_err(file_failure)?,
        }
    }
    std::fs::rename(copy, database).map_err(file_failure)?;
    sync_to_disk(database)
}

/// Checkpoints the log into the file and removes it. SQLite does so only for the last process that has the
/// file open, which is what this checks.
fn remove_write_ahead_log(database: &Path) -> Result<(), StoreFailure> {
    let file = open_existing(database)?;
    remove_log_mode(&file)
}

/// Switches the file to a journal mode without a write-ahead log.
fn remove_log_mode(file: &Connection) -> Result<(), StoreFailure> {
    let mode: String =
        file.query_row("PRAGMA journal_mode = DELETE", [], |row| row.get(0)).map_err(to_failure)?;
    if mode == "delete" { Ok(()) } else { Err(StoreFailure::Locked) }
}

fn move_files(database: &Path, aside: &Path) -> std::io::Result<()> {
    for ending in ["-wal", "-shm", ""] {
        let from = with_suffix(database, ending);
        if from.exists() {
            std::fs::rename(from, with_suffix(aside, ending))?;
        }
    }
    Ok(())
}

fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn open_existing(path: &Path) -> Result<Connection, StoreFailure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags).map_err(to_failure)?;
    connection.busy_timeout(LOCK_TIMEOUT).map_err(to_failure)?;
    Ok(connection)
}

/// A symbolic link of that name is not followed (`O_EXCL`), and the mode is 0600 whatever the umask.
fn create_new(path: &Path) -> Result<(), StoreFailure> {
    let mut options = File::options();
    options.create_new(true).read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path).map_err(|error| to_file_failure(path, &error))?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))
        .map_err(|error| to_file_failure(path, &error))?;
    Ok(())
}

/// Syncs the file and its directory entry to disk.
fn sync_to_disk(path: &Path) -> Result<(), StoreFailure> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(path)
        .and_then(|file| file.sync_all())
        .and_then(|()| File::open(folder)?.sync_all())
        .map_err(|error| to_file_failure(path, &error))
}
