//! Tests that both sides of the store benchmark do the same work. They compare rows, never times.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue stops at once")]

use sinete_bench::store_worker::{CommitSide, WorkerOutcome, WorkerTask, run_task};
use std::path::{Path, PathBuf};

const COLUMNS: &[&str] = &[
    "id",
    "at",
    "kind",
    "actor_kind",
    "actor_id",
    "subject_kind",
    "subject_id",
    "organization_id",
    "client_id",
    "request_id",
    "detail",
    "personal_hash",
    "salt",
    "address",
    "user_agent",
];

/// Long enough to write something on a busy machine.
const MILLISECONDS: u64 = 1_000;

async fn work(file: &Path, side: CommitSide, writers: u16, milliseconds: u64) -> WorkerOutcome {
    let address = format!("sqlite://{}", file.display());
    run_task(&WorkerTask { address, side, writers, milliseconds }).await.unwrap()
}

/// The types and lengths of all columns of one row, and the number of rows.
fn shape(file: &PathBuf) -> (Vec<String>, i64) {
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut columns = Vec::new();
    for name in COLUMNS {
        // The length of a number is that of its digits.
        let sql = format!("SELECT typeof({name}) || ' of ' || length({name}) FROM security_log LIMIT 1");
        let shape: String = connection.query_row(&sql, [], |row| row.get(0)).unwrap();
        columns.push(format!("{name}: {shape}"));
    }
    (columns, connection.query_row("SELECT count(*) FROM security_log", [], |row| row.get(0)).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_sql_writes_the_same_rows_as_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let (ours, plain) = (folder.path().join("ours.db"), folder.path().join("plain.db"));
    let outcome = work(&ours, CommitSide::Store, 4, MILLISECONDS).await;
    work(&plain, CommitSide::Store, 1, 0).await;
    let alone = work(&plain, CommitSide::Floor, 1, MILLISECONDS).await;

    assert_eq!(shape(&ours).0, shape(&plain).0);
    let all = |outcome: &WorkerOutcome| i64::try_from(outcome.all_commits).unwrap();
    assert_eq!(shape(&ours).1, all(&outcome));
    assert_eq!(shape(&plain).1, all(&alone));
    assert!(outcome.commits > 0 && outcome.commits < outcome.all_commits && alone.commits > 0);
    assert!(outcome.groups.is_some_and(|groups| groups > 0 && groups <= outcome.commits));
}

#[tokio::test(flavor = "multi_thread")]
async fn plain_sql_writers_share_commits_and_lose_none() {
    let folder = tempfile::tempdir().unwrap();
    let plain = folder.path().join("plain.db");
    work(&plain, CommitSide::Store, 1, 0).await;
    let grouped = work(&plain, CommitSide::Floor, 16, MILLISECONDS).await;
    assert_eq!(shape(&plain).1, i64::try_from(grouped.all_commits).unwrap());
}

#[tokio::test]
async fn invalid_database_address_is_refused_with_a_message() {
    let task =
        WorkerTask { address: "nowhere".to_owned(), side: CommitSide::Store, writers: 1, milliseconds: 0 };
    let refused = run_task(&task).await.unwrap_err().to_string();
    assert!(refused.starts_with("worker: a database address begins with"), "{refused}");
}
