//! Properties of the database.

use super::both_engines;
use super::database::{Database, connect};
use super::probe::{commit, open, put};
use crate::{CommitDurability, DatabaseEngine, StoreAccess, StoreOptions};
use sinete_core::time::{Lifetime, Timestamp};

both_engines!(database_info_matches_the_running_engine, database_health_check_succeeds);

async fn database_info_matches_the_running_engine(database: Database) {
    let database = match database {
        Database::Sqlite(_) => database,
        Database::Postgres { .. } => Database::durable_postgres().await,
    };
    let store = open(&database).await;
    commit(&store, [put(1, 1)]).await;
    let facts = store.load_info().await.unwrap();
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

async fn database_health_check_succeeds(database: Database) {
    open(&database).await.check_connection().await.unwrap();
}

#[tokio::test]
async fn sqlite_has_no_clock_of_its_own() {
    let database = Database::sqlite();
    let store = open(&database).await;
    assert_eq!(store.measure_clock_offset(Timestamp::EPOCH).await.unwrap().micros(), 0);
}

#[tokio::test]
async fn postgres_clock_offset_is_measured() {
    let database = Database::postgres().await;
    let store = open(&database).await;
    let row = connect(&database.url())
        .await
        .query_one("SELECT (extract(epoch FROM now()) * 1000000)::bigint", &[])
        .await
        .unwrap();
    let now = Timestamp::from_micros(row.get(0));
    let tolerable = Lifetime::from_minutes(2);
    assert!(!store.measure_clock_offset(now).await.unwrap().exceeds(tolerable));
    let hour = Lifetime::from_hours(1);
    assert!(store.measure_clock_offset(now.minus(hour)).await.unwrap().micros() > 3_500_000_000);
    assert!(store.measure_clock_offset(now.plus(hour)).await.unwrap().micros() < -3_400_000_000);
}

#[tokio::test]
async fn postgres_with_asynchronous_commit_is_reported() {
    let database = Database::durable_postgres().await;
    let url = format!("{}?options=-c%20synchronous_commit%3Doff", database.url());
    let store =
        crate::Store::open(&url.parse().unwrap(), &StoreOptions::new(StoreAccess::Serve)).await.unwrap();
    let facts = store.load_info().await.unwrap();
    assert_eq!(facts.durability, CommitDurability::AtRisk("synchronous_commit = off".into()));
    let facts = open(&database).await.load_info().await.unwrap();
    assert_eq!(facts.durability, CommitDurability::Durable);
}
