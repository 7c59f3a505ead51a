//! A batch is applied completely or not at all, regardless of concurrency.

use super::both_engines;
use super::database::Database;
use super::probe::{COUNT_UP, GET, PUT_UNDER, act, commit, open, put, rows, spend};
use crate::write_batch::GuardedStatement;
use crate::{BatchOutcome, StoreFailure, WriteBatch};
use std::sync::Arc;
use tokio::sync::Barrier;

both_engines!(
    write_batch_is_applied_as_a_whole,
    write_batch_with_a_failed_guard_is_rolled_back_and_names_it,
    write_batch_statement_that_matches_too_many_rows_changes_none,
    write_batch_with_a_duplicate_key_or_missing_parent_is_a_conflict,
    write_batch_that_breaks_a_constraint_is_a_failure_not_a_conflict,
    write_batch_that_is_empty_commits_nothing,
    write_batches_racing_for_one_row_have_exactly_one_winner,
    write_batch_abandoned_by_its_caller_is_still_atomic,
    write_batches_that_race_are_never_half_applied,
    write_batches_of_inserts_are_gathered_without_sharing_failures
);

async fn write_batches_of_inserts_are_gathered_without_sharing_failures(database: Database) {
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    let before = store.statistics();
    let commit_tasks: Vec<_> = (1..=100_i64)
        .map(|id| {
            let store = store.clone();
            // The first violates a unique key, the seventh a constraint.
            let number = if id == 7 { 666_666 } else { id };
            tokio::spawn(async move { store.commit(act([put(id, number), put(1_000 + id, id)])).await })
        })
        .collect();
    let mut refused = Vec::new();
    for (id, join_handle) in (1..).zip(commit_tasks) {
        match join_handle.await.unwrap() {
            Ok(BatchOutcome::Committed(_)) => {}
            Ok(BatchOutcome::Conflict(conflict)) => refused.push((id, conflict.statement().to_owned())),
            Err(StoreFailure::Other(reason)) => {
                refused.push((id, reason.split(':').next().unwrap_or_default().to_owned()))
            }
            Err(other) => panic!("{other}"),
        }
    }
    assert_eq!(refused, [(1, "probe.put".to_owned()), (7, "probe.put".to_owned())]);
    assert_eq!(rows(&store).await.len(), 1 + 98 * 2);
    let after = store.statistics();
    assert_eq!(after.commits - before.commits, 98);
    // Each completely, and the same batches again without the two that were refused.
    let later_commits = (2_000..2_100_i64).map(|id| {
        let store = store.clone();
        tokio::spawn(async move { store.commit(act([put(id, id)])).await })
    });
    for one in later_commits.collect::<Vec<_>>() {
        one.await.unwrap().unwrap().into_result().unwrap();
    }
    assert!(store.statistics().groups - after.groups < 100, "no batches were grouped");
    assert_eq!(rows(&store).await.len(), 1 + 98 * 2 + 100);
}

async fn write_batch_is_applied_as_a_whole(database: Database) {
    let store = open(&database).await;
    commit(&store, [put(1, 10), put(2, 20), GuardedStatement::any_number(&COUNT_UP, [2.into()])]).await;
    assert_eq!(rows(&store).await, [(1, Some(11)), (2, Some(21))]);
    commit(&store, [GuardedStatement::any_number(&COUNT_UP, [0.into()])]).await;
    commit(&store, [GuardedStatement::exactly_one(&COUNT_UP, [1.into()])]).await;
    assert_eq!(rows(&store).await, [(1, Some(12)), (2, Some(21))]);
    assert_eq!(store.statistics().commits, 3);
}

async fn write_batch_with_a_failed_guard_is_rolled_back_and_names_it(database: Database) {
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    commit(&store, [spend(1)]).await;
    let conflict =
        store.commit(act([put(2, 2), spend(1), put(3, 3)])).await.unwrap().into_result().unwrap_err();
    assert_eq!(conflict.statement(), "probe.spend");
    assert_eq!(rows(&store).await, [(1, Some(1))]);
    // The same without concurrency.
    assert_eq!(
        store.commit(act([spend(1)])).await.unwrap().into_result().unwrap_err().statement(),
        "probe.spend"
    );
    // The store continues to work.
    commit(&store, [put(2, 2)]).await;
    assert_eq!(rows(&store).await.len(), 2);
}

async fn write_batch_statement_that_matches_too_many_rows_changes_none(database: Database) {
    let store = open(&database).await;
    commit(&store, [put(1, 1), put(2, 2)]).await;
    let conflict = store
        .commit(act([GuardedStatement::exactly_one(&COUNT_UP, [2.into()])]))
        .await
        .unwrap()
        .into_result()
        .unwrap_err();
    assert_eq!(conflict.statement(), "probe.count_up");
    assert_eq!(rows(&store).await, [(1, Some(1)), (2, Some(2))]);
}

async fn write_batch_with_a_duplicate_key_or_missing_parent_is_a_conflict(database: Database) {
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    for first in [None, Some(put(2, 2))] {
        let steps = first.into_iter().chain([put(1, 9)]);
        assert_eq!(
            store.commit(act(steps)).await.unwrap().into_result().unwrap_err().statement(),
            "probe.put"
        );
    }
    let orphan = GuardedStatement::exactly_one(&PUT_UNDER, [3.into(), 99.into()]);
    assert_eq!(
        store.commit(act([orphan])).await.unwrap().into_result().unwrap_err().statement(),
        "probe.put_under"
    );
    assert_eq!(rows(&store).await, [(1, Some(1))]);
}

async fn write_batch_that_breaks_a_constraint_is_a_failure_not_a_conflict(database: Database) {
    let store = open(&database).await;
    let failed = store.commit(act([put(1, 1), put(2, 666666)])).await.unwrap_err();
    assert!(matches!(&failed, StoreFailure::Other(why) if why.starts_with("probe.put: ")), "{failed}");
    assert_eq!(rows(&store).await, []);
    commit(&store, [put(1, 1)]).await;
}

async fn write_batch_that_is_empty_commits_nothing(database: Database) {
    let store = open(&database).await;
    store.commit(WriteBatch::new()).await.unwrap().into_result().unwrap();
    assert_eq!(store.statistics().commits, 0);
}

async fn write_batches_racing_for_one_row_have_exactly_one_winner(database: Database) {
    const ROUNDS: i64 = 200;
    const RACERS: usize = 16;
    let store = open(&database).await;
    commit(&store, (1..=ROUNDS).map(|id| put(id, id))).await;
    for round in 1..=ROUNDS {
        let barrier = Arc::new(Barrier::new(RACERS));
        let racers: Vec<_> = (0..RACERS)
            .map(|_| {
                let (store, barrier) = (store.clone(), barrier.clone());
                tokio::spawn(async move {
                    barrier.wait().await;
                    store.commit(act([spend(round)])).await.unwrap().is_committed()
                })
            })
            .collect();
        let mut winners = 0;
        for racer in racers {
            winners += u32::from(racer.await.unwrap());
        }
        assert_eq!(winners, 1, "round {round}");
        let row = store.read_first(&GET, &[round.into()]).await.unwrap().unwrap();
        assert_eq!(row.text("words"), Ok("spent"));
    }
}

async fn write_batch_abandoned_by_its_caller_is_still_atomic(database: Database) {
    let store = open(&database).await;
    for pair in 0..50 {
        let ids = [pair * 2 + 1, pair * 2 + 2];
        let mut commit = std::pin::pin!(store.commit(act(ids.map(|id| put(id, id)))));
        // Polled once and then dropped, as when a client disconnects.
        let waker = std::task::Waker::noop();
        let _ = commit.as_mut().poll(&mut std::task::Context::from_waker(waker));
    }
    // A batch that was submitted is completed before later ones, or soon after.
    for _ in 0..6_000 {
        if rows(&store).await.len() == 100 {
            return;
        }
        assert_eq!(rows(&store).await.len() % 2, 0, "a partial write batch is visible");
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    panic!("only {} of 100 rows arrived", rows(&store).await.len());
}

async fn write_batches_that_race_are_never_half_applied(database: Database) {
    let store = open(&database).await;
    // Each batch changes its own row and one that its neighbor changes too.
    let acts = (0..40_i64).map(|id| act([put(1000 + id, 0), put(id / 2, id)]));
    let running: Vec<_> = acts
        .map(|batch| {
            let store = store.clone();
            tokio::spawn(async move { store.commit(batch).await.unwrap().is_committed() })
        })
        .collect();
    let mut won = Vec::new();
    for (id, running) in (0_i64..).zip(running) {
        if running.await.unwrap() {
            won.push(id);
        }
    }
    assert_eq!(won.iter().map(|id| id / 2).collect::<Vec<_>>(), (0..20).collect::<Vec<_>>());
    let expected: Vec<_> =
        won.iter().map(|id| (id / 2, Some(*id))).chain(won.iter().map(|id| (1000 + id, Some(0)))).collect();
    assert_eq!(rows(&store).await, expected);
}
