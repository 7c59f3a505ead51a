//! No acknowledged write is missing after the process was killed.

use crate::database::Database;
use crate::journal::Writer;
use sinete_core::id::EventId;
use sinete_core::time::Lifetime;
use sinete_store::events::security_log;
use sinete_store::{Store, StoreAccess, StoreOptions};

const TASKS: u32 = 16;
const ACKNOWLEDGEMENTS: usize = 200;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_commits_survive_a_hundred_kills_on_sqlite() {
    let database = Database::sqlite();
    kill_and_look(&database, 100).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_commits_survive_twenty_kills_on_postgres() {
    let database = Database::durable_postgres().await;
    kill_and_look(&database, 20).await;
}

async fn kill_and_look(database: &Database, rounds: u32) {
    let mut all = Vec::new();
    for round in 0..rounds {
        let acknowledged = Writer::start(&database.url(), TASKS, round)
            .kill_after(ACKNOWLEDGEMENTS + (round as usize * 37) % 101);
        assert!(acknowledged.len() >= ACKNOWLEDGEMENTS);
        let store = open(database).await;
        for id in &acknowledged {
            assert!(is_there(&store, id).await, "round {round}: {id} was acknowledged and is gone");
        }
        store.close().await;
        all.extend(acknowledged);
    }
    // A later round must not lose writes of an earlier one.
    let store = open(database).await;
    for id in &all {
        assert!(is_there(&store, id).await, "{id} was acknowledged and is gone");
    }
    store.close().await;
    println!("{} acknowledged in {rounds} rounds, none missing", all.len());
}

/// Opened for serving, which also shows that a killed server leaves no lock behind.
async fn open(database: &Database) -> Store {
    let patient =
        StoreOptions { answer_max: Lifetime::from_minutes(2), ..StoreOptions::new(StoreAccess::Serve) };
    Store::open(&database.url().parse().unwrap(), &patient).await.unwrap()
}

async fn is_there(store: &Store, id: &str) -> bool {
    let id: EventId = id.parse().unwrap();
    security_log::find_event(store, id).await.unwrap().is_some()
}
