//! The racers: all start at the same time and report their results.

use crate::NOW;
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_store::single_use::{SINGLE_USE, SingleUseContract, SingleUseFixture, SpendableItem};
use sinete_store::{BatchOutcome, Store, StoreAccess, StoreOptions, WriteBatch};
use std::sync::Arc;
use tokio::sync::{Barrier, mpsc};

/// The seed of all data in a test.
pub const WORLD_SEED: u64 = 1;

/// Opens the database with a connection for each racer.
pub async fn open(url: &str, racers: usize) -> Store {
    let mut options = StoreOptions::new(StoreAccess::Serve);
    options.connections = racers;
    options.answer_max = sinete_core::time::Lifetime::from_seconds(30);
    Store::open(&url.parse().unwrap(), &options).await.unwrap()
}

/// Creates the schema and the data in an empty database.
pub async fn furnish(store: &Store) {
    sinete_store::migrate::apply_pending_migrations(store, NOW, &mut |_| {}).await.unwrap();
    let steps = world().setup_statements().unwrap();
    store.commit(WriteBatch::new().with_statements(steps)).await.unwrap().into_result().unwrap();
}

/// The data, the same in every process.
pub fn world() -> SingleUseFixture {
    SingleUseFixture::new(NOW, &DangerouslySeededEntropy::new(WORLD_SEED)).unwrap()
}

/// The item of one round of a statement, the same in every process.
pub fn prepare(entry: &SingleUseContract, round: u64) -> SpendableItem {
    (entry.prepare)(&world(), &entropy_of(entry, round)).unwrap()
}

/// A separate source of randomness for each number of each statement.
fn entropy_of(entry: &SingleUseContract, number: u64) -> DangerouslySeededEntropy {
    let index = SINGLE_USE.iter().position(|it| std::ptr::eq(it, entry)).unwrap() as u64;
    DangerouslySeededEntropy::new((index + 1) << 32 | number)
}

/// Stores the items of many rounds.
pub async fn set_up(store: &Store, entry: &SingleUseContract, rounds: u64) {
    let mut steps: Vec<_> = (0..rounds).flat_map(|round| prepare(entry, round).setup).collect();
    while !steps.is_empty() {
        let rest = steps.split_off(steps.len().min(200));
        store.commit(WriteBatch::new().with_statements(steps)).await.unwrap().into_result().unwrap();
        steps = rest;
    }
}

/// Racers of the same rounds, each in its own task.
pub struct Field {
    line: Arc<Barrier>,
    results: mpsc::UnboundedReceiver<Result<bool, String>>,
    racers: usize,
}

impl Field {
    /// Starts the racers. `first` distinguishes them from racers of another process, so that each draws its
    /// own secrets.
    pub fn line_up(
        store: &Store,
        entry: &'static SingleUseContract,
        rounds: u64,
        racers: usize,
        first: usize,
    ) -> Self {
        let line = Arc::new(Barrier::new(racers + 1));
        let (report, results) = mpsc::unbounded_channel();
        let items: Vec<_> = (0..rounds).map(|round| prepare(entry, round)).collect();
        for racer in 0..racers {
            let (store, line, report) = (store.clone(), line.clone(), report.clone());
            let seeded_entropy = entropy_of(entry, rounds + (first + racer) as u64);
            let acts: Vec<_> = items.iter().map(|item| (item.build_use)(&seeded_entropy)).collect();
            tokio::spawn(async move {
                for batch in acts {
                    line.wait().await;
                    // No racer may end silently: the others would wait for it.
                    let outcome = match store.commit(batch).await {
                        Ok(BatchOutcome::Committed(_)) => Ok(true),
                        Ok(BatchOutcome::Conflict(conflict))
                            if conflict.statement() == entry.statement_name =>
                        {
                            Ok(false)
                        }
                        Ok(BatchOutcome::Conflict(conflict)) => Err(conflict.to_string()),
                        Err(failed) => Err(failed.to_string()),
                    };
                    report.send(outcome).unwrap();
                }
            });
        }
        Self { line, results, racers }
    }

    /// Runs one round and returns the number of winners.
    pub async fn run(&mut self) -> usize {
        self.line.wait().await;
        let mut winners = 0;
        for _ in 0..self.racers {
            winners += usize::from(self.results.recv().await.unwrap().unwrap());
        }
        winners
    }
}
