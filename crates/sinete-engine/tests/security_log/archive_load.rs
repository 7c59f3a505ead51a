//! A long log is archived and cut while events are written and sealed: how long it takes, and what is left.
//! `scripts/measure-log-archive` runs this with a million events.

use crate::archive::{archive_with, policy};
use crate::database::Database;
use crate::fixture::{World, open, verify};
use crate::memory_archive::MemoryArchive;
use sinete_core::events::log_chain::LogDefect;
use sinete_core::limits::LOG_SEGMENT_EVENTS_MAX;
use sinete_core::time::Lifetime;
use sinete_engine::events::security_log::{ArchivePolicy, LogSealer, SecurityLog, VerificationProgress};
use sinete_store::{StoreAccess, WriteBatch};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::task::JoinHandle;

/// Events, unless the script requests more.
const EVENTS_USUALLY: u64 = 3_000;
/// Events in one transaction while the log is filled.
const EVENTS_AT_ONCE: u64 = 250;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_archive_of_many_events_under_load_on_sqlite() {
    measure(Database::sqlite_on_disk()).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn log_archive_of_many_events_under_load_on_postgres() {
    measure(Database::durable_postgres().await).await;
}

#[expect(clippy::disallowed_methods, reason = "the script says how many events are measured")]
fn events_wanted() -> u64 {
    std::env::var("SINETE_LOG_EVENTS").map_or(EVENTS_USUALLY, |number| number.parse().unwrap())
}

#[expect(clippy::print_stdout, reason = "a measurement says what it found")]
fn say(label: &str, started: Instant) {
    println!("{:8.1} s  {label}", started.elapsed().as_secs_f64());
}

#[expect(clippy::disallowed_methods, reason = "a measurement takes real time")]
async fn measure(database: Database) {
    let (world, storage, started) =
        (Arc::new(World::new(database).await), MemoryArchive::new(), Instant::now());
    fill(&world, events_wanted()).await;
    let before = world.database.size().await;
    say(&format!("{} events are sealed; the database has {before} bytes", events_wanted()), started);
    world.wait(Lifetime::from_hours(2));

    let load = WritingLoad::start(&world);
    tokio::time::sleep(Duration::from_millis((events_wanted() / 100).clamp(200, 10_000))).await;
    say(&format!("nothing is archived: {}", load.summary()), started);
    let tenth = u32::try_from(events_wanted() / 10).unwrap();
    let segment_events = tenth.min(LOG_SEGMENT_EVENTS_MAX);
    let export_only = ArchivePolicy { segment_events, retention: None, ..policy() };
    let run = archive_with(&world, &storage, export_only).await.unwrap();
    say(
        &format!(
            "{} events archived in {} segments of {} bytes; {}",
            run.events,
            run.segments,
            run.bytes,
            load.summary()
        ),
        started,
    );
    let cutting = Instant::now();
    // Events that were written meanwhile stay.
    let later = ArchivePolicy { segment_events: u32::MAX, segment_age: Lifetime::from_days(1), ..policy() };
    let cut = archive_with(&world, &storage, later).await.unwrap().cut;
    let each = cutting.elapsed().as_secs_f64() * 1e6 / cut as f64;
    say(&format!("{cut} events cut, {each:.0} µs each; {}", load.summary()), started);
    assert!(cut >= events_wanted() / 2 && load.written.load(SeqCst) > 0, "{run:?}");
    assert_eq!(check(&world, &storage).await, [], "beside writers");
    say("archive and database were verified beside the writers: 0 findings", started);
    load.stop().await;
    let after = world.database.size().await;
    let compact = world.database.compact_size().await;
    say(&format!("the database has {after} bytes, {compact} without free space; before {before}"), started);
    tamper(&world, &storage, started).await;
}

/// Two writers and the sealer of a running instance.
struct WritingLoad {
    stop: Arc<AtomicBool>,
    written: Arc<AtomicU64>,
    tasks: Vec<JoinHandle<()>>,
    /// How long each commit since the last summary took, and when that was.
    commits: Arc<Mutex<(Instant, Vec<Duration>)>>,
}

#[expect(clippy::disallowed_methods, reason = "a measurement takes real time")]
impl WritingLoad {
    fn start(world: &Arc<World>) -> Self {
        let (stop, written_count) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
        let commits = Arc::new(Mutex::new((Instant::now(), Vec::new())));
        let mut tasks = vec![tokio::spawn(seal(world.clone(), stop.clone()))];
        for _ in 0..2 {
            let (world, stop) = (world.clone(), stop.clone());
            let (written_count, commits) = (written_count.clone(), commits.clone());
            tasks.push(tokio::spawn(async move {
                while !stop.load(SeqCst) {
                    let (event, started_at) = (world.quick_event(), Instant::now());
                    let batch = WriteBatch::new().with_event(&event);
                    world.store.commit(batch).await.unwrap().into_result().unwrap();
                    written_count.fetch_add(1, SeqCst);
                    commits.lock().unwrap().1.push(started_at.elapsed());
                }
            }));
        }
        Self { stop, written: written_count, tasks, commits }
    }

    /// The rate and the time of a commit since the last summary.
    fn summary(&self) -> String {
        let now = Instant::now();
        let (since, mut times) = std::mem::replace(&mut *self.commits.lock().unwrap(), (now, Vec::new()));
        times.sort_unstable();
        let span = (now - since).as_secs_f64();
        let at = |part: usize| times.get(times.len() * part / 100).map_or(0.0, |it| it.as_secs_f64() * 1e3);
        let rate = times.len() as f64 / span;
        format!("{span:.1} s, {rate:.0} events a second written, p50 {:.2} ms, p99 {:.2} ms", at(50), at(99))
    }

    async fn stop(self) {
        self.stop.store(true, SeqCst);
        for task in self.tasks {
            task.await.unwrap();
        }
    }
}

/// Changes a byte of the archive and one of the database: each is found.
async fn tamper(world: &World, storage: &MemoryArchive, started: Instant) {
    let name = storage.names("segments/").remove(0);
    let file_content = storage.read(&name);
    let mut changed = file_content.clone();
    changed[file_content.len() / 2] ^= 1;
    storage.write(&name, changed);
    let in_archive = check(world, storage).await.len();
    storage.write(&name, file_content);
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
    let reader = open(&world.database, StoreAccess::AlongsideServer).await;
    let log = SecurityLog::open(&reader, &world.keys, world.now()).await.unwrap();
    let mut findings = Vec::new();
    let mut tell = |progress| {
        if let VerificationProgress::Finding(finding) = progress {
            findings.push(finding.defect);
        }
    };
    log.verify_archived_segments(storage, &[], &mut tell).await.unwrap();
    findings.extend(verify(&log, &[], world.now()).await.0);
    reader.close().await;
    findings
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

async fn seal(world: Arc<World>, stop: Arc<AtomicBool>) {
    let mut sealer = LogSealer::new(world.log.clone());
    while !stop.load(SeqCst) {
        sealer.seal_pending(world.now()).await.unwrap();
        tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    }
    sealer.seal_pending(world.now()).await.unwrap();
}
