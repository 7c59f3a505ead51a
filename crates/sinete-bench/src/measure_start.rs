//! `sinete-bench start`: the time to readiness, with a new and with an existing database.

use crate::failed::BenchError;
use crate::report::{ReportTable, TableCell};
use crate::server::start_sinete;
use crate::settings::BenchSettings;
use crate::statistics::LatencyStatistics;
use std::path::Path;
use std::time::Duration;

/// Idle time before the memory is measured.
const PAUSE_BEFORE_IDLE: Duration = Duration::from_millis(300);

/// Measures, and returns one table.
pub async fn measure(settings: &BenchSettings) -> Result<Vec<ReportTable>, BenchError> {
    let (mut first, mut restarts) = (Vec::new(), Vec::new());
    for turn in 0..settings.starts {
        settings.progress(&format!("start: {} of {}", turn + 1, settings.starts));
        let folder = settings.temporary_folder()?;
        first.push(start_once(settings, folder.path()).await?);
        restarts.push(start_once(settings, folder.path()).await?);
    }
    let rows = vec![start_row("first start, nothing there", first), start_row("existing database", restarts)];
    let columns = &["Start", "Times", "Ready: median", "Ready: slowest", "Idle memory: largest"];
    Ok(vec![ReportTable { title: "Start to ready", columns, rows }])
}

struct StartResult {
    ready_after: Duration,
    idle_bytes: u64,
}

async fn start_once(settings: &BenchSettings, folder: &Path) -> Result<StartResult, BenchError> {
    let server = start_sinete(&settings.sinete, folder).await?;
    tokio::time::sleep(PAUSE_BEFORE_IDLE).await;
    let started =
        StartResult { ready_after: server.ready_after, idle_bytes: server.process.resident_bytes()? };
    server.stop().await?;
    Ok(started)
}

fn start_row(name: &str, starts: Vec<StartResult>) -> Vec<TableCell> {
    let times = LatencyStatistics::from_durations(starts.iter().map(|started| started.ready_after).collect());
    vec![
        TableCell::text(name),
        TableCell::text(starts.len().to_string()),
        TableCell::milliseconds(times.percentile(50)),
        TableCell::milliseconds(times.max()),
        TableCell::or_absent(starts.iter().map(|started| started.idle_bytes).max(), TableCell::Bytes),
    ]
}
