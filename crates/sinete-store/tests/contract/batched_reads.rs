//! Concurrent reads that share a statement: each gets the same result as alone.

use super::both_engines;
use super::database::{Database, connect as past_the_store};
use super::probe::{ASK, commit, connect, impatient, open, put, spend};
use crate::{SqlValue, Store, StoreAccess, StoreFailure};
use std::time::Duration;
use tokio::time::timeout;

both_engines!(batched_reads_return_the_same_as_single_reads, batched_reads_never_return_stale_results);

/// The maximum time if no read waits for another.
const IN_TIME: Duration = Duration::from_secs(60);

type Asked = (i64, Option<i64>, &'static str);

/// The found ids, in order.
async fn ask(store: &Store, question: Asked) -> Result<Vec<i64>, StoreFailure> {
    let (after, up_to, not) = question;
    let rows = store.read_all(&ASK, &[after.into(), up_to.into(), not.into()]).await?;
    Ok(rows.iter().map(|row| row.integer("id").unwrap()).collect())
}

async fn batched_reads_return_the_same_as_single_reads(database: Database) {
    let store = open(&database).await;
    commit(&store, (1..=40).map(|id| put(id, id))).await;
    commit(&store, (1..=40).step_by(7).map(spend)).await;
    let questions: Vec<Asked> = (0..50_i64)
        .flat_map(|after| [(after, None, "spent"), (after, Some(after + 2), "spent"), (after, Some(-1), "")])
        .collect();
    let mut alone = Vec::new();
    for question in &questions {
        alone.push(ask(&store, *question).await.unwrap());
    }
    assert_eq!(alone[0], [40, 39, 38]);
    for _ in 0..4 {
        let tasks: Vec<_> = questions
            .iter()
            .map(|question| {
                let (store, question) = (store.clone(), *question);
                tokio::spawn(async move { ask(&store, question).await.unwrap() })
            })
            .collect();
        for ((join_handle, alone), question) in tasks.into_iter().zip(&alone).zip(&questions) {
            assert_eq!(&join_handle.await.unwrap(), alone, "{question:?}");
        }
    }
    if matches!(database, Database::Postgres { .. }) {
        assert!(ASK.postgres_batched_text().is_some(), "no reads were batched");
    }
}

async fn batched_reads_never_return_stale_results(database: Database) {
    let store = open(&database).await;
    let tasks: Vec<_> = (0..32_i64)
        .map(|task_index| {
            let store = store.clone();
            tokio::spawn(async move {
                for turn in 0..20 {
                    let id = task_index * 100 + turn + 1;
                    commit(&store, [put(id, turn)]).await;
                    assert_eq!(ask(&store, (id - 1, Some(id), "spent")).await.unwrap(), [id]);
                    commit(&store, [spend(id)]).await;
                    assert_eq!(ask(&store, (id - 1, Some(id), "spent")).await.unwrap(), [0; 0]);
                }
            })
        })
        .collect();
    for join_handle in tasks {
        join_handle.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batched_read_abandoned_by_its_caller_blocks_no_other() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    let other = past_the_store(&database.url()).await;
    for _ in 0..5 {
        other.batch_execute("BEGIN; LOCK TABLE probe IN ACCESS EXCLUSIVE MODE").await.unwrap();
        let mut tasks: Vec<_> = (0..40)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move { ask(&store, (0, None, "spent")).await })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(50)).await;
        // The first ones are in progress, and the others wait for them.
        for gone in tasks.drain(..20) {
            gone.abort();
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
        other.batch_execute("ROLLBACK").await.unwrap();
        for join_handle in tasks {
            let result = timeout(IN_TIME, join_handle).await.expect("a read never returns").unwrap();
            assert_eq!(result.unwrap(), [1]);
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batched_reads_fail_together_on_a_table_lock() {
    /// So many that waiting for the lock one after the other would take more than a minute.
    const QUESTIONS: i64 = 128;
    let database = Database::postgres().await;
    open(&database).await.close().await;
    let store = connect(&database, &impatient(StoreAccess::Serve)).await.unwrap();
    let other = past_the_store(&database.url()).await;
    other.batch_execute("BEGIN; LOCK TABLE probe IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let tasks: Vec<_> = (0..QUESTIONS)
        .map(|id| {
            let store = store.clone();
            tokio::spawn(async move { ask(&store, (id, None, "spent")).await })
        })
        .collect();
    let all = async {
        for join_handle in tasks {
            let failed = join_handle.await.unwrap().unwrap_err();
            assert!(failed.is_temporary(), "{failed}");
        }
    };
    timeout(IN_TIME, all).await.expect("they waited one after the other");
    other.batch_execute("ROLLBACK").await.unwrap();
    commit(&store, [put(1, 1)]).await;
    assert_eq!(ask(&store, (0, None, "spent")).await.unwrap(), [1]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batched_reads_survive_connection_loss() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    let master = past_the_store(&database.url()).await;
    for _ in 0..5 {
        let tasks: Vec<_> = (0..32)
            .map(|_| {
                let store = store.clone();
                tokio::spawn(async move {
                    for _ in 0..20 {
                        match ask(&store, (0, None, "spent")).await {
                            Ok(rows) => assert_eq!(rows, [1]),
                            Err(failed) => assert_eq!(failed, StoreFailure::Unreachable),
                        }
                    }
                })
            })
            .collect();
        tokio::time::sleep(Duration::from_millis(5)).await;
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                   WHERE datname = current_database() AND pid <> pg_backend_pid()";
        master.execute(end, &[]).await.unwrap();
        for join_handle in tasks {
            timeout(IN_TIME, join_handle).await.expect("a read never returns").unwrap();
        }
        assert_eq!(ask(&store, (0, None, "spent")).await.unwrap(), [1]);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn batched_read_with_invalid_parameters_fails_alone() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    let tasks: Vec<_> = (0..60)
        .map(|turn| {
            let store = store.clone();
            // A text where a number is expected.
            let after = if turn % 20 == 7 { SqlValue::from("one") } else { SqlValue::from(0_i64) };
            tokio::spawn(async move { store.read_all(&ASK, &[after, SqlValue::Null, "spent".into()]).await })
        })
        .collect();
    for (turn, join_handle) in tasks.into_iter().enumerate() {
        let result = join_handle.await.unwrap();
        assert_eq!(result.is_err(), turn % 20 == 7, "{turn}: {result:?}");
    }
    // Missing parameters are not taken from the next read.
    let tasks: Vec<_> = (0..60)
        .map(|turn| {
            let store = store.clone();
            let mut parameters = vec![SqlValue::from(0_i64), SqlValue::Null, "spent".into()];
            parameters.truncate(if turn % 20 == 7 { 2 } else { 3 });
            tokio::spawn(async move { store.read_all(&ASK, &parameters).await })
        })
        .collect();
    for (turn, join_handle) in tasks.into_iter().enumerate() {
        let result = join_handle.await;
        assert_eq!(
            result.is_ok_and(|result| result.is_ok_and(|rows| rows.len() == 1)),
            turn % 20 != 7,
            "{turn}"
        );
    }
}
