//! Commits whose response is lost: the outcome is looked up, and "failed" means that nothing happened.

use super::database::{Database, connect as past_the_store};
use super::probe::NOW;
use super::proxy::{Fate, Proxy, Wire};
use crate::events::security_log::find_event;
use crate::options::PreparedStatements;
use crate::{Store, StoreAccess, StoreFailure, StoreOptions, WriteBatch, migrate};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::AccountId;
use sinete_core::time::Lifetime;
use std::time::Duration;

async fn behind_a_proxy(answer_max: Lifetime) -> (Database, Proxy, Store) {
    behind_a_proxy_with(answer_max, PreparedStatements::Named).await
}

async fn behind_a_proxy_with(
    answer_max: Lifetime,
    prepared_statements: PreparedStatements,
) -> (Database, Proxy, Store) {
    let database = Database::postgres().await;
    let proxy = Proxy::before(&database.url()).await;
    let options = StoreOptions { answer_max, prepared_statements, ..StoreOptions::new(StoreAccess::Serve) };
    let store = Store::open(&proxy.url(&database.url()).parse().unwrap(), &options).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    (database, proxy, store)
}

pub fn event(seed: u64) -> SecurityEvent {
    let entropy = DangerouslySeededEntropy::new(seed);
    SecurityEvent::new(
        EventKind::SessionEnded,
        SecurityEventActor::Account(AccountId::mint(NOW, &entropy)),
        NOW,
        &entropy,
    )
}

/// A batch of one statement, and one that is a transaction of several.
fn acts(seed: u64) -> [(SecurityEvent, WriteBatch); 2] {
    let (alone, first) = (event(seed), event(seed + 1));
    let lock = crate::platform::instance::lock_instance_row;
    let combined_batch = WriteBatch::new()
        .with_statement(lock())
        .with_statement(lock())
        .with_event(&first)
        .with_event(&event(seed + 2));
    [(alone.clone(), WriteBatch::new().with_event(&alone)), (first, combined_batch)]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_commit_response_is_resolved_and_failure_means_no_change() {
    let (_database, proxy, store) = behind_a_proxy(Lifetime::from_seconds(3)).await;
    let statement = crate::platform::instance::create_instance(
        sinete_core::id::InstanceId::from_bytes([7; 16]),
        NOW,
        &[1],
    );
    store.commit(WriteBatch::new().with_statement(statement)).await.unwrap().into_result().unwrap();
    let fates = [Fate::AnswerSwallowed, Fate::CutAfterwards, Fate::RequestSwallowed, Fate::CutBefore];
    for (index, fate) in fates.into_iter().enumerate() {
        for (event, batch) in acts(1_000 * (index as u64 + 1)) {
            proxy.meet(event.id.as_bytes(), fate);
            let answer = store.commit(batch).await;
            assert_eq!(proxy.unmet(), 0, "{fate:?}: the connection was never cut");
            let is_there = find_event(&store, event.id).await.unwrap().is_some();
            match answer {
                Ok(outcome) => {
                    outcome.into_result().unwrap();
                    assert!(is_there, "{fate:?}");
                }
                Err(failed) => {
                    assert_eq!(failed, StoreFailure::Unreachable, "{fate:?}");
                    assert!(!is_there, "{fate:?}: a failure changes nothing");
                    // Nor later: the session that might still have committed is gone.
                    tokio::time::sleep(Duration::from_millis(300)).await;
                    assert!(find_event(&store, event.id).await.unwrap().is_none(), "{fate:?}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_commit_response_of_gathered_batches_is_resolved_together() {
    lose_response_of_gathered_batches(PreparedStatements::Named).await;
}

/// Inserts that are not combined into one statement share a transaction.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_commit_response_of_a_shared_transaction_is_resolved_together() {
    lose_response_of_gathered_batches(PreparedStatements::Unnamed).await;
}

async fn lose_response_of_gathered_batches(statements: PreparedStatements) {
    let (_database, proxy, store) = behind_a_proxy_with(Lifetime::from_seconds(3), statements).await;
    for (round, fate) in [Fate::AnswerSwallowed, Fate::RequestSwallowed].into_iter().enumerate() {
        let events: Vec<_> = (0..40).map(|n| event(10_000 * (round as u64 + 1) + n)).collect();
        // The statement with the last event contains others too.
        proxy.meet(events[39].id.as_bytes(), fate);
        let commit_tasks: Vec<_> = events
            .iter()
            .map(|event| {
                let (store, batch) = (store.clone(), WriteBatch::new().with_event(event));
                tokio::spawn(async move { store.commit(batch).await })
            })
            .collect();
        for (event, join_handle) in events.iter().zip(commit_tasks) {
            let is_told = match join_handle.await.unwrap() {
                Ok(outcome) => outcome.into_result().map(|_| true).unwrap(),
                Err(failed) => {
                    assert_eq!(failed, StoreFailure::Unreachable);
                    false
                }
            };
            assert_eq!(find_event(&store, event.id).await.unwrap().is_some(), is_told, "{fate:?}");
        }
        assert_eq!(proxy.unmet(), 0, "{fate:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_commit_response_that_cannot_be_resolved_in_time_stays_unknown() {
    let (database, proxy, store) = behind_a_proxy(Lifetime::from_millis(1_000)).await;
    // The statement is prepared, so that the next message is the batch itself.
    store.commit(WriteBatch::new().with_event(&event(1))).await.unwrap().into_result().unwrap();
    let lost = event(2);
    let (other, blocked) = (past_the_store(&database.url()).await, store.clone());
    other.batch_execute("BEGIN; LOCK TABLE security_log IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let batch = WriteBatch::new().with_event(&lost);
    let join_handle = tokio::spawn(async move { blocked.commit(batch).await });
    // It waits for the lock when the connection becomes silent.
    tokio::time::sleep(Duration::from_millis(300)).await;
    proxy.make(Wire::Silent);
    assert_eq!(join_handle.await.unwrap().unwrap_err(), StoreFailure::OutcomeUnknown);
    assert!(!StoreFailure::OutcomeUnknown.is_temporary(), "callers must not retry");
    proxy.make(Wire::Whole);
    other.batch_execute("ROLLBACK").await.unwrap();
    store.commit(WriteBatch::new().with_event(&event(3))).await.unwrap().into_result().unwrap();
}

/// A process that ends while it waits for a synchronous standby leaves a commit that is visible here but
/// missing on the standby. No later commit is acknowledged either while the standby is away.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_commit_response_is_resolved_only_after_a_later_durable_write() {
    let (database, proxy, store) = behind_a_proxy(Lifetime::from_millis(1_000)).await;
    store.commit(WriteBatch::new().with_event(&event(1))).await.unwrap().into_result().unwrap();
    let other = past_the_store(&database.url()).await;
    other.batch_execute("BEGIN; SELECT 1 FROM write_check FOR UPDATE").await.unwrap();
    let lost = event(2);
    proxy.meet(lost.id.as_bytes(), Fate::AnswerSwallowed);
    let answer = store.commit(WriteBatch::new().with_event(&lost)).await;
    assert_eq!(answer.unwrap_err(), StoreFailure::OutcomeUnknown);
    assert_eq!(proxy.unmet(), 0, "the connection was never cut");
    assert!(
        find_event(&store, lost.id).await.unwrap().is_some(),
        "it is visible, and no caller received a success"
    );
    other.batch_execute("ROLLBACK").await.unwrap();
    // Once later writes are acknowledged, so is one whose response was lost.
    let security_event = event(3);
    proxy.meet(security_event.id.as_bytes(), Fate::AnswerSwallowed);
    store.commit(WriteBatch::new().with_event(&security_event)).await.unwrap().into_result().unwrap();
    assert_eq!(proxy.unmet(), 0, "the connection was never cut");
}
