//! Failures of the connection to PostgreSQL: each gets its own error in time, and recovery needs no restart.

use super::database::{Database, connect as past_the_store};
use super::probe::{ALL, COUNT_UP, GET, act, commit, connect, impatient, open, patient, put, rows, spend};
use super::proxy::{Proxy, Wire};
use crate::write_batch::GuardedStatement;
use crate::{Store, StoreAccess, StoreFailure, StoreOptions};
use std::time::Duration;
use tokio::time::timeout;

/// The maximum time of any result: the store's own timeout of two seconds, and a margin for busy machines.
const IN_TIME: Duration = Duration::from_secs(60);

async fn store_at(url: &str, options: &StoreOptions) -> Result<Store, StoreFailure> {
    Store::open(&url.parse().unwrap(), options).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_that_is_absent_is_unreachable_within_two_seconds() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let refused = {
        let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        gone.local_addr().unwrap().port()
    };
    for port in [refused, silent.local_addr().unwrap().port()] {
        let url = format!("postgres://nobody@127.0.0.1:{port}/nothing");
        let (a_second_more, options) = (Duration::from_secs(3), StoreOptions::new(StoreAccess::Serve));
        let opened = timeout(a_second_more, store_at(&url, &options)).await;
        assert_eq!(opened.expect("too slow").unwrap_err(), StoreFailure::Unreachable);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_that_stops_responding_is_unreachable_and_recovers() {
    let database = Database::postgres().await;
    open(&database).await.close().await;
    let proxy = Proxy::before(&database.url()).await;
    let store = store_at(&proxy.url(&database.url()), &StoreOptions::new(StoreAccess::Serve)).await.unwrap();
    commit(&store, [put(1, 1)]).await;
    proxy.make(Wire::Silent);
    let read = timeout(IN_TIME, store.read_first(&GET, &[1.into()])).await.expect("too slow");
    assert_eq!(read.unwrap_err(), StoreFailure::Unreachable);
    let result = timeout(IN_TIME, store.commit(act([put(2, 2), put(3, 3)]))).await.expect("too slow");
    assert_eq!(result.unwrap_err(), StoreFailure::Unreachable);
    let checked = timeout(IN_TIME, store.check_connection()).await.expect("too slow");
    assert_eq!(checked, Err(StoreFailure::Unreachable));
    proxy.make(Wire::Whole);
    commit(&store, [put(4, 4), put(5, 5)]).await;
    assert_eq!(rows(&store).await.iter().map(|row| row.0).collect::<Vec<_>>(), [1, 4, 5]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_connection_lost_during_commit_has_an_unknown_outcome_and_is_not_retried() {
    let database = Database::postgres().await;
    open(&database).await.close().await;
    let proxy = Proxy::before(&database.url()).await;
    let store = store_at(&proxy.url(&database.url()), &StoreOptions::new(StoreAccess::Serve)).await.unwrap();
    commit(&store, [put(1, 0), put(2, 0)]).await;
    proxy.make(Wire::CutAfterCommit);
    let add = || GuardedStatement::exactly_one(&COUNT_UP, [1.into()]);
    let outcome = store.commit(act([add(), add()])).await;
    // It records no event by which the outcome could be determined.
    assert_eq!(outcome.unwrap_err(), StoreFailure::OutcomeUnknown);
    // The server had committed once, and there was no second attempt.
    assert_eq!(rows(&store).await, [(1, Some(2)), (2, Some(0))]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_connections_ended_by_the_server_are_replaced() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    let master = past_the_store(&database.url()).await;
    for round in 0..10 {
        // Several connections, so that more than one is stale afterwards.
        let busy: Vec<_> = (0..8)
            .map(|n| {
                let store = store.clone();
                tokio::spawn(async move {
                    commit(&store, [put(round * 100 + n, n), put(round * 100 + 50 + n, n)]).await
                })
            })
            .collect();
        for task in busy {
            task.await.unwrap();
        }
        master
            .execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()", &[])
            .await
            .unwrap();
        match round % 3 {
            0 => store.check_connection().await.unwrap(),
            1 => assert_eq!(store.load_info().await.unwrap().schema_version, Some(1)),
            _ => assert_eq!(store.read_all(&ALL, &[]).await.unwrap().len() as i64, (round + 1) * 16),
        }
        commit(&store, [spend(round * 100), spend(round * 100 + 1)]).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_deadlock_is_retried_until_both_transactions_commit() {
    let database = Database::postgres().await;
    open(&database).await.close().await;
    let url = format!("{}?options=-c%20deadlock_timeout%3D3s", database.url());
    let store = store_at(&url, &patient(StoreAccess::Serve)).await.unwrap();
    commit(&store, [put(1, 1), put(2, 2)]).await;
    let other = past_the_store(&database.url()).await;
    other
        .batch_execute("SET deadlock_timeout = '10min'; BEGIN; UPDATE probe SET number = 9 WHERE id = 2")
        .await
        .unwrap();
    let ours = {
        let store = store.clone();
        tokio::spawn(async move { store.commit(act([spend(1), spend(2)])).await })
    };
    // Once ours holds the first row and waits for the second, the other requests the first.
    let watch = past_the_store(&database.url()).await;
    let lock_wait_query =
        "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'";
    while watch.query_opt(lock_wait_query, &[]).await.unwrap().is_none() {
        tokio::task::yield_now().await;
    }
    let theirs = tokio::spawn(async move {
        other.batch_execute("UPDATE probe SET number = 9 WHERE id = 1; COMMIT").await.unwrap();
    });
    // The server aborted ours. Its guards still hold, so it is not a conflict but retried.
    ours.await.unwrap().unwrap().into_result().unwrap();
    theirs.await.unwrap();
    assert_eq!(rows(&store).await, [(1, Some(9)), (2, Some(9))]);
    let row = store.read_first(&GET, &[1.into()]).await.unwrap().unwrap();
    assert_eq!(row.optional_text("words"), Ok(Some("spent")), "ours came after theirs");
    let outcome = store.commit(act([spend(1), spend(2)])).await.unwrap();
    assert_eq!(
        outcome.into_result().unwrap_err().statement(),
        "probe.spend",
        "a guard that does not match is still a conflict"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_lock_wait_too_long_fails_and_changes_nothing() {
    let database = Database::postgres().await;
    open(&database).await.close().await;
    let store = connect(&database, &impatient(StoreAccess::Serve)).await.unwrap();
    commit(&store, [put(1, 1)]).await;
    let other = past_the_store(&database.url()).await;
    other.batch_execute("BEGIN; UPDATE probe SET number = 9 WHERE id = 1").await.unwrap();
    let failed = store.commit(act([put(2, 2), spend(1)])).await.unwrap_err();
    assert!(failed.is_temporary(), "{failed}");
    other.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(rows(&store).await, [(1, Some(1))]);
    commit(&store, [put(2, 2), spend(1)]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_pool_exhaustion_refuses_callers_in_time() {
    let database = Database::postgres().await;
    open(&database).await.close().await;
    let options = StoreOptions { connections: 2, ..impatient(StoreAccess::Serve) };
    let store = connect(&database, &options).await.unwrap();
    let other = past_the_store(&database.url()).await;
    other.batch_execute("BEGIN; LOCK TABLE probe IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let reads: Vec<_> = (0..10)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move { timeout(IN_TIME, store.read_all(&ALL, &[])).await.expect("too slow") })
        })
        .collect();
    for read in reads {
        assert!(read.await.unwrap().unwrap_err().is_temporary());
    }
    other.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(rows(&store).await, []);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_prepared_statement_survives_a_table_change() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    for kind in ["INTEGER", "BIGINT"] {
        assert_eq!(rows(&store).await, [(1, Some(1))]);
        // PostgreSQL refuses the old plan with "cached plan must not change result type".
        database.run(&format!("ALTER TABLE probe ALTER COLUMN number TYPE {kind}")).await;
        assert_eq!(rows(&store).await, [(1, Some(1))]);
    }
    database.run("ALTER TABLE probe ALTER COLUMN number TYPE INTEGER").await;
    commit(&store, [put(2, 2), GuardedStatement::any_number(&COUNT_UP, [2.into()])]).await;
    assert_eq!(rows(&store).await, [(1, Some(2)), (2, Some(3))]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_with_unsupported_settings_is_refused_with_the_reason() {
    let latin =
        Database::postgres_with("ENCODING 'SQL_ASCII' TEMPLATE template0 LC_COLLATE 'C' LC_CTYPE 'C'").await;
    let failed = connect(&latin, &StoreOptions::new(StoreAccess::Serve)).await.unwrap_err();
    assert!(matches!(&failed, StoreFailure::Other(why) if why.contains("SQL_ASCII")), "{failed}");
    let absent = format!("{}_absent", latin.url());
    let failed = store_at(&absent, &StoreOptions::new(StoreAccess::Serve)).await.unwrap_err();
    assert!(matches!(&failed, StoreFailure::Other(why) if why.contains("does not exist")), "{failed}");
    assert!(!failed.is_temporary());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_read_only_database_is_reported_and_readable() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    // Read-only sessions behave like a standby.
    let url = format!("{}?options=-c%20default_transaction_read_only%3Don", database.url());
    let standby = store_at(&url, &StoreOptions::new(StoreAccess::Serve)).await.unwrap();
    assert_eq!(rows(&standby).await, [(1, Some(1))]);
    assert_eq!(standby.commit(act([put(2, 2), put(3, 3)])).await.unwrap_err(), StoreFailure::ReadOnly);
    let reader = connect(&database, &StoreOptions::new(StoreAccess::ReadOnly)).await.unwrap();
    assert_eq!(reader.commit(act([put(2, 2)])).await.unwrap_err(), StoreFailure::ReadOnly);
    assert_eq!(rows(&store).await, [(1, Some(1))]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn postgres_table_lock_fails_gathered_batches_together() {
    /// So many that waiting for the lock one after the other would take more than two minutes.
    const ACTS: i64 = 128;
    let database = Database::postgres().await;
    open(&database).await.close().await;
    let store = store_at(&database.url(), &impatient(StoreAccess::Serve)).await.unwrap();
    let other = past_the_store(&database.url()).await;
    other.batch_execute("BEGIN; LOCK TABLE probe IN ACCESS EXCLUSIVE MODE").await.unwrap();
    let commit_tasks: Vec<_> = (0..ACTS)
        .map(|id| {
            let store = store.clone();
            tokio::spawn(async move { store.commit(act([put(id, id)])).await })
        })
        .collect();
    let all = async {
        for one in commit_tasks {
            let failed = one.await.unwrap().unwrap_err();
            assert!(failed.is_temporary(), "{failed}");
        }
    };
    timeout(IN_TIME, all).await.expect("they waited one after the other");
    other.batch_execute("ROLLBACK").await.unwrap();
    assert_eq!(rows(&store).await, [], "nothing of it happened");
    commit(&store, [put(1, 1)]).await;
}
