//! How a connection to the file is set up, for the writer and for a reader.

use super::error::{to_failure, to_file_failure};
use crate::failure::StoreFailure;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use std::fs::File;
use std::path::Path;
use std::time::Duration;

/// Prepared statements kept per connection: more than there are.
const STATEMENTS_KEPT: usize = 1024;

/// Durable on commit, also on systems where a plain `fsync` does not reach the disk. The log is cut back to
/// 64 MiB once it has been folded in; when that happens is the writer's own decision.
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
/// The last line reads the first page and no more: a file that is no database is noticed here and not later, and which
/// tables there are is learnt by the connections that are used.
const READER_SETTINGS: &str = "
    PRAGMA trusted_schema = OFF;
    PRAGMA temp_store = MEMORY;
    PRAGMA user_version;
";

/// The one connection that writes. The file is created if need be, for its owner only.
pub(super) fn open_for_writing(path: &Path, patience: Duration) -> Result<Connection, StoreFailure> {
    create(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = open(path, flags, patience)?;
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

/// A connection that can only read.
pub(super) fn open_for_reading(path: &Path, patience: Duration) -> Result<Connection, StoreFailure> {
    if !path.exists() {
        return Err(StoreFailure::Other(format!("there is no database at {}", path.display())));
    }
    must_not_be_empty(path)?;
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = open(path, flags, patience)?;
    connection.execute_batch(READER_SETTINGS).map_err(to_failure)?;
    Ok(connection)
}

fn open(path: &Path, flags: OpenFlags, patience: Duration) -> Result<Connection, StoreFailure> {
    let connection = Connection::open_with_flags(path, flags).map_err(to_failure)?;
    connection.busy_timeout(patience).map_err(to_failure)?;
    // A plan that depends on the values bound makes SQLite prepare a kept statement again at every use.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).map_err(to_failure)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS_KEPT);
    Ok(connection)
}

/// Makes the file, unless it is there. SQLite would create it readable by everyone; what it makes beside it takes the
/// file's own mode.
fn create(path: &Path) -> Result<(), StoreFailure> {
    let mut options = File::options();
    options.truncate(false).read(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    if path.exists() {
        options.open(path).map_err(|error| to_file_failure(path, &error))?;
        return must_not_be_empty(path);
    }
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".new-{}", std::process::id()));
    let draft = Path::new(&draft);
    // Left by somebody of this number who was stopped half-way.
    let _ = std::fs::remove_file(draft);
    let made = options.create_new(true).open(draft);
    made.map_err(|error| to_file_failure(path, &error))?;
    let named = create_empty_database(draft).and_then(|()| match std::fs::hard_link(draft, path) {
        // Another process may have been quicker, and its file counts.
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(to_file_failure(path, &error)),
        Ok(()) | Err(_) => Ok(()),
    });
    let _ = std::fs::remove_file(draft);
    named
}

/// Makes a file a database without tables. It gets its name only afterwards, so that a file of ours is never empty.
fn create_empty_database(draft: &Path) -> Result<(), StoreFailure> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(draft, flags).map_err(to_failure)?;
    connection.query_row("PRAGMA journal_mode = WAL", [], |_| Ok(())).map_err(to_failure)?;
    connection.close().map_err(|(_, error)| to_failure(error))
}

/// An empty file is what is left where a database was truncated or never restored. SQLite would take it for a new one.
fn must_not_be_empty(path: &Path) -> Result<(), StoreFailure> {
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
