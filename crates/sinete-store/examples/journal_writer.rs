//! Writes events as fast as possible and prints the id of each one once it is durable.
//!
//! ```text
//! journal_writer ADDRESS TASKS ROUND [ACTS]
//! ```
//!
//! The test that starts it records the ids and then kills it: every printed id must be in the database
//! afterwards. ROUND makes the ids of one run different from those of another. Without ACTS it runs until it
//! is stopped.

use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::{Store, StoreAccess, StoreOptions, WriteBatch, migrate};
use std::error::Error;
use std::io::Write as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, tasks, round, rest @ ..] = &arguments[..] else {
        return Err("usage: journal_writer ADDRESS TASKS ROUND [ACTS]".into());
    };
    let (tasks, round): (u64, u32) = (tasks.parse()?, round.parse()?);
    let acts = rest.first().map_or(Ok(u64::MAX), |acts| acts.parse())?;

    let now = Timestamp::from_seconds(1_800_000_000).plus(Lifetime::from_seconds(round));
    let patient =
        StoreOptions { answer_max: Lifetime::from_minutes(2), ..StoreOptions::new(StoreAccess::Serve) };
    let store = Store::open(&address.parse()?, &patient).await?;
    migrate::apply_pending_migrations(&store, now, &mut |_| {}).await?;

    let entropy = Arc::new(DangerouslySeededEntropy::new(round.into()));
    let atomic_u64 = Arc::new(AtomicU64::new(0));
    let writers: Vec<_> = (0..tasks)
        .map(|_| {
            let (store, entropy, atomic_u64) = (store.clone(), entropy.clone(), atomic_u64.clone());
            tokio::spawn(async move {
                while atomic_u64.fetch_add(1, Ordering::Relaxed) < acts {
                    let event = SecurityEvent::new(
                        EventKind::ServerStarted,
                        SecurityEventActor::System,
                        now,
                        &*entropy,
                    );
                    let committed = store.commit(WriteBatch::new().with_event(&event)).await;
                    committed
                        .map_err(|failed| failed.to_string())?
                        .into_result()
                        .map_err(|conflict| conflict.to_string())?;
                    acknowledge(&event).map_err(|error| error.to_string())?;
                }
                Ok::<(), String>(())
            })
        })
        .collect();
    for writer in writers {
        writer.await??;
    }
    let counts = store.statistics();
    eprintln!(
        "{} commits in {} groups, the largest of {}",
        counts.commits, counts.groups, counts.largest_group
    );
    store.close().await;
    Ok(())
}

/// One line, written whole and at once.
fn acknowledge(event: &SecurityEvent) -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("{}\n", event.id).as_bytes())?;
    out.flush()
}
