//! What the database says about itself.

use super::both_engines;
use super::database::{Database, connect};
use super::probe::{commit, open, put};
use crate::{CommitDurability, DatabaseEngine, StoreAccess, StoreOptions};
use sinete_core::time::{Lifetime, Timestamp};

both_engines!(the_facts_are_those_of_the_engine_that_runs, a_database_that_answers_is_alive);

async fn the_facts_are_those_of_the_engine_that_runs(database: Database) {
    let database = match database {
        Database::Sqlite(_) => database,
        Database::Postgres { .. } => Database::durable_postgres().await,
    };
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    let facts = store.facts().await.unwrap();
    let expected = match database {
        Database::Sqlite(_) => (DatabaseEngine::Sqlite, Some("wal".to_owned())),
        Database::Postgres { .. } => (DatabaseEngine::Postgres, None),
    };
    assert_eq!((facts.engine, facts.journal_mode), expected);
    assert_eq!(facts.durability, CommitDurability::Durable);
    assert_eq!(facts.schema_version, Some(1));
    assert!(facts.size_bytes > 4096, "{} bytes", facts.size_bytes);
    assert!(facts.version.starts_with(|first: char| first.is_ascii_digit()), "{}", facts.version);
}

async fn a_database_that_answers_is_alive(database: Database) {
    open(&database).await.check().await.unwrap();
}

#[tokio::test]
async fn sqlite_has_no_clock_of_its_own() {
    let store = open(&Database::sqlite()).await;
    assert_eq!(store.now_offset(Timestamp::EPOCH).await.unwrap().micros(), 0);
}

#[tokio::test]
async fn the_clock_of_postgres_is_compared_with_ours() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    let row = connect(&database.url())
        .await
        .query_one("SELECT (extract(epoch FROM now()) * 1000000)::bigint", &[])
        .await
        .unwrap();
    let now = Timestamp::from_micros(row.get(0));
    let tolerable = Lifetime::from_minutes(2);
    assert!(!store.now_offset(now).await.unwrap().exceeds(tolerable));
    let hour = Lifetime::from_hours(1);
    assert!(store.now_offset(now.minus(hour)).await.unwrap().micros() > 3_500_000_000);
    assert!(store.now_offset(now.plus(hour)).await.unwrap().micros() < -3_400_000_000);
}

#[tokio::test]
async fn a_postgres_that_acknowledges_too_early_is_reported() {
    let database = Database::durable_postgres().await;
    let url = format!("{}?options=-c%20synchronous_commit%3Doff", database.url());
    let store =
        crate::Store::open(&url.parse().unwrap(), &StoreOptions::new(StoreAccess::Serve)).await.unwrap();
    let facts = store.facts().await.unwrap();
    assert_eq!(facts.durability, CommitDurability::AtRisk("synchronous_commit = off".into()));
    let facts = open(&database).await.facts().await.unwrap();
    assert_eq!(facts.durability, CommitDurability::Durable);
}
