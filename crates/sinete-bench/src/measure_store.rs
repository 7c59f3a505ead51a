//! `sinete-bench store`: commits per second through the store and through plain SQL, in alternate rounds.
//!
//! Each round runs in a separate process with its own database, so that CPU time, caches and file sizes are
//! the same for both sides.

use crate::failed::BenchError;
use crate::report::{ReportTable, TableCell};
use crate::settings::BenchSettings;
use crate::statistics::median;
use crate::store_worker::{ADDRESS_VARIABLE, CommitSide, WorkerOutcome};
use crate::throwaway::{self, TemporaryDatabase};
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// The numbers of concurrent writers.
const WRITERS: [usize; 3] = [1, 16, 64];
/// The system calls that make a file durable.
const SYNCS: [&str; 2] = ["fsync", "fdatasync"];

/// Measures both engines, and returns one table.
pub async fn measure(settings: &BenchSettings) -> Result<Vec<ReportTable>, BenchError> {
    let mut rows = Vec::new();
    for writers in WRITERS {
        settings.progress(&format!("store: SQLite, {writers} writers"));
        let mut rounds = Vec::new();
        for _ in 0..settings.rounds {
            rounds.push(StoreRound {
                floor: run_sqlite(settings, CommitSide::Floor, writers).await?,
                sinete: run_sqlite(settings, CommitSide::Store, writers).await?,
            });
        }
        let traced = if settings.strace { Some(count_traced_syncs(settings, writers).await?) } else { None };
        rows.push(comparison_row("SQLite", writers, &rounds, traced));
    }
    rows.extend(postgres_rows(settings).await?);
    let columns = &[
        "Engine",
        "Writers",
        "Plain SQL /s",
        "Store /s",
        "of plain SQL",
        "Commits per group",
        "fsyncs per commit, traced",
        "Plain CPU",
        "Store CPU",
        "p50",
        "p99",
    ];
    Ok(vec![ReportTable { title: "Store: durable commits of one security event", columns, rows }])
}

/// One round of each side.
struct StoreRound {
    floor: WorkerOutcome,
    sinete: WorkerOutcome,
}

async fn postgres_rows(settings: &BenchSettings) -> Result<Vec<Vec<TableCell>>, BenchError> {
    let Some(cluster) = &settings.postgres else {
        return Ok(WRITERS.map(absent_row).into());
    };
    let engine = throwaway::describe_engine(cluster).await?;
    let mut rows = Vec::new();
    for writers in WRITERS {
        settings.progress(&format!("store: PostgreSQL, {writers} writers"));
        let mut rounds = Vec::new();
        for _ in 0..settings.rounds {
            let floor = run_postgres(settings, cluster, CommitSide::Floor, writers).await?;
            rounds.push(StoreRound {
                floor,
                sinete: run_postgres(settings, cluster, CommitSide::Store, writers).await?,
            });
        }
        rows.push(comparison_row(&engine, writers, &rounds, None));
    }
    Ok(rows)
}

async fn run_postgres(
    settings: &BenchSettings,
    cluster: &str,
    side: CommitSide,
    writers: usize,
) -> Result<WorkerOutcome, BenchError> {
    let database = TemporaryDatabase::create(cluster).await?;
    let outcome = run_worker_round(settings, &database.url, side, writers).await;
    database.remove().await?;
    outcome
}

async fn run_sqlite(
    settings: &BenchSettings,
    side: CommitSide,
    writers: usize,
) -> Result<WorkerOutcome, BenchError> {
    let folder = settings.temporary_folder()?;
    run_worker_round(settings, &sqlite_address(folder.path()), side, writers).await
}

/// Runs a worker. A separate process creates the schema first, so that this is not measured.
async fn run_worker_round(
    settings: &BenchSettings,
    address: &str,
    side: CommitSide,
    writers: usize,
) -> Result<WorkerOutcome, BenchError> {
    run_worker(settings, Command::new(&settings.bench), address, WorkerParams::schema_only()).await?;
    run_worker(settings, Command::new(&settings.bench), address, WorkerParams::new(settings, side, writers))
        .await
}

/// Runs the store once more under strace and returns the fsyncs per commit. Tracing slows the calls, so
/// nothing else of this run is used.
async fn count_traced_syncs(settings: &BenchSettings, writers: usize) -> Result<f64, BenchError> {
    let folder = settings.temporary_folder()?;
    let address = sqlite_address(folder.path());
    run_worker(settings, Command::new(&settings.bench), &address, WorkerParams::schema_only()).await?;
    let summary = folder.path().join("strace.txt");
    let mut command = Command::new("strace");
    command
        .args(["-c", "-f", "-e", &format!("trace={}", SYNCS.join(",")), "-o"])
        .arg(&summary)
        .arg(&settings.bench);
    let outcome =
        run_worker(settings, command, &address, WorkerParams::new(settings, CommitSide::Store, writers))
            .await?;
    let text = std::fs::read_to_string(&summary)
        .map_err(|source| BenchError::io("read strace's summary", source))?;
    // strace counts the whole process, so the commits of the warm-up are included.
    Ok(count_syncs(&text) as f64 / outcome.all_commits as f64)
}

fn sqlite_address(folder: &Path) -> String {
    format!("sqlite://{}", folder.join("bench.db").display())
}

/// The parameters of a worker.
struct WorkerParams {
    side: CommitSide,
    writers: usize,
    milliseconds: u128,
}

impl WorkerParams {
    /// Creates the schema only.
    fn schema_only() -> Self {
        Self { side: CommitSide::Store, writers: 1, milliseconds: 0 }
    }

    fn new(settings: &BenchSettings, side: CommitSide, writers: usize) -> Self {
        Self { side, writers, milliseconds: settings.round.as_millis() }
    }
}

async fn run_worker(
    settings: &BenchSettings,
    mut command: Command,
    address: &str,
    params: WorkerParams,
) -> Result<WorkerOutcome, BenchError> {
    let output = command
        .args(["worker", "--side", params.side.name(), "--writers", &params.writers.to_string()])
        .args(["--milliseconds", &params.milliseconds.to_string()])
        .env(ADDRESS_VARIABLE, address)
        .current_dir(&settings.folder)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|source| BenchError::io("start a worker", source))?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(stdout.trim()).map_err(|_| BenchError::ProcessExited {
        program: "a worker".to_owned(),
        status: output.status.to_string(),
        output_tail: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

/// Sums the calls in the output of `strace -c`: share, seconds, microseconds per call, calls, name.
fn count_syncs(text: &str) -> u64 {
    let calls = |line: &str| -> Option<u64> {
        let fields: Vec<_> = line.split_ascii_whitespace().collect();
        SYNCS.contains(fields.last()?).then(|| fields.get(3)?.parse().ok())?
    };
    text.lines().filter_map(calls).sum()
}

fn comparison_row(
    engine: &str,
    writers: usize,
    rounds: &[StoreRound],
    traced: Option<f64>,
) -> Vec<TableCell> {
    let middle = |figure: &dyn Fn(&StoreRound) -> f64| median(rounds.iter().map(figure));
    vec![
        TableCell::text(engine),
        TableCell::text(writers.to_string()),
        TableCell::or_absent(middle(&|round| round.floor.rate()), TableCell::PerSecond),
        TableCell::or_absent(middle(&|round| round.sinete.rate()), TableCell::PerSecond),
        TableCell::or_absent(middle(&|round| round.sinete.rate() / round.floor.rate()), TableCell::Ratio),
        TableCell::or_absent(middle(&|round| round.sinete.commits_per_group()), TableCell::Ratio),
        TableCell::or_absent(traced, TableCell::Ratio),
        TableCell::or_absent(middle(&|round| round.floor.cpu_microseconds()), TableCell::Microseconds),
        TableCell::or_absent(middle(&|round| round.sinete.cpu_microseconds()), TableCell::Microseconds),
        TableCell::or_absent(middle(&|round| round.sinete.p50_milliseconds), TableCell::Milliseconds),
        TableCell::or_absent(middle(&|round| round.sinete.p99_milliseconds), TableCell::Milliseconds),
    ]
}

fn absent_row(writers: usize) -> Vec<TableCell> {
    let mut row = vec![TableCell::text("PostgreSQL"), TableCell::text(writers.to_string())];
    row.resize(11, TableCell::Absent("not measured"));
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fsync_and_fdatasync_calls_are_summed() {
        let summary = "% time     seconds  usecs/call     calls    errors syscall\n\
            ------ ----------- ----------- --------- --------- ----------------\n \
            99.00    0.100000         100      1000           fdatasync\n  \
            1.00    0.000100         100         7         2 fsync\n\
            ------ ----------- ----------- --------- --------- ----------------\n\
            100.00    0.100100         100      1007         2 total\n";
        assert_eq!(count_syncs(summary), 1007);
        assert_eq!(count_syncs(""), 0);
    }
}
