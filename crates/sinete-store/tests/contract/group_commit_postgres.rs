//! Concurrent batches share a transaction on PostgreSQL, and nothing else.

use super::database::{Database, connect as past_the_store};
use super::probe::{act, commit, open, put, put_if_parent, rows, spend};
use crate::write_batch::GuardedStatement;
use crate::{BatchOutcome, Store, StoreFailure};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Long enough for a busy machine.
const IN_TIME: Duration = Duration::from_secs(60);

type CommitsInFlight = Vec<(i64, JoinHandle<Result<BatchOutcome, StoreFailure>>)>;

fn spend_concurrently(store: &Store, ids: impl Iterator<Item = i64>) -> CommitsInFlight {
    commit_concurrently(store, ids, spend)
}

fn commit_concurrently(
    store: &Store,
    ids: impl Iterator<Item = i64>,
    step: impl Fn(i64) -> GuardedStatement,
) -> CommitsInFlight {
    let commit_one = |id| {
        let (store, batch) = (store.clone(), act([step(id)]));
        (id, tokio::spawn(async move { store.commit(batch).await }))
    };
    ids.map(commit_one).collect()
}

/// How many statements inserted the rows of the table.
async fn count_inserts(database: &Database) -> i64 {
    let sql = "SELECT count(DISTINCT (xmin::text, cmin::text)) FROM probe";
    past_the_store(&database.url()).await.query_one(sql, &[]).await.unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_group_commit_shares_transactions_but_no_conflicts() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    commit(&store, (1..=300).map(|id| put(id, id))).await;
    let before = store.statistics();
    for (_, spent) in spend_concurrently(&store, 1..=150) {
        spent.await.unwrap().unwrap().into_result().unwrap();
    }
    let shared = store.statistics();
    assert_eq!(shared.commits - before.commits, 150);
    assert!(shared.groups - before.groups < 75, "{} transactions", shared.groups - before.groups);
    assert!(shared.largest_group <= 64, "the largest group had {}", shared.largest_group);
    // Some were used already: they conflict, and the others are not affected.
    let mut refused = Vec::new();
    for (id, spent) in spend_concurrently(&store, (1..=300).filter(|id| *id > 150 || id % 50 == 0)) {
        if let Err(conflict) = spent.await.unwrap().unwrap().into_result() {
            refused.push((id, conflict.statement().to_owned()));
        }
    }
    let spent = |id| (id, "probe.spend".to_owned());
    assert_eq!(refused, [spent(50), spent(100), spent(150)]);
    assert_eq!(rows(&store).await.len(), 300);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_group_commit_inserts_conditional_rows_together_but_shares_no_conflicts() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    let other = past_the_store(&database.url()).await;
    other.batch_execute("INSERT INTO parents (id) VALUES (7), (8)").await.unwrap();
    for (_, inserted) in commit_concurrently(&store, 1..=150, |id| put_if_parent(id, 7 + id % 2)) {
        inserted.await.unwrap().unwrap().into_result().unwrap();
    }
    let statements = count_inserts(&database).await;
    assert!(statements < 75, "{statements} statements inserted 150 rows");
    assert_eq!(rows(&store).await, (1..=150).map(|id| (id, Some(7 + id % 2))).collect::<Vec<_>>());
    // Some have no parent, and one has an id that is taken: they conflict, and the others are not affected.
    let without_parent = |id: i64| id % 50 == 0;
    let ids = (151..=300).chain([1]);
    let parent = |id| if without_parent(id) { 9 } else { 7 };
    let mut refused = Vec::new();
    for (id, inserted) in commit_concurrently(&store, ids, |id| put_if_parent(id, parent(id))) {
        if let Err(conflict) = inserted.await.unwrap().unwrap().into_result() {
            refused.push((id, conflict.statement().to_owned()));
        }
    }
    let put = |id| (id, "probe.put_if_parent".to_owned());
    assert_eq!(refused, [put(200), put(250), put(300), put(1)]);
    let expected: Vec<_> = (1..=300).filter(|id| *id <= 150 || !without_parent(*id)).collect();
    assert_eq!(rows(&store).await.into_iter().map(|(id, _)| id).collect::<Vec<_>>(), expected);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_group_commit_does_not_wait_for_the_lock_of_one_batch() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    commit(&store, (1..=100).map(|id| put(id, id))).await;
    let other = past_the_store(&database.url()).await;
    other.batch_execute("BEGIN; UPDATE probe SET number = 0 WHERE id IN (17, 60)").await.unwrap();
    let mut locked = Vec::new();
    for (id, spent) in spend_concurrently(&store, 1..=100) {
        if [17, 60].contains(&id) {
            locked.push(spent);
        } else {
            let spent = timeout(IN_TIME, spent).await.expect("it waits for another batch's lock");
            spent.unwrap().unwrap().into_result().unwrap();
        }
    }
    assert!(locked.iter().all(|spent| !spent.is_finished()), "the rows are still locked");
    other.batch_execute("ROLLBACK").await.unwrap();
    for spent in locked {
        spent.await.unwrap().unwrap().into_result().unwrap();
    }
}
