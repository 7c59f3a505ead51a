//! `sinete-bench store`: commits per second through the store and through plain SQL, in alternate rounds.
//!
//! Each round runs in a process of its own on a database of its own, so that processor time, caches and file
//! sizes are the same for both sides.

use crate::failed::Failed;
use crate::report::{Cell, Table};
use crate::settings::Settings;
use crate::statistics::median;
use crate::store_worker::{ADDRESS_VARIABLE, Outcome, Side};
use crate::throwaway::{self, Throwaway};
use std::path::Path;
use std::process::Stdio;
use tokio::process::Command;

/// How many writers commit at once.
const WRITERS: [usize; 3] = [1, 16, 64];
/// The system calls that make a file durable.
const SYNCS: [&str; 2] = ["fsync", "fdatasync"];

/// Measures both engines and gives one table.
pub async fn measure(settings: &Settings) -> Result<Vec<Table>, Failed> {
    let mut rows = Vec::new();
    for writers in WRITERS {
        settings.progress(&format!("store: SQLite, {writers} writers"));
        let mut rounds = Vec::new();
        for _ in 0..settings.rounds {
            rounds.push(Round {
                floor: sqlite(settings, Side::Floor, writers).await?,
                ours: sqlite(settings, Side::Store, writers).await?,
            });
        }
        let traced = if settings.strace { Some(traced_syncs(settings, writers).await?) } else { None };
        rows.push(row("SQLite", writers, &rounds, traced));
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
    Ok(vec![Table { title: "Store: durable commits of one security event", columns, rows }])
}

/// One round of each side.
struct Round {
    floor: Outcome,
    ours: Outcome,
}

async fn postgres_rows(settings: &Settings) -> Result<Vec<Vec<Cell>>, Failed> {
    let Some(cluster) = &settings.postgres else {
        return Ok(WRITERS.map(absent_row).into());
    };
    let engine = throwaway::engine_in_words(cluster).await?;
    let mut rows = Vec::new();
    for writers in WRITERS {
        settings.progress(&format!("store: PostgreSQL, {writers} writers"));
        let mut rounds = Vec::new();
        for _ in 0..settings.rounds {
            let floor = postgres(settings, cluster, Side::Floor, writers).await?;
            rounds.push(Round { floor, ours: postgres(settings, cluster, Side::Store, writers).await? });
        }
        rows.push(row(&engine, writers, &rounds, None));
    }
    Ok(rows)
}

async fn postgres(settings: &Settings, cluster: &str, side: Side, writers: usize) -> Result<Outcome, Failed> {
    let database = Throwaway::create(cluster).await?;
    let outcome = prepare_and_work(settings, &database.url, side, writers).await;
    database.remove().await?;
    outcome
}

async fn sqlite(settings: &Settings, side: Side, writers: usize) -> Result<Outcome, Failed> {
    let folder = settings.temporary_folder()?;
    prepare_and_work(settings, &sqlite_address(folder.path()), side, writers).await
}

/// The schema is made by a process of its own, so that making it is no part of what is measured.
async fn prepare_and_work(
    settings: &Settings,
    address: &str,
    side: Side,
    writers: usize,
) -> Result<Outcome, Failed> {
    work(settings, Command::new(&settings.bench), address, Work::preparing()).await?;
    work(settings, Command::new(&settings.bench), address, Work::of(settings, side, writers)).await
}

/// Runs the store once more under strace and gives the fsyncs that one commit took. Tracing slows the calls it
/// counts, so nothing else is taken from this run.
async fn traced_syncs(settings: &Settings, writers: usize) -> Result<f64, Failed> {
    let folder = settings.temporary_folder()?;
    let address = sqlite_address(folder.path());
    work(settings, Command::new(&settings.bench), &address, Work::preparing()).await?;
    let summary = folder.path().join("strace.txt");
    let mut command = Command::new("strace");
    command
        .args(["-c", "-f", "-e", &format!("trace={}", SYNCS.join(",")), "-o"])
        .arg(&summary)
        .arg(&settings.bench);
    let outcome = work(settings, command, &address, Work::of(settings, Side::Store, writers)).await?;
    let text =
        std::fs::read_to_string(&summary).map_err(|source| Failed::io("read strace's summary", source))?;
    // strace counts the whole process, so the uncounted commits of the warm-up belong to it too.
    Ok(syncs_in_summary(&text) as f64 / outcome.all_commits as f64)
}

fn sqlite_address(folder: &Path) -> String {
    format!("sqlite://{}", folder.join("bench.db").display())
}

/// What a worker is told to do.
struct Work {
    side: Side,
    writers: usize,
    milliseconds: u128,
}

impl Work {
    /// Makes the schema and commits nothing.
    fn preparing() -> Self {
        Self { side: Side::Store, writers: 1, milliseconds: 0 }
    }

    fn of(settings: &Settings, side: Side, writers: usize) -> Self {
        Self { side, writers, milliseconds: settings.round.as_millis() }
    }
}

async fn work(
    settings: &Settings,
    mut command: Command,
    address: &str,
    work: Work,
) -> Result<Outcome, Failed> {
    let output = command
        .args(["worker", "--side", work.side.name(), "--writers", &work.writers.to_string()])
        .args(["--milliseconds", &work.milliseconds.to_string()])
        .env(ADDRESS_VARIABLE, address)
        .current_dir(&settings.folder)
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await
        .map_err(|source| Failed::io("start a worker", source))?;
    let said = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(said.trim()).map_err(|_| Failed::Ended {
        program: "a worker".to_owned(),
        status: output.status.to_string(),
        last_words: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

/// Adds up the calls in what `strace -c` prints: share, seconds, microseconds per call, calls, name.
fn syncs_in_summary(text: &str) -> u64 {
    let calls = |line: &str| -> Option<u64> {
        let fields: Vec<_> = line.split_ascii_whitespace().collect();
        SYNCS.contains(fields.last()?).then(|| fields.get(3)?.parse().ok())?
    };
    text.lines().filter_map(calls).sum()
}

fn row(engine: &str, writers: usize, rounds: &[Round], traced: Option<f64>) -> Vec<Cell> {
    let middle = |figure: &dyn Fn(&Round) -> f64| median(rounds.iter().map(figure));
    vec![
        Cell::text(engine),
        Cell::text(writers.to_string()),
        Cell::maybe(middle(&|round| round.floor.rate()), Cell::PerSecond),
        Cell::maybe(middle(&|round| round.ours.rate()), Cell::PerSecond),
        Cell::maybe(middle(&|round| round.ours.rate() / round.floor.rate()), Cell::Ratio),
        Cell::maybe(middle(&|round| round.ours.commits_per_group()), Cell::Ratio),
        Cell::maybe(traced, Cell::Ratio),
        Cell::maybe(middle(&|round| round.floor.cpu_microseconds()), Cell::Microseconds),
        Cell::maybe(middle(&|round| round.ours.cpu_microseconds()), Cell::Microseconds),
        Cell::maybe(middle(&|round| round.ours.p50_milliseconds), Cell::Milliseconds),
        Cell::maybe(middle(&|round| round.ours.p99_milliseconds), Cell::Milliseconds),
    ]
}

fn absent_row(writers: usize) -> Vec<Cell> {
    let mut row = vec![Cell::text("PostgreSQL"), Cell::text(writers.to_string())];
    row.resize(11, Cell::Absent("not measured"));
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_of_sync_are_added_up() {
        let summary = "% time     seconds  usecs/call     calls    errors syscall\n\
            ------ ----------- ----------- --------- --------- ----------------\n \
            99.00    0.100000         100      1000           fdatasync\n  \
            1.00    0.000100         100         7         2 fsync\n\
            ------ ----------- ----------- --------- --------- ----------------\n\
            100.00    0.100100         100      1007         2 total\n";
        assert_eq!(syncs_in_summary(summary), 1007);
        assert_eq!(syncs_in_summary(""), 0);
    }
}
