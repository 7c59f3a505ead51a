//! Failures of the database file: each gets its own error, nothing is lost, and recovery needs no restart.

use super::database::Database;
use super::disk::{ReadOnlyFolder, SmallDisk};
use super::probe::{GET, act, commit, connect, impatient, open, put, rows};
use crate::write_batch::GuardedStatement;
use crate::{SqlValue, Store, StoreAccess, StoreFailure, StoreOptions};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_full_disk_keeps_reads_and_resumes_writes_when_space_returns() {
    let disk = SmallDisk::new();
    let store = open(&disk.database).await;
    commit(&store, [put(1, 1)]).await;
    disk.fill(&store).await;
    let mut row_count = 1;
    // The log grows until there is no room for the next transaction.
    let failed = loop {
        match store.commit(act([big(row_count + 1)])).await {
            Ok(outcome) => drop(outcome.into_result().unwrap()),
            Err(failed) => break failed,
        }
        row_count += 1;
        assert!(row_count < 1000, "the disk never filled up");
    };
    assert_eq!(failed, StoreFailure::Full);
    assert!(failed.is_temporary());
    for _ in 0..3 {
        assert_eq!(
            rows(&store).await.len() as i64,
            row_count,
            "reads succeed, and every acknowledged row exists"
        );
        assert!(matches!(store.commit(act([big(row_count + 1)])).await, Err(StoreFailure::Full)));
        store.check_connection().await.unwrap();
    }
    disk.make_room(&store).await;
    commit(&store, [big(row_count + 1)]).await;
    assert_eq!(rows(&store).await.len() as i64, row_count + 1);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_full_disk_reports_the_outcome_of_each_batch_of_a_group() {
    let disk = SmallDisk::new();
    let store = open(&disk.database).await;
    disk.fill(&store).await;
    let acts: Vec<_> = (1..=200_i64)
        .map(|id| {
            let store = store.clone();
            tokio::spawn(async move { (id, store.commit(act([big(id)])).await) })
        })
        .collect();
    let (mut durable, mut refused) = (Vec::new(), 0);
    for join_handle in acts {
        match join_handle.await.unwrap() {
            (id, Ok(outcome)) => {
                outcome.into_result().unwrap();
                durable.push((id, Some(id)));
            }
            (_, Err(failed)) => {
                assert_eq!(failed, StoreFailure::Full);
                refused += 1;
            }
        }
    }
    durable.sort_unstable();
    assert!(refused > 0, "the disk never filled up");
    assert_eq!(rows(&store).await, durable);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_statement_without_space_does_not_fail_its_group() {
    let database = Database::sqlite();
    let store = open(&database).await;
    SmallDisk::limit(&store).await;
    let acts: Vec<_> = (1..=400_i64)
        .map(|id| {
            let store = store.clone();
            tokio::spawn(async move {
                (id, store.commit(act([if id % 8 == 0 { big(id) } else { put(id, id) }])).await)
            })
        })
        .collect();
    let (mut durable, mut refused) = (Vec::new(), Vec::new());
    for join_handle in acts {
        match join_handle.await.unwrap() {
            (id, Ok(outcome)) => durable.push((outcome.into_result().map(|_| id).unwrap(), Some(id))),
            (id, Err(failed)) => refused.push((id, failed)),
        }
    }
    assert!(refused.iter().any(|(id, _)| id % 8 == 0), "there was room for everything");
    assert!(refused.iter().all(|(_, failed)| *failed == StoreFailure::Full), "{refused:?}");
    assert_eq!(rows(&store).await, durable);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_second_server_on_one_file_is_refused_and_a_command_is_not() {
    let database = Database::sqlite();
    let first = open(&database).await;
    let second = connect(&database, &StoreOptions::new(StoreAccess::Serve)).await;
    assert_eq!(second.unwrap_err(), StoreFailure::Locked);
    let command = connect(&database, &StoreOptions::new(StoreAccess::AlongsideServer)).await.unwrap();
    commit(&command, [put(1, 1)]).await;
    let reader = connect(&database, &StoreOptions::new(StoreAccess::ReadOnly)).await.unwrap();
    assert_eq!(rows(&reader).await, [(1, Some(1))]);
    assert_eq!(rows(&first).await, [(1, Some(1))]);
    first.close().await;
    connect(&database, &StoreOptions::new(StoreAccess::Serve)).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_close_finishes_earlier_writes_and_refuses_later_ones() {
    let database = Database::sqlite();
    let store = open(&database).await;
    let before: Vec<_> = (0..50)
        .map(|id| {
            let store = store.clone();
            tokio::spawn(async move { store.commit(act([put(id, id)])).await })
        })
        .collect();
    let mut commit_count = 0;
    for join_handle in before {
        join_handle.await.unwrap().unwrap().into_result().unwrap();
        commit_count += 1;
    }
    store.close().await;
    store.close().await;
    assert_eq!(
        store.commit(act([put(99, 99)])).await.unwrap_err(),
        StoreFailure::Other("the database has been closed".into())
    );
    let reopened_store = connect(&database, &StoreOptions::new(StoreAccess::Serve)).await.unwrap();
    assert_eq!(rows(&reopened_store).await.len(), commit_count);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_writer_that_is_blocked_reports_it_and_resumes() {
    let database = Database::sqlite();
    open(&database).await.close().await;
    let store = connect(&database, &impatient(StoreAccess::Serve)).await.unwrap();
    let other = rusqlite::Connection::open(database.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let acts: Vec<_> = (0..30)
        .map(|id| {
            let store = store.clone();
            tokio::spawn(async move { store.commit(act([put(id, id)])).await })
        })
        .collect();
    for join_handle in acts {
        assert_eq!(join_handle.await.unwrap().unwrap_err(), StoreFailure::Locked);
    }
    assert_eq!(rows(&store).await, []);
    other.execute_batch("ROLLBACK").unwrap();
    commit(&store, [put(1, 1)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_file_that_is_not_a_database_is_damaged_and_unchanged() {
    let database = Database::sqlite();
    let text = "this is a shopping list, not a database; ".repeat(200);
    std::fs::write(database.file(), &text).unwrap();
    for access in [StoreAccess::Serve, StoreAccess::AlongsideServer, StoreAccess::ReadOnly] {
        let failed = connect(&database, &StoreOptions::new(access)).await.unwrap_err();
        assert!(matches!(failed, StoreFailure::Damaged(_)), "{access:?}: {failed}");
    }
    assert_eq!(std::fs::read_to_string(database.file()).unwrap(), text);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_empty_file_is_damaged_and_a_new_database_is_never_empty() {
    let database = Database::sqlite();
    std::fs::write(database.file(), b"").unwrap();
    for access in [StoreAccess::Serve, StoreAccess::AlongsideServer, StoreAccess::ReadOnly] {
        let failed = connect(&database, &StoreOptions::new(access)).await.unwrap_err();
        assert!(
            matches!(&failed, StoreFailure::Damaged(why) if why.contains("is empty")),
            "{access:?}: {failed}"
        );
    }
    assert_eq!(std::fs::read(database.file()).unwrap(), b"", "the file is unchanged");
    // To start over, the file must be removed.
    std::fs::remove_file(database.file()).unwrap();
    connect(&database, &StoreOptions::new(StoreAccess::AlongsideServer)).await.unwrap().close().await;
    assert!(std::fs::metadata(database.file()).unwrap().len() > 0);
    connect(&database, &StoreOptions::new(StoreAccess::Serve)).await.unwrap().close().await;
    let mut file_names: Vec<_> =
        std::fs::read_dir(database.folder()).unwrap().map(|file| file.unwrap().file_name()).collect();
    file_names.sort();
    assert_eq!(file_names, ["sinete.db", "sinete.db.lock"], "there are no auxiliary files");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_missing_or_impossible_path_is_reported_in_one_sentence() {
    let database = Database::sqlite();
    let unwrap_reason = |failed: StoreFailure| match failed {
        StoreFailure::Other(reason) => reason,
        other => panic!("{other}"),
    };
    let absent = connect(&database, &StoreOptions::new(StoreAccess::ReadOnly)).await.unwrap_err();
    assert!(unwrap_reason(absent).starts_with("there is no database at "));
    assert!(!database.file().exists());
    let folderless = format!("sqlite://{}/no/such/folder.db", database.folder().display());
    let failed =
        Store::open(&folderless.parse().unwrap(), &StoreOptions::new(StoreAccess::Serve)).await.unwrap_err();
    assert!(unwrap_reason(failed).starts_with("there is no folder for the database "));
    let folder = format!("sqlite://{}", database.folder().display());
    let failed = Store::open(&folder.parse().unwrap(), &StoreOptions::new(StoreAccess::AlongsideServer))
        .await
        .unwrap_err();
    assert!(unwrap_reason(failed).contains("cannot be opened"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_unwritable_folder_is_read_only() {
    let folder = ReadOnlyFolder::with_a_database().await;
    for access in [StoreAccess::Serve, StoreAccess::AlongsideServer] {
        for file in folder.files() {
            let url = format!("sqlite://{}", file.display());
            let opened = Store::open(&url.parse().unwrap(), &StoreOptions::new(access)).await;
            assert_eq!(opened.unwrap_err(), StoreFailure::ReadOnly, "{access:?} {}", file.display());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_column_of_the_wrong_type_is_damage_and_names_the_statement() {
    let database = Database::sqlite();
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    database.run("UPDATE probe SET words = x'ff00', number = 'seven' WHERE id = 1").await;
    let row = store.read_first(&GET, &[1.into()]).await.unwrap().unwrap();
    let damaged = StoreFailure::Damaged("column number of probe.get is not a number".into());
    assert_eq!(row.optional_integer("number"), Err(damaged));
    assert!(matches!(row.optional_text("words"), Err(StoreFailure::Damaged(_))));
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_files_are_readable_by_their_owner_only() {
    use std::os::unix::fs::PermissionsExt as _;
    let database = Database::sqlite();
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    let mut file_count = 0;
    for file in std::fs::read_dir(database.folder()).unwrap() {
        let file = file.unwrap();
        if file.file_name().to_string_lossy().ends_with(".lock") {
            continue;
        }
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o077, 0, "{:?}", file.file_name());
        file_count += 1;
    }
    assert!(file_count >= 3, "the file, its log and the log's index");
}

fn big(id: i64) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &super::probe::PUT,
        [id.into(), id.into(), SqlValue::Null, vec![7_u8; 20_000].into()],
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_large_migrations_need_space_one_at_a_time() {
    // Each writes 32 MiB.
    const LARGE: crate::migrate::MigrationList = &[(1, "one", ONE), (2, "two", TWO), (3, "three", THREE)];
    const ONE: &str = "CREATE TABLE one AS WITH RECURSIVE number(n) AS
        (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 8192) SELECT n, zeroblob(4000) AS filler FROM number;";
    const TWO: &str = "CREATE TABLE two AS SELECT * FROM one;";
    const THREE: &str = "CREATE TABLE three AS SELECT * FROM one;";
    let database = Database::Sqlite(super::database::folder_on_disk());
    let store = connect(&database, &super::probe::patient(StoreAccess::AlongsideServer)).await.unwrap();
    let log = database.folder().join("sinete.db-wal");
    let mut sizes = Vec::new();
    for many in 1..=LARGE.len() {
        crate::migrate::apply_migrations(&store, &LARGE[..many], super::probe::NOW, &mut |_| {})
            .await
            .unwrap();
        sizes.push(std::fs::metadata(&log).unwrap().len() >> 20);
    }
    assert!(sizes[0] >= 32, "{sizes:?}");
    assert!(sizes[2] <= sizes[0] + 1, "{sizes:?}");
}
