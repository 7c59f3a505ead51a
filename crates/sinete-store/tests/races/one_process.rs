//! Sixteen racers in one process, on each engine.

use crate::database::Database;
use crate::field::{Field, furnish, open, set_up, world};
use crate::{NOW, RACERS, ROUNDS};
use sinete_store::single_use::SINGLE_USE;
use sinete_store::{Act, accounts};
use std::sync::Arc;
use tokio::sync::Barrier;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_sixteen_who_race_for_one_thing_exactly_one_wins_on_sqlite() {
    race_everything(Database::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_sixteen_who_race_for_one_thing_exactly_one_wins_on_postgres() {
    race_everything(Database::postgres().await).await;
}

async fn race_everything(database: Database) {
    let store = open(&database.url(), RACERS).await;
    furnish(&store).await;
    for entry in SINGLE_USE {
        set_up(&store, entry, ROUNDS).await;
        let mut field = Field::line_up(&store, entry, ROUNDS, RACERS, 0);
        for round in 0..ROUNDS {
            assert_eq!(field.run().await, 1, "{} in round {round}", entry.verb);
        }
    }
}

/// Shows that the way we count would notice: what is not guarded lets everybody through.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn where_nothing_is_spent_all_sixteen_win() {
    for database in [Database::sqlite(), Database::postgres().await] {
        let store = open(&database.url(), RACERS).await;
        furnish(&store).await;
        let line = Arc::new(Barrier::new(RACERS));
        let account = world().account;
        let racers: Vec<_> = (0..RACERS)
            .map(|_| {
                let (store, line) = (store.clone(), line.clone());
                tokio::spawn(async move {
                    line.wait().await;
                    store.commit(Act::new().with(accounts::end_everything(account))).await.unwrap().is_ok()
                })
            })
            .collect();
        for racer in racers {
            assert!(racer.await.unwrap());
        }
        let after = accounts::find(&store, account).await.unwrap().unwrap();
        assert_eq!((after.epoch, after.created_at), (16, NOW));
    }
}
