//! Sixteen racers in one process, on each engine.

use crate::database::Database;
use crate::racers::{Field, furnish, open, set_up, world};
use crate::{NOW, RACERS, ROUNDS};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_store::single_use::SINGLE_USE;
use sinete_store::{BatchOutcome, WriteBatch, accounts};
use std::sync::Arc;
use tokio::sync::Barrier;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_use_raced_by_sixteen_has_exactly_one_winner_on_sqlite() {
    race_everything(Database::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_use_raced_by_sixteen_has_exactly_one_winner_on_postgres() {
    race_everything(Database::postgres().await).await;
}

async fn race_everything(database: Database) {
    let store = open(&database.url(), RACERS).await;
    furnish(&store).await;
    for entry in SINGLE_USE {
        set_up(&store, entry, ROUNDS).await;
        let mut field = Field::line_up(&store, entry, ROUNDS, RACERS, 0);
        for round in 0..ROUNDS {
            assert_eq!(field.run().await, 1, "{} in round {round}", entry.statement_name);
        }
    }
}

/// Two ways to use the same item: a code with or without refresh tokens, a request approved or denied.
const RIVALS: [[&str; 2]; 3] = [
    ["codes.spend", "codes.spend_and_begin"],
    ["device_requests.approve", "device_requests.deny"],
    ["approval_requests.approve", "approval_requests.deny"],
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_use_raced_in_two_ways_has_exactly_one_winner_on_sqlite() {
    race_rivals(Database::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn single_use_raced_in_two_ways_has_exactly_one_winner_on_postgres() {
    race_rivals(Database::postgres().await).await;
}

async fn race_rivals(database: Database) {
    let store = open(&database.url(), RACERS).await;
    furnish(&store).await;
    for (pair, verbs) in RIVALS.iter().enumerate() {
        let mut wins = [0; 2];
        for round in 0..ROUNDS {
            let seed = (pair as u64 + 1) << 40 | round;
            // Items are deterministic, so both ways are prepared for the same item.
            let spendable_items = verbs.map(|statement_name| {
                let entry = SINGLE_USE.iter().find(|entry| entry.statement_name == statement_name).unwrap();
                (entry.prepare)(&world(), &DangerouslySeededEntropy::new(seed)).unwrap()
            });
            assert_eq!(format!("{:?}", spendable_items[0].setup), format!("{:?}", spendable_items[1].setup));
            let line = Arc::new(Barrier::new(RACERS));
            let racers: Vec<_> = (0..RACERS)
                .map(|racer| {
                    // The first racer uses the other way in the next round.
                    let rival_index = (racer + round as usize) % 2;
                    let (store, line, statement_name) = (store.clone(), line.clone(), verbs[rival_index]);
                    let seeded_entropy = DangerouslySeededEntropy::new((racer as u64 + 1) << 56 | seed);
                    let batch = (spendable_items[rival_index].build_use)(&seeded_entropy);
                    async move {
                        line.wait().await;
                        match store.commit(batch).await.unwrap() {
                            BatchOutcome::Committed(_) => true,
                            BatchOutcome::Conflict(conflict) => {
                                assert_eq!(conflict.statement(), statement_name);
                                false
                            }
                        }
                    }
                })
                .collect();
            let [set_up, _] = spendable_items;
            store
                .commit(WriteBatch::new().with_statements(set_up.setup))
                .await
                .unwrap()
                .into_result()
                .unwrap();
            let racers: Vec<_> = racers.into_iter().map(tokio::spawn).collect();
            let mut winners = 0;
            for (racer, outcome) in racers.into_iter().enumerate() {
                let won = usize::from(outcome.await.unwrap());
                winners += won;
                wins[(racer + round as usize) % 2] += won;
            }
            assert_eq!(winners, 1, "{verbs:?} in round {round}");
        }
        assert!(wins[0] > 0 && wins[1] > 0, "{verbs:?} were not raced against each other: {wins:?}");
    }
}

/// Shows that the counting works: an unguarded statement succeeds for all.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn write_without_a_guard_raced_by_sixteen_succeeds_for_all() {
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
                    store
                        .commit(WriteBatch::new().with_statement(accounts::advance_account_epoch(account)))
                        .await
                        .unwrap()
                        .is_committed()
                })
            })
            .collect();
        for racer in racers {
            assert!(racer.await.unwrap());
        }
        let after = accounts::find_account(&store, account).await.unwrap().unwrap();
        assert_eq!((after.epoch, after.created_at), (16, NOW));
    }
}
