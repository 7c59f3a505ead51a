//! The store behind a pooler that lends a connection to the server for one transaction.

use super::database::Database;
use super::lost_commits_postgres::event;
use super::pgbouncer::{PgBouncer, is_installed, role_settings};
use super::probe::{ASK, NOW, PROBE, act, commit, put, rows, spend};
use super::proxy::{Fate, Proxy};
use crate::events::security_log::find_event;
use crate::migrate::apply_migrations;
use crate::options::{ConnectionPooling, PreparedStatements};
use crate::{Store, StoreAccess, StoreFailure, StoreOptions, WriteBatch, migrate};
use sinete_core::time::Lifetime;
use std::sync::Arc;
use tokio::sync::Barrier;

fn pooled(answer_max: Lifetime) -> StoreOptions {
    StoreOptions {
        answer_max,
        pooling: ConnectionPooling::Transaction,
        prepared_statements: PreparedStatements::Unnamed,
        ..StoreOptions::new(StoreAccess::Serve)
    }
}

fn name(database: &Database) -> String {
    database.url().rsplit_once('/').unwrap().1.to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pgbouncer_with_transaction_pooling_preserves_every_guarantee_of_the_store() {
    const WRITERS: i64 = 64;
    const RACERS: usize = 16;
    if !is_installed() {
        return;
    }
    let database = Database::postgres().await;
    let (set, reset) = role_settings(&name(&database));
    database.run(&set).await;
    let pooler = PgBouncer::before(&database.url());
    let address = pooler.url(&database.url()).parse().unwrap();
    let patient = pooled(Lifetime::from_minutes(2));
    let store = Store::open(&address, &patient).await.unwrap();
    apply_migrations(&store, PROBE, NOW, &mut |_| {}).await.unwrap();
    let before = store.statistics();
    let writers: Vec<_> = (1..=WRITERS)
        .map(|id| {
            let store = store.clone();
            tokio::spawn(async move {
                commit(&store, [put(id, id), put(1_000 + id, id)]).await;
                let sql_rows =
                    store.read_all(&ASK, &[(id - 1).into(), id.into(), "none".into()]).await.unwrap();
                assert_eq!(sql_rows[0].optional_integer("number"), Ok(Some(id)));
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    assert_eq!(store.statistics().commits - before.commits, WRITERS.unsigned_abs());
    assert_eq!(rows(&store).await.len(), 128);
    // Two stores share the connections to the server.
    let other = Store::open(&address, &patient).await.unwrap();
    for id in 1..=20 {
        let barrier = Arc::new(Barrier::new(RACERS));
        let racers: Vec<_> = (0..RACERS)
            .map(|index| {
                let store = if index % 2 == 0 { store.clone() } else { other.clone() };
                let barrier = Arc::clone(&barrier);
                tokio::spawn(async move {
                    barrier.wait().await;
                    store.commit(act([spend(id)])).await.unwrap().is_committed()
                })
            })
            .collect();
        let mut winners = 0;
        for racer in racers {
            winners += usize::from(racer.await.unwrap());
        }
        assert_eq!(winners, 1, "of {id}");
    }
    // A guard that does not match undoes what was sent before it, on whichever connection.
    let conflict = store.commit(act([put(5_000, 1), spend(1), put(5_001, 1)])).await.unwrap();
    assert_eq!(conflict.into_result().unwrap_err().statement(), "probe.spend");
    assert_eq!(rows(&other).await.len(), 128);
    other.close().await;
    store.close().await;
    drop(pooler);
    database.run(&reset).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn transaction_pooling_without_the_settings_of_the_role_is_refused() {
    let database = Database::postgres().await;
    let (set, reset) = role_settings(&name(&database));
    let address = database.url().parse().unwrap();
    let options = pooled(Lifetime::from_seconds(2));
    let refused = Store::open(&address, &options).await.err().unwrap().to_string();
    assert!(refused.contains("SET plan_cache_mode = force_generic_plan"), "{refused}");
    assert!(refused.contains("SET lock_timeout = 1125"), "{refused}");
    database.run(&set).await;
    Store::open(&address, &options).await.unwrap().close().await;
    database.run(&reset).await;
}

/// Without a process to end, the event of a batch proves that it was committed, and its absence proves nothing.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn lost_commit_response_behind_a_pooler_is_committed_or_unknown() {
    let database = Database::postgres().await;
    let (set, reset) = role_settings(&name(&database));
    database.run(&set).await;
    let proxy = Proxy::before(&database.url()).await;
    let options = pooled(Lifetime::from_seconds(3));
    let store = Store::open(&proxy.url(&database.url()).parse().unwrap(), &options).await.unwrap();
    migrate::apply_pending_migrations(&store, NOW, &mut |_| {}).await.unwrap();
    let fates = [Fate::AnswerSwallowed, Fate::CutAfterwards, Fate::RequestSwallowed, Fate::CutBefore];
    for (seed, fate) in (1..).zip(fates) {
        let event = event(seed);
        proxy.meet(event.id.as_bytes(), fate);
        let answer = store.commit(WriteBatch::new().with_event(&event)).await;
        assert_eq!(proxy.unmet(), 0, "{fate:?}: the connection was never cut");
        let is_there = find_event(&store, event.id).await.unwrap().is_some();
        match answer {
            Ok(outcome) => {
                outcome.into_result().unwrap();
                assert!(is_there, "{fate:?}");
            }
            Err(failed) => {
                assert_eq!(failed, StoreFailure::OutcomeUnknown, "{fate:?}");
                assert!(!is_there, "{fate:?}");
            }
        }
    }
    store.close().await;
    database.run(&reset).await;
}
