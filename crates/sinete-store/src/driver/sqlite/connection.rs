//! Sets up connections to the file, for the writer and for readers.

use super::error::{to_failure, to_file_failure};
use crate::failure::StoreFailure;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// Prepared statements cached per connection: more than there are.
const CACHED_STATEMENTS_MAX: usize = 1024;

/// Durable on commit, also on systems where a plain `fsync` does not reach the disk. The log is truncated to
/// 64 MiB after a checkpoint; the writer decides when to checkpoint.
const WRITER_SETTINGS: &str = "
    PRAGMA synchronous = FULL;
    PRAGMA fullfsync = ON;
    PRAGMA checkpoint_fullfsync = ON;
    PRAGMA foreign_keys = ON;
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA cache_size = -8192;
    PRAGMA journal_size_limit = 67108864;
";
/// The last line reads only the first page: a file that is not a database is detected here, and the schema is
/// loaded only by connections that are used.
const READER_SETTINGS: &str = "
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA user_version;
";

/// The single write connection. Creates the file if necessary, readable only by its owner.
pub(super) fn open_for_writing(path: &Path, timeout: Duration) -> Result<Connection, StoreFailure> {
    create(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = open(path, flags, timeout)?;
    let mode: String =
        connection.query_row("PRAGMA journal_mode = WAL", [], |row| row.get(0)).map_err(to_failure)?;
    if mode != "wal" {
        return Err(StoreFailure::Other(format!("SQLite cannot keep a write-ahead log here, only {mode}")));
    }
    connection.execute_batch(WRITER_SETTINGS).map_err(to_failure)?;
    if connection.is_readonly(rusqlite::MAIN_DB).map_err(to_failure)? {
        return Err(StoreFailure::ReadOnly);
    }
    Ok(connection)
}

/// A read-only connection.
pub(super) fn open_for_reading(path: &Path, timeout: Duration) -> Result<Connection, StoreFailure> {
    if !path.exists() {
        return Err(StoreFailure::Other(format!("there is no database at {}", path.display())));
    }
    require_non_empty(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = open(path, flags, timeout)?;
    connection.execute_batch(READER_SETTINGS).map_err(to_failure)?;
    Ok(connection)
}

fn open(path: &Path, flags: OpenFlags, timeout: Duration) -> Result<Connection, StoreFailure> {
    let connection = Connection::open_with_flags(path, flags).map_err(to_failure)?;
    connection.busy_timeout(timeout).map_err(to_failure)?;
    // Otherwise a plan that depends on bound values makes SQLite prepare a cached statement again on every
    // use.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(to_failure)?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS_MAX);
    Ok(connection)
}

/// Creates the file, unless it exists. SQLite would create it readable by everyone; its auxiliary files take
/// the file's own mode.
fn create(path: &Path) -> Result<(), StoreFailure> {
    let mut options = File::options();
    options.truncate(false).read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if path.exists() {
        options.open(path).map_err(|error| to_file_failure(path, &error))?;
        return require_non_empty(path);
    }
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".new-{}", std::process::id()));
    let draft = Path::new(&draft);
    // Left by an interrupted process with this id.
    let _ = std::fs::remove_file(draft);
    let result = options.create_new(true).open(draft);
    result.map_err(|error| to_file_failure(path, &error))?;
    let outcome = create_empty_database(draft).and_then(|()| match std::fs::hard_link(draft, path) {
        // Another process may have created it first; its file is used.
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(to_file_failure(path, &error)),
        Ok(()) | Err(_) => Ok(()),
    });
    let _ = std::fs::remove_file(draft);
    outcome
}

/// Creates a database without tables. The file is renamed into place afterwards, so that a database file is
/// never empty.
fn create_empty_database(draft: &Path) -> Result<(), StoreFailure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(draft, flags).map_err(to_failure)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(to_failure)?;
    connection.close().map_err(|(_, error)| to_failure(error))
}

/// An empty file is the remains of a truncated or never restored database. SQLite would treat it as a new
/// one.
fn require_non_empty(path: &Path) -> Result<(), StoreFailure> {
    match std::fs::metadata(path) {
        Ok(file) if file.is_file() && file.len() == 0 => Err(StoreFailure::Damaged(format!(
            "{} is empty: restore a backup, or remove the file to begin anew",
            path.display()
        ))),
        Ok(_) | Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::StatementStatus;

    #[test]
    fn sqlite_allocator_statistics_lock_is_disabled() {
        let folder = tempfile::tempdir().unwrap();
        let connection = open_for_writing(&folder.path().join("sinete.db"), Duration::from_secs(1)).unwrap();
        let mut options = connection.prepare("PRAGMA compile_options").unwrap();
        let options: Vec<String> =
            options.query_map([], |row| row.get(0)).unwrap().collect::<Result<_, _>>().unwrap();
        assert!(options.iter().any(|option| option == "DEFAULT_MEMSTATUS=0"), "{options:?}");
    }

    #[test]
    fn sqlite_statements_are_prepared_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sinete.db");
        let writer = open_for_writing(&path, Duration::from_secs(1)).unwrap();
        writer.execute_batch("CREATE TABLE t (id BIGINT PRIMARY KEY, a BIGINT, b TEXT)").unwrap();
        let reader = open_for_reading(&path, Duration::from_secs(1)).unwrap();
        for (connection, sql) in [
            (&reader, "SELECT b FROM t WHERE id > ?1 AND a = ?2"),
            (&reader, "SELECT b FROM t WHERE id > ?1 ORDER BY id LIMIT ?2"),
            (&writer, "UPDATE t SET b = 'x' WHERE id = ?1 AND a = ?2"),
        ] {
            for number in 0..10 {
                let mut statement = connection.prepare_cached(sql).unwrap();
                assert!(statement.query([number, number + 1]).unwrap().next().unwrap().is_none());
                assert_eq!(statement.get_status(StatementStatus::RePrepare), 0, "{sql}");
            }
        }
    }
}
