//! Backups of a SQLite database: created while it is in use, verified, and restored.
//!
//! PostgreSQL has its own tools; nothing here applies to it.

use crate::driver::address::DatabaseAddress;
use crate::driver::sqlite::backup;
use crate::failure::StoreFailure;
use crate::migrate;
use crate::options::{StoreAccess, StoreOptions};
use crate::store::Store;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The contents of a verified backup.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackupContents {
    /// The newest applied migration.
    pub schema_version: u32,
    /// The number of rows of each table.
    pub rows: BTreeMap<String, u64>,
}

/// Copies the database as of now to a file that must not exist yet. Writers continue meanwhile. The copy is
/// on disk when this returns; `progress` gets the pages copied and the total.
pub async fn create_backup(
    source: &Path,
    destination: &Path,
    mut progress: impl FnMut(u64, u64) + Send + 'static,
) -> Result<(), StoreFailure> {
    let (source, destination) = (source.to_owned(), destination.to_owned());
    run_blocking(move || backup::copy_database(&source, &destination, &mut progress)).await
}

/// Copies the content of the database as of now, without free pages, to a file that must not exist yet.
/// Writers continue meanwhile.
pub async fn create_compact_backup(source: &Path, destination: &Path) -> Result<(), StoreFailure> {
    let (source, destination) = (source.to_owned(), destination.to_owned());
    run_blocking(move || backup::copy_compact(&source, &destination)).await
}

/// Verifies a file: every page, index and foreign key must be intact, and its schema known to this program.
/// `beat` is called from time to time, because this can take long.
pub async fn verify_backup(
    path: &Path,
    beat: impl Fn() + Send + 'static,
) -> Result<BackupContents, StoreFailure> {
    let file = path.to_owned();
    let rows = run_blocking(move || backup::verify_copy(&file, beat)).await?;
    let address = DatabaseAddress::Sqlite(path.to_owned());
    let store = Store::open(&address, &StoreOptions::new(StoreAccess::ReadOnly)).await?;
    let status = migrate::load_migration_status(&store).await;
    store.close().await;
    let newest = status?.applied.last().map(|migration| migration.version);
    let schema_version =
        newest.ok_or_else(|| StoreFailure::Damaged("it contains no schema of Sinete".to_owned()))?;
    Ok(BackupContents { schema_version, rows })
}

/// Replaces a database with a backup, and moves the old database to `aside`. The backup is moved and must be
/// in the database's folder. Fails with [`StoreFailure::Locked`] while any process has the database open.
pub async fn restore_backup(copy: &Path, database: &Path, aside: &Path) -> Result<(), StoreFailure> {
    let (copy, database, aside): (PathBuf, PathBuf, PathBuf) = (copy.into(), database.into(), aside.into());
    run_blocking(move || backup::replace_database(&copy, &database, &aside)).await
}

async fn run_blocking<T: Send + 'static>(
    operation: impl FnOnce() -> Result<T, StoreFailure> + Send + 'static,
) -> Result<T, StoreFailure> {
    let stopped = |error| StoreFailure::Other(format!("the work on the copy was interrupted: {error}"));
    tokio::task::spawn_blocking(operation).await.unwrap_or_else(|error| Err(stopped(error)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::write_batch::WriteBatch;
    use sinete_core::entropy::DangerouslySeededEntropy;
    use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
    use sinete_core::time::Timestamp;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};

    const NOW: Timestamp = Timestamp::from_seconds(1_000_000);

    async fn opened(path: &Path, access: StoreAccess) -> Store {
        let store =
            Store::open(&DatabaseAddress::Sqlite(path.to_owned()), &StoreOptions::new(access)).await.unwrap();
        if access == StoreAccess::Serve {
            migrate::apply_pending_migrations(&store, NOW, &mut |_| ()).await.unwrap();
        }
        store
    }

    async fn write(store: &Store, number: u64) {
        let event = SecurityEvent::new(
            EventKind::ServerStarted,
            SecurityEventActor::System,
            NOW,
            &DangerouslySeededEntropy::new(number),
        );
        store.commit(WriteBatch::new().with_event(&event)).await.unwrap().into_result().unwrap();
    }

    fn events(contents: &BackupContents) -> u64 {
        contents.rows["security_log"]
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn backup_taken_under_load_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let database = folder.path().join("a.db");
        let store = opened(&database, StoreAccess::Serve).await;
        for number in 0..200 {
            write(&store, number).await;
        }
        let (stop, written_count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(200)));
        let writers: Vec<_> = (1..=4_u64)
            .map(|writer| {
                let (store, stop, written_count) = (store.clone(), stop.clone(), written_count.clone());
                tokio::spawn(async move {
                    for number in 0.. {
                        write(&store, writer << 32 | number).await;
                        written_count.fetch_add(1, SeqCst);
                        if stop.load(SeqCst) {
                            break;
                        }
                    }
                })
            })
            .collect();
        for round in 0..20 {
            let copy = folder.path().join(format!("copy-{round}.db"));
            let before = written_count.load(SeqCst);
            create_backup(&database, &copy, |_, _| ()).await.unwrap();
            let contents = verify_backup(&copy, || ()).await.unwrap();
            assert!(events(&contents) >= before, "{} of {before}", events(&contents));
            assert!(!copy.with_extension("db-wal").exists());
        }
        stop.store(true, SeqCst);
        for writer in writers {
            writer.await.unwrap();
        }
        assert!(written_count.load(SeqCst) > 200, "there was no concurrent write");
    }

    #[tokio::test]
    async fn backup_without_free_pages_has_the_same_rows_and_is_smaller() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let store = opened(&at("a.db"), StoreAccess::Serve).await;
        for number in 0..400 {
            write(&store, number).await;
        }
        let free = "CREATE TABLE scratch (a); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n \
                    WHERE i < 500) INSERT INTO scratch SELECT hex(zeroblob(2000)) FROM n; DROP TABLE scratch";
        rusqlite::Connection::open(at("a.db")).unwrap().execute_batch(free).unwrap();
        create_backup(&at("a.db"), &at("whole.db"), |_, _| ()).await.unwrap();
        create_compact_backup(&at("a.db"), &at("small.db")).await.unwrap();
        let (full_backup, small) =
            (verify_backup(&at("whole.db"), || ()).await, verify_backup(&at("small.db"), || ()).await);
        assert_eq!(full_backup, small);
        let size = |name: &str| std::fs::metadata(at(name)).unwrap().len();
        assert!(size("small.db") + 1_000_000 < size("whole.db"), "{} {}", size("small.db"), size("whole.db"));
        assert!(create_compact_backup(&at("a.db"), &at("small.db")).await.is_err(), "never overwritten");
        store.close().await;
        drop(store);
        restore_backup(&at("small.db"), &at("a.db"), &at("old.db")).await.unwrap();
        write(&opened(&at("a.db"), StoreAccess::Serve).await, 1000).await;
        assert_eq!(events(&verify_backup(&at("a.db"), || ()).await.unwrap()), 401);
    }

    #[tokio::test]
    async fn backup_check_detects_corrupted_and_missing_pages() {
        let folder = tempfile::tempdir().unwrap();
        let (database, copy) = (folder.path().join("a.db"), folder.path().join("copy.db"));
        let store = opened(&database, StoreAccess::Serve).await;
        // Enough to use the pages that the dropped tables left free.
        for number in 0..400 {
            write(&store, number).await;
        }
        create_backup(&database, &copy, |_, _| ()).await.unwrap();
        let backup_bytes = std::fs::read(&copy).unwrap();
        // The header of every page contains its type: an invalid value is damage.
        let page_size = usize::from(u16::from_be_bytes([backup_bytes[16], backup_bytes[17]]));
        let mut damaged_count = 0;
        for page in 1..backup_bytes.len() / page_size {
            let mut changed = backup_bytes.clone();
            changed[page * page_size] ^= 0xff;
            std::fs::write(&copy, changed).unwrap();
            damaged_count +=
                usize::from(matches!(verify_backup(&copy, || ()).await, Err(StoreFailure::Damaged(_))));
        }
        // A free page holds nothing that could be damaged.
        let free = usize::try_from(u32::from_be_bytes([
            backup_bytes[36],
            backup_bytes[37],
            backup_bytes[38],
            backup_bytes[39],
        ]))
        .unwrap();
        let pages = backup_bytes.len() / page_size - 1;
        assert!(
            (pages - free..=pages).contains(&damaged_count),
            "{damaged_count} of {pages}, {free} of them free"
        );
        assert!(free < 10, "{free} of {pages} are free");
        std::fs::write(&copy, &backup_bytes[..backup_bytes.len() - page_size]).unwrap();
        assert!(matches!(verify_backup(&copy, || ()).await, Err(StoreFailure::Damaged(_))), "truncated");
    }

    #[tokio::test]
    async fn backup_restore_keeps_the_previous_database_aside() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let store = opened(&at("a.db"), StoreAccess::Serve).await;
        write(&store, 1).await;
        create_backup(&at("a.db"), &at("copy.db"), |_, _| ()).await.unwrap();
        write(&store, 2).await;

        let refused = restore_backup(&at("copy.db"), &at("a.db"), &at("old.db")).await;
        assert_eq!(refused, Err(StoreFailure::Locked), "a server holds it");
        store.close().await;
        drop(store);
        let reader = opened(&at("a.db"), StoreAccess::ReadOnly).await;
        reader.check_connection().await.unwrap();
        let refused = restore_backup(&at("copy.db"), &at("a.db"), &at("old.db")).await;
        assert_eq!(refused, Err(StoreFailure::Locked), "another process reads it");
        drop(reader);

        restore_backup(&at("copy.db"), &at("a.db"), &at("old.db")).await.unwrap();
        assert_eq!(events(&verify_backup(&at("a.db"), || ()).await.unwrap()), 1);
        assert_eq!(events(&verify_backup(&at("old.db"), || ()).await.unwrap()), 2);
        assert!(!at("copy.db").exists() && !at("a.db-wal").exists());
        let store = opened(&at("a.db"), StoreAccess::Serve).await;
        write(&store, 3).await;
    }

    #[tokio::test]
    async fn backup_restore_keeps_a_damaged_database_aside_unchanged() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let store = opened(&at("a.db"), StoreAccess::Serve).await;
        create_backup(&at("a.db"), &at("copy.db"), |_, _| ()).await.unwrap();
        store.close().await;
        drop(store);
        std::fs::write(at("a.db"), "this is no database at all, and long enough to be taken for one")
            .unwrap();
        std::fs::write(at("a.db-wal"), "nor is this a log").unwrap();
        restore_backup(&at("copy.db"), &at("a.db"), &at("old.db")).await.unwrap();
        assert!(verify_backup(&at("a.db"), || ()).await.is_ok());
        assert!(std::fs::read_to_string(at("old.db")).unwrap().starts_with("this is no database"));
        assert!(!at("a.db-wal").exists());
    }

    #[tokio::test]
    async fn backup_never_overwrites_an_existing_file() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let _store = opened(&at("a.db"), StoreAccess::Serve).await;
        std::fs::write(at("copy.db"), "mine").unwrap();
        assert!(create_backup(&at("a.db"), &at("copy.db"), |_, _| ()).await.is_err());
        assert_eq!(std::fs::read_to_string(at("copy.db")).unwrap(), "mine");
    }
}
