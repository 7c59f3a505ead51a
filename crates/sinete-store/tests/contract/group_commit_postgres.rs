//! Concurrent batches share a transaction on PostgreSQL, and nothing else.

use super::database::{Database, connect as past_the_store};
use super::probe::{act, commit, open, put, rows, spend};
use crate::{BatchOutcome, Store};
use std::time::Duration;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Long enough for a busy machine.
const IN_TIME: Duration = Duration::from_secs(60);

fn spend_concurrently(
    store: &Store,
    ids: impl Iterator<Item = i64>,
) -> Vec<(i64, JoinHandle<Result<BatchOutcome, crate::StoreFailure>>)> {
    ids.map(|id| {
        let store = store.clone();
        (id, tokio::spawn(async move { store.commit(act([spend(id)])).await }))
    })
    .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_group_commit_shares_transactions_but_no_conflicts() {
    let store = open(&Database::postgres().await).await;
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
