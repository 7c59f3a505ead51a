//! `sinete-bench http`: Sinete and the baseline server under the same load in alternate rounds.

use crate::failed::BenchError;
use crate::floor::{STATIC_BYTES_MAX, WORKLOADS};
use crate::load::chain::RequestChain;
use crate::load::connection::HttpConnection;
use crate::load::{self, LoadPlan, LoadRequest, LoadTally, RunBound};
use crate::report::{ReportTable, TableCell};
use crate::server::{ChildServer, start_floor, start_sinete};
use crate::settings::BenchSettings;
use crate::statistics::{LatencyStatistics, median};
use std::time::Duration;

/// Idle time before the memory is measured.
const PAUSE_BEFORE_IDLE: Duration = Duration::from_secs(1);
/// The share of a round used for warm-up.
const WARM_UP_SHARE: f64 = 0.15;

/// The requested documents. Each is compared with a static document of the same size.
const COMPARED_DOCUMENTS: [(&str, &str); 3] = [
    ("keys", "/.well-known/jwks.json"),
    ("health", "/healthz"),
    ("discovery", "/.well-known/openid-configuration"),
];

/// Measures, and returns three tables: the comparison, memory, and the cost of each baseline workload.
pub async fn measure(settings: &BenchSettings) -> Result<Vec<ReportTable>, BenchError> {
    let sinete_folder = settings.temporary_folder()?;
    let sinete = start_sinete(&settings.sinete, sinete_folder.path()).await?;
    let mut floors = Vec::new();
    for (_, path) in COMPARED_DOCUMENTS {
        let folder = settings.temporary_folder()?;
        let bytes = document_bytes(&sinete, path).await?;
        floors.push((start_floor(&settings.floor, folder.path(), bytes, None).await?, folder));
    }
    tokio::time::sleep(PAUSE_BEFORE_IDLE).await;
    let (floor, _) =
        floors.first().ok_or_else(|| BenchError::Unexpected("nothing is compared".to_owned()))?;
    let idle = [floor.process.resident_bytes()?, sinete.process.resident_bytes()?];

    let mut compared = Vec::new();
    for ((name, path), (floor, _)) in COMPARED_DOCUMENTS.iter().zip(&floors) {
        settings.progress(&format!("http: {name}"));
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..settings.rounds {
            theirs.push(
                run_round(settings, floor, RoundWork::Script(vec![LoadRequest::get("/static")])).await?,
            );
            ours.push(run_round(settings, &sinete, RoundWork::Script(vec![LoadRequest::get(path)])).await?);
        }
        compared.push(comparison_row(name, &theirs, &ours));
    }
    let loaded = [floor.process.resident_bytes()?, sinete.process.resident_bytes()?];

    let mut parts = Vec::new();
    for workload in WORKLOADS {
        settings.progress(&format!("http: floor, {}", workload.name));
        let script =
            workload.requests.iter().map(|(method, path)| LoadRequest::from_method(*method, path)).collect();
        let tally = run_round(settings, floor, RoundWork::Script(script)).await?;
        parts.push(part_row(workload.name, &tally));
    }
    sinete.stop().await?;
    for (floor, _) in floors {
        floor.stop().await?;
    }
    Ok(vec![
        comparison_table("HTTP: Sinete and the floor", compared),
        memory_table(idle, loaded),
        parts_table(parts),
    ])
}

/// The work of one round.
pub(crate) enum RoundWork {
    /// The same requests on all connections.
    Script(Vec<LoadRequest>),
    /// One chain per connection.
    Chains(Vec<RequestChain>),
}

/// Runs one round of load on one server.
pub(crate) async fn run_round(
    settings: &BenchSettings,
    server: &ChildServer,
    round_work: RoundWork,
) -> Result<LoadTally, BenchError> {
    load::run_load(&plan_round(settings, server, round_work), Some(server.process)).await
}

/// The load of one round.
pub(crate) fn plan_round(settings: &BenchSettings, server: &ChildServer, round_work: RoundWork) -> LoadPlan {
    let (script, chains) = match round_work {
        RoundWork::Script(script) => (script, Vec::new()),
        RoundWork::Chains(chains) => (Vec::new(), chains),
    };
    let bound = |share: f64| RunBound { operations: u64::MAX, time: settings.round.mul_f64(share) };
    LoadPlan {
        target: server.address,
        script,
        chains,
        connections: settings.connections,
        warm_up: bound(WARM_UP_SHARE),
        measured: bound(1.0),
    }
}

/// The size of a document, for a baseline document of the same size.
async fn document_bytes(server: &ChildServer, path: &str) -> Result<u32, BenchError> {
    let mut connection = HttpConnection::new(server.address);
    let answer = connection
        .exchange(LoadRequest::get(path).bytes())
        .await
        .map_err(|fault| BenchError::Unexpected(format!("could not read {path}: {fault}")))?;
    if answer.status != 200 {
        return Err(BenchError::Unexpected(format!("{path} answers with status {}", answer.status)));
    }
    let head = answer.bytes.windows(4).position(|window| window == b"\r\n\r\n").map_or(0, |end| end + 4);
    let body = u32::try_from(answer.bytes.len() - head).unwrap_or(STATIC_BYTES_MAX);
    Ok(body.clamp(1, STATIC_BYTES_MAX))
}

/// The table row that compares both sides of a workload.
pub(crate) fn comparison_row(name: &str, floors: &[LoadTally], ours: &[LoadTally]) -> Vec<TableCell> {
    let (floor_cpu, our_cpu) = (cpu_milliseconds(floors), cpu_milliseconds(ours));
    let rate = |tallies: &[LoadTally]| {
        TableCell::or_absent(median(tallies.iter().map(LoadTally::rate)), TableCell::PerSecond)
    };
    let latencies = ours.iter().fold(LatencyStatistics::default(), |all, tally| all.merge(&tally.latencies));
    let errors: Vec<_> = ours.iter().chain(floors).filter_map(LoadTally::error_summary).collect();
    vec![
        TableCell::text(name),
        rate(floors),
        rate(ours),
        TableCell::or_absent(
            median(ours.iter().zip(floors).map(|(our, floor)| our.rate() / floor.rate())),
            TableCell::Ratio,
        ),
        TableCell::or_absent(floor_cpu, TableCell::Milliseconds),
        TableCell::or_absent(our_cpu, TableCell::Milliseconds),
        TableCell::or_absent(our_cpu.zip(floor_cpu).map(|(our, floor)| our / floor), TableCell::Ratio),
        TableCell::milliseconds(latencies.percentile(50)),
        TableCell::milliseconds(latencies.percentile(99)),
        TableCell::milliseconds(latencies.max()),
        TableCell::text(if errors.is_empty() { "none".to_owned() } else { errors.join("; ") }),
    ]
}

/// The CPU time per operation over all rounds together, because the system counts it in hundredths of a
/// second.
pub(crate) fn cpu_milliseconds(tallies: &[LoadTally]) -> Option<f64> {
    let cpu: Duration = tallies.iter().map(|tally| tally.cpu).sum::<Option<Duration>>()?;
    let operations: usize = tallies.iter().map(LoadTally::operations).sum();
    (operations > 0).then(|| cpu.as_secs_f64() * 1_000.0 / operations as f64)
}

fn part_row(name: &str, tally: &LoadTally) -> Vec<TableCell> {
    vec![
        TableCell::text(name),
        TableCell::PerSecond(tally.rate()),
        TableCell::or_absent(tally.cpu_milliseconds(), TableCell::Milliseconds),
        TableCell::milliseconds(tally.latencies.percentile(50)),
        TableCell::milliseconds(tally.latencies.percentile(99)),
        TableCell::text(tally.error_summary().unwrap_or_else(|| "none".to_owned())),
    ]
}

/// The table of such rows.
pub(crate) fn comparison_table(title: &'static str, rows: Vec<Vec<TableCell>>) -> ReportTable {
    let columns = &[
        "Workload",
        "Floor /s",
        "Sinete /s",
        "of the floor",
        "Floor CPU",
        "Sinete CPU",
        "× its CPU",
        "p50",
        "p99",
        "max",
        "Errors",
    ];
    ReportTable { title, columns, rows }
}

fn memory_table(idle: [u64; 2], loaded: [u64; 2]) -> ReportTable {
    let row = |name, at: usize| {
        vec![TableCell::text(name), TableCell::Bytes(idle[at]), TableCell::Bytes(loaded[at])]
    };
    let columns = &["Server", "Idle", "After load"];
    ReportTable { title: "HTTP: resident memory", columns, rows: vec![row("floor", 0), row("sinete", 1)] }
}

fn parts_table(rows: Vec<Vec<TableCell>>) -> ReportTable {
    let columns = &["Work", "Per second", "CPU", "p50", "p99", "Errors"];
    ReportTable { title: "The floor: cost of the unavoidable work", columns, rows }
}
