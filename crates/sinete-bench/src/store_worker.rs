//! One round of commits in a separate process: several writers, each committing its next event when the
//! previous one is durable.

use crate::failed::BenchError;
use crate::process::MeasuredProcess;
use crate::statistics::LatencyStatistics;
use crate::stopwatch::RunningStopwatch;
use crate::store_floor::{PlainSqlDatabase, USER_AGENT};
use serde::{Deserialize, Serialize};
use sinete_core::client_id::ClientId;
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::id::{GrantId, MembershipId, OrganizationId, RequestId};
use sinete_core::time::Timestamp;
use sinete_store::{BatchOutcome, DatabaseAddress, Store, StoreAccess, StoreOptions, WriteBatch, migrate};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

/// The environment variable with the database URL: a URL may contain a password, and arguments are visible to
/// other users.
pub const ADDRESS_VARIABLE: &str = "SINETE_BENCH_ADDRESS";
/// The share of a round used for warm-up.
const WARM_UP_SHARE: f64 = 0.1;

/// The task of a worker.
#[derive(Clone, Debug, clap::Args)]
pub struct WorkerTask {
    /// The database.
    #[arg(long, env = ADDRESS_VARIABLE, hide_env_values = true)]
    pub address: String,
    /// Through what the commits go. Plain SQL needs a schema that is there already.
    #[arg(long)]
    pub side: CommitSide,
    /// The number of concurrent writers.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub writers: u16,
    /// How long to commit; 0 only makes the schema.
    #[arg(long, value_parser = clap::value_parser!(u64).range(0..=60_000))]
    pub milliseconds: u64,
}

/// The side of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum CommitSide {
    /// Plain SQL.
    Floor,
    /// Sinete's store.
    Store,
}

/// The results of a worker.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct WorkerOutcome {
    /// The measured commits.
    pub commits: u64,
    /// The number of transactions they shared, if counted.
    pub groups: Option<u64>,
    /// All commits, including the warm-up.
    pub all_commits: u64,
    /// The measured time.
    pub seconds: f64,
    /// The CPU time of this process during the measurement.
    pub cpu_seconds: f64,
    /// The median latency.
    pub p50_milliseconds: f64,
    /// The 99th percentile of the latency.
    pub p99_milliseconds: f64,
}

impl CommitSide {
    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Floor => "floor",
            Self::Store => "store",
        }
    }
}

impl WorkerOutcome {
    /// Formats the results as one line for the parent process.
    pub fn to_json_line(&self) -> Result<String, BenchError> {
        serde_json::to_string(self).map_err(|error| BenchError::Unexpected(error.to_string()))
    }

    /// Commits per second.
    pub fn rate(&self) -> f64 {
        self.commits as f64 / self.seconds
    }

    /// The CPU time per commit, in microseconds.
    pub fn cpu_microseconds(&self) -> f64 {
        self.cpu_seconds * 1e6 / self.commits as f64
    }

    /// The average number of commits per transaction.
    pub fn commits_per_group(&self) -> f64 {
        self.groups.map_or(f64::NAN, |groups| self.commits as f64 / groups as f64)
    }
}

/// Creates the schema if needed, and commits.
pub async fn run_task(task: &WorkerTask) -> Result<WorkerOutcome, BenchError> {
    let address: DatabaseAddress =
        task.address.parse().map_err(|error| BenchError::Unexpected(format!("worker: {error}")))?;
    let database = WorkerDatabase::open(task, &address).await?;
    let writers = usize::from(task.writers);
    let database = Arc::new(database);
    let round = Duration::from_millis(task.milliseconds);
    let (age, counter) = (RunningStopwatch::start(), Arc::new(AtomicU64::new(0)));
    run_writers(&database, writers, round.mul_f64(WARM_UP_SHARE), age, &counter).await?;
    let groups_before = database.groups();
    let measured = run_writers(&database, writers, round, age, &counter).await?;
    let groups = database.groups().zip(groups_before).map(|(after, before)| after - before);
    database.close().await;
    let milliseconds = |percent| {
        measured.latencies.percentile(percent).map_or(0.0, |latency| latency.as_secs_f64() * 1_000.0)
    };
    Ok(WorkerOutcome {
        commits: measured.latencies.count() as u64,
        groups,
        all_commits: counter.load(Ordering::Relaxed),
        seconds: measured.elapsed.as_secs_f64(),
        cpu_seconds: measured.cpu.as_secs_f64(),
        p50_milliseconds: milliseconds(50),
        p99_milliseconds: milliseconds(99),
    })
}

enum WorkerDatabase {
    Plain(PlainSqlDatabase),
    Store { store: Store, entropy: DangerouslySeededEntropy },
}

impl WorkerDatabase {
    async fn open(task: &WorkerTask, address: &DatabaseAddress) -> Result<Self, BenchError> {
        let writers = usize::from(task.writers);
        match (task.side, address.path()) {
            (CommitSide::Floor, Some(file)) => PlainSqlDatabase::sqlite(file, writers).map(Self::Plain),
            (CommitSide::Floor, None) => {
                PlainSqlDatabase::postgres(&task.address, writers).await.map(Self::Plain)
            }
            (CommitSide::Store, _) => {
                let store = Store::open(address, &StoreOptions::new(StoreAccess::Serve)).await?;
                migrate::apply_pending_migrations(&store, Timestamp::EPOCH, &mut |_| {}).await?;
                Ok(Self::Store { store, entropy: DangerouslySeededEntropy::new(7) })
            }
        }
    }

    async fn commit(&self, now: Timestamp) -> Result<(), BenchError> {
        match self {
            Self::Plain(plain) => plain.commit(now).await,
            Self::Store { store, entropy } => {
                let batch = WriteBatch::new().with_event(&build_event(now, entropy));
                match store.commit(batch).await? {
                    BatchOutcome::Committed(_committed) => Ok(()),
                    BatchOutcome::Conflict(conflict) => Err(BenchError::Database(conflict.to_string())),
                }
            }
        }
    }

    fn groups(&self) -> Option<u64> {
        match self {
            Self::Plain(_) => None,
            Self::Store { store, .. } => Some(store.statistics().groups),
        }
    }

    async fn close(&self) {
        match self {
            Self::Plain(_) => {}
            Self::Store { store, .. } => store.close().await,
        }
    }
}

/// An event like that of a token request: every column is filled.
fn build_event(now: Timestamp, entropy: &DangerouslySeededEntropy) -> SecurityEvent {
    let (membership, organization) = (MembershipId::from_bytes([7; 16]), OrganizationId::from_bytes([8; 16]));
    let origin = RequestOrigin::new(
        Some(RequestId::mint(now, entropy)),
        Some(std::net::Ipv4Addr::new(192, 0, 2, 44).into()),
        Some(USER_AGENT),
    );
    SecurityEvent::new(
        EventKind::RefreshTokenRotated,
        SecurityEventActor::Membership(membership),
        now,
        entropy,
    )
    .with_subject("grant", GrantId::mint(now, entropy))
    .with_organization(organization)
    .with_client(ClientId::mint(Timestamp::EPOCH, entropy))
    .with_origin(&origin)
    .with_detail("scope", "invoices:read invoices:write")
}

struct WorkerMeasurement {
    latencies: LatencyStatistics,
    elapsed: Duration,
    cpu: Duration,
}

async fn run_writers(
    database: &Arc<WorkerDatabase>,
    writers: usize,
    time: Duration,
    age: RunningStopwatch,
    counter: &Arc<AtomicU64>,
) -> Result<WorkerMeasurement, BenchError> {
    let cpu_before = MeasuredProcess::current().cpu_time()?;
    let watch = RunningStopwatch::start();
    let mut tasks = JoinSet::new();
    for _ in 0..writers {
        let (database, counter) = (Arc::clone(database), Arc::clone(counter));
        tasks.spawn(async move {
            let mut measured = Vec::new();
            while watch.elapsed() < time {
                let started = RunningStopwatch::start();
                database.commit(timestamp_after(age.elapsed())).await?;
                counter.fetch_add(1, Ordering::Relaxed);
                measured.push(started.elapsed());
            }
            Ok::<_, BenchError>(measured)
        });
    }
    let mut measured = Vec::new();
    while let Some(finished) = tasks.join_next().await {
        measured.extend(finished.map_err(|error| BenchError::Unexpected(format!("worker: {error}")))??);
    }
    let elapsed = watch.elapsed();
    let cpu = MeasuredProcess::current().cpu_time()?.saturating_sub(cpu_before);
    Ok(WorkerMeasurement { latencies: LatencyStatistics::from_durations(measured), elapsed, cpu })
}

/// A timestamp this long after a fixed start, so that event ids increase.
fn timestamp_after(elapsed: Duration) -> Timestamp {
    Timestamp::from_micros(1_794_711_123_000_000 + i64::try_from(elapsed.as_micros()).unwrap_or_default())
}
