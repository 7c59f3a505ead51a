//! SQLite commits share their wait for the disk, and nothing else.

use super::database::Database;
use super::probe::{PUT, act, commit, open, patient, put, rows, spend};
use crate::write_batch::GuardedStatement;
use crate::{BatchOutcome, SqlValue, StoreAccess, StoreFailure, StoreOptions};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tokio::sync::Barrier;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_group_commit_shares_fsyncs_among_64_writers() {
    const WRITERS: i64 = 64;
    const ACTS_EACH: i64 = 50;
    let database = Database::sqlite();
    let store = open(&database).await;
    let before = store.statistics();
    let writers: Vec<_> = (0..WRITERS)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for turn in 0..ACTS_EACH {
                    commit(&store, [put(writer * ACTS_EACH + turn, turn)]).await;
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let after = store.statistics();
    let (commits, groups) = (after.commits - before.commits, after.groups - before.groups);
    assert_eq!(commits, 3200);
    assert_eq!(rows(&store).await.len(), 3200);
    assert!(commits >= groups * 8, "{commits} commits in {groups} groups");
    assert!((8..=128).contains(&after.largest_group), "the largest group had {}", after.largest_group);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_group_commit_of_a_single_writer_is_one() {
    let database = Database::sqlite();
    let store = open(&database).await;
    for id in 0..20 {
        commit(&store, [put(id, id)]).await;
    }
    let counts = store.statistics();
    assert_eq!((counts.commits, counts.groups, counts.largest_group), (20, 20, 1));
}

#[tokio::test(flavor = "current_thread")]
async fn sqlite_store_works_on_a_single_threaded_runtime() {
    let database = Database::sqlite();
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    assert!(store.commit(act([put(2, 2), put(1, 1)])).await.unwrap().into_result().is_err());
    assert_eq!(rows(&store).await, [(1, Some(1))]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_wal_does_not_grow_without_bound() {
    let database = Database::sqlite();
    let store = open(&database).await;
    let log = database.folder().join("sinete.db-wal");
    let megabyte = |turn: i64| {
        let step = move |n: i64| {
            GuardedStatement::exactly_one(
                &PUT,
                [(turn * 16 + n).into(), SqlValue::Null, SqlValue::Null, vec![5_u8; 65_536].into()],
            )
        };
        act((0..16).map(step))
    };
    let mut longest = 0;
    for turn in 0..30 {
        // Every other round has two writers, so that both paths to the write connection are used.
        let other = store.clone();
        let second =
            (turn % 2 == 1).then(|| tokio::spawn(async move { other.commit(megabyte(1000 + turn)).await }));
        store.commit(megabyte(turn)).await.unwrap().into_result().unwrap();
        if let Some(second) = second {
            second.await.unwrap().unwrap().into_result().unwrap();
        }
        longest = longest.max(std::fs::metadata(&log).unwrap().len());
    }
    assert!((8 << 20..24 << 20).contains(&longest), "the log had {longest} bytes");
    store.close().await;
    assert!(!log.exists(), "a database that was closed is one file");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_group_commit_isolates_conflicts_and_failures() {
    let database = Database::sqlite();
    let store = open(&database).await;
    commit(&store, [put(0, 0), spend(0)]).await;
    let barrier = Arc::new(Barrier::new(96));
    let neighbours: Vec<_> = (1..=96_i64)
        .map(|id| {
            let (store, barrier) = (store.clone(), barrier.clone());
            tokio::spawn(async move {
                barrier.wait().await;
                let second = match id % 3 {
                    0 => spend(0),
                    1 => put(1000 + id, 666666),
                    _ => put(1000 + id, 1),
                };
                (id, store.commit(act([put(id, id), second])).await)
            })
        })
        .collect();
    for neighbour in neighbours {
        match neighbour.await.unwrap() {
            (id, Ok(BatchOutcome::Conflict(conflict))) => {
                assert_eq!((id % 3, conflict.statement()), (0, "probe.spend"))
            }
            (id, Err(failed)) => assert!(id % 3 == 1 && matches!(failed, StoreFailure::Other(_)), "{failed}"),
            (id, Ok(BatchOutcome::Committed(_))) => assert_eq!(id % 3, 2),
        }
    }
    let ids: Vec<_> = rows(&store).await.into_iter().map(|(id, _)| id).collect();
    let winners = (1..=96).filter(|id| id % 3 == 2);
    let expected: Vec<_> =
        std::iter::once(0).chain(winners.clone()).chain(winners.map(|id| 1000 + id)).collect();
    assert_eq!(ids, expected);
    assert!(store.statistics().largest_group > 1, "no group had two batches, so nothing was tested");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sqlite_write_queue_overflow_is_refused_at_once() {
    let database = Database::sqlite();
    open(&database).await.close().await;
    let options = StoreOptions { waiting_batches: 4, ..patient(StoreAccess::Serve) };
    let store = super::probe::connect(&database, &options).await.unwrap();
    // Another process writes, so ours have to wait.
    let other = rusqlite::Connection::open(database.file()).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let over = Arc::new(AtomicUsize::new(0));
    let acts: Vec<_> = (0..40_i64)
        .map(|id| {
            let (store, over) = (store.clone(), over.clone());
            tokio::spawn(async move {
                let outcome = store.commit(act([put(id, id)])).await;
                over.fetch_add(1, Ordering::SeqCst);
                outcome
            })
        })
        .collect();
    // Rejected batches need not wait for the writer.
    while over.load(Ordering::SeqCst) < 30 {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    other.execute_batch("ROLLBACK").unwrap();
    let (mut commit_count, mut turned_away) = (0, 0);
    for join_handle in acts {
        match join_handle.await.unwrap() {
            Ok(outcome) => commit_count += outcome.into_result().map_or(0, |_| 1),
            Err(failed) => {
                assert_eq!(failed, StoreFailure::Overloaded);
                turned_away += 1;
            }
        }
    }
    assert!(commit_count >= 4 && turned_away >= 30, "{commit_count} done and {turned_away} turned away");
    assert_eq!(rows(&store).await.len(), commit_count);
}
