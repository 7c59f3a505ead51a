//! A long log is archived and cut while events are written and sealed: how long it takes, and what is left.
//! `scripts/measure-log-archive` runs this with a million events.

use crate::archive::policy;
use crate::database::Database;
use crate::fixture::{World, open, verify};
use crate::memory_archive::MemoryArchive;
use sinete_core::events::log_chain::LogDefect;
use sinete_core::limits::LOG_SEGMENT_EVENTS_MAX;
use sinete_core::time::Lifetime;
use sinete_engine::events::security_log::{
    ArchivePolicy, LogArchiver, LogSealer, SecurityLog, VerificationProgress,
};
use sinete_store::{StoreAccess, WriteBatch};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::time::Instant;

/// Events, unless the script wants more.
const EVENTS_USUALLY: u64 = 3_000;
/// Events in one transaction while the log is filled.
const EVENTS_AT_ONCE: u64 = 250;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_archive_of_many_events_under_load_on_sqlite() {
    measure(Database::sqlite()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_archive_of_many_events_under_load_on_postgres() {
    measure(Database::postgres().await).await;
}

#[expect(clippy::disallowed_methods, reason = "the script says how many events are measured")]
fn events_wanted() -> u64 {
    std::env::var("SINETE_LOG_EVENTS").map_or(EVENTS_USUALLY, |number| number.parse().unwrap())
}

#[expect(clippy::print_stdout, reason = "a measurement says what it found")]
fn say(what: &str, started: Instant) {
    println!("{:8.1} s  {what}", started.elapsed().as_secs_f64());
}

#[expect(clippy::disallowed_methods, reason = "a measurement takes real time")]
async fn measure(database: Database) {
    let (world, storage, started) =
        (Arc::new(World::new(database).await), MemoryArchive::new(), Instant::now());
    fill(&world, events_wanted()).await;
    let before = world.database.size().await;
    say(&format!("{} events are sealed; the database has {before} bytes", events_wanted()), started);
    world.wait(Lifetime::from_hours(2));

    let (stop, written) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let writers: Vec<_> =
        (0..2).map(|_| tokio::spawn(write(world.clone(), stop.clone(), written.clone()))).collect();
    let sealer = tokio::spawn(seal(world.clone(), stop.clone()));
    let tenth = u32::try_from(events_wanted() / 10).unwrap();
    let policy = ArchivePolicy { segment_events: tenth.min(LOG_SEGMENT_EVENTS_MAX), ..policy() };
    let archiver =
        LogArchiver { log: &world.log, storage: &storage, policy, clock: &*world, entropy: &world.entropy };
    let cutting = Instant::now();
    let run = archiver.run(&mut |_| {}).await.unwrap();
    let seconds = cutting.elapsed().as_secs_f64();
    let beside = written.load(SeqCst);
    say(
        &format!(
            "{} events in {} segments of {} bytes archived, {} cut in {seconds:.1} s; {beside} events were written \
             meanwhile ({:.0} a second)",
            run.events,
            run.segments,
            run.bytes,
            run.cut,
            beside as f64 / seconds,
        ),
        started,
    );
    assert!(run.cut >= events_wanted() / 2 && beside > 0, "{run:?}");
    let findings = check(&world, &storage).await;
    assert_eq!(findings, [], "beside writers");
    stop.store(true, SeqCst);
    for task in writers.into_iter().chain([sealer]) {
        task.await.unwrap();
    }
    say("archive and database were verified beside the writers: 0 findings", started);
    let after = world.database.size().await;
    let compact = world.database.compact_size().await;
    say(&format!("the database has {after} bytes, {compact} without free space; before {before}"), started);
    tamper(&world, &storage, started).await;
}

/// Changes a byte of the archive and one of the database: each is found.
async fn tamper(world: &World, storage: &MemoryArchive, started: Instant) {
    let name = storage.names("segments/").remove(0);
    let whole = storage.read(&name);
    let mut changed = whole.clone();
    changed[whole.len() / 2] ^= 1;
    storage.write(&name, changed);
    let in_archive = check(world, storage).await.len();
    storage.write(&name, whole);
    world.database.disarm().await;
    let last = "(SELECT event_id FROM log_chain ORDER BY position DESC LIMIT 1)";
    world.database.run(&format!("UPDATE security_log SET kind = 'x' WHERE id = {last}")).await;
    let in_database = check(world, storage).await.len();
    assert!(in_archive > 0 && in_database > 0);
    say(
        &format!("a changed byte of the archive: {in_archive} findings; of the database: {in_database}"),
        started,
    );
}

async fn check(world: &World, storage: &MemoryArchive) -> Vec<LogDefect> {
    let reader = open(&world.database, StoreAccess::Beside).await;
    let log = SecurityLog::open(&reader, &world.keys, world.now()).await.unwrap();
    let mut found = Vec::new();
    let mut tell = |progress| {
        if let VerificationProgress::Found(finding) = progress {
            found.push(finding.wrong);
        }
    };
    log.verify_archived_segments(storage, &[], &mut tell).await.unwrap();
    found.extend(verify(&log, &[], world.now()).await.0);
    reader.close().await;
    found
}

/// Writes and seals events quickly.
async fn fill(world: &World, events: u64) {
    let mut sealer = LogSealer::new(world.log.clone());
    for number in 0..events / EVENTS_AT_ONCE {
        let batch =
            (0..EVENTS_AT_ONCE).fold(WriteBatch::new(), |batch, _| batch.with_event(&world.quick_event()));
        world.store.commit(batch).await.unwrap().into_result().unwrap();
        if number % 40 == 39 {
            sealer.seal_pending(world.now()).await.unwrap();
        }
    }
    sealer.seal_pending(world.now()).await.unwrap();
}

async fn write(world: Arc<World>, stop: Arc<AtomicBool>, written: Arc<AtomicU64>) {
    while !stop.load(SeqCst) {
        let event = world.quick_event();
        world.store.commit(WriteBatch::new().with_event(&event)).await.unwrap().into_result().unwrap();
        written.fetch_add(1, SeqCst);
    }
}

async fn seal(world: Arc<World>, stop: Arc<AtomicBool>) {
    let mut sealer = LogSealer::new(world.log.clone());
    while !stop.load(SeqCst) {
        sealer.seal_pending(world.now()).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    sealer.seal_pending(world.now()).await.unwrap();
}
