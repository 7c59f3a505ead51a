//! `sinete-bench start`: from the first instruction to ready, on nothing and on a database that exists.

use crate::failed::Failed;
use crate::report::{Cell, Table};
use crate::server::start_sinete;
use crate::settings::Settings;
use crate::statistics::Latencies;
use std::path::Path;
use std::time::Duration;

/// How long a server rests before its idle memory is read.
const REST_BEFORE_IDLE: Duration = Duration::from_millis(300);

/// Measures and gives one table.
pub async fn measure(settings: &Settings) -> Result<Vec<Table>, Failed> {
    let (mut first, mut again) = (Vec::new(), Vec::new());
    for turn in 0..settings.starts {
        settings.progress(&format!("start: {} of {}", turn + 1, settings.starts));
        let folder = settings.temporary_folder()?;
        first.push(start_once(settings, folder.path()).await?);
        again.push(start_once(settings, folder.path()).await?);
    }
    let rows = vec![row("first start, nothing there", first), row("existing database", again)];
    let columns = &["Start", "Times", "Ready: median", "Ready: slowest", "Idle memory: largest"];
    Ok(vec![Table { title: "Start to ready", columns, rows }])
}

struct Started {
    ready_after: Duration,
    idle_bytes: u64,
}

async fn start_once(settings: &Settings, folder: &Path) -> Result<Started, Failed> {
    let server = start_sinete(&settings.sinete, folder).await?;
    tokio::time::sleep(REST_BEFORE_IDLE).await;
    let started = Started { ready_after: server.ready_after, idle_bytes: server.process.resident_bytes()? };
    server.end().await?;
    Ok(started)
}

fn row(name: &str, starts: Vec<Started>) -> Vec<Cell> {
    let times = Latencies::of(starts.iter().map(|started| started.ready_after).collect());
    vec![
        Cell::text(name),
        Cell::text(starts.len().to_string()),
        Cell::milliseconds(times.percentile(50)),
        Cell::milliseconds(times.max()),
        Cell::maybe(starts.iter().map(|started| started.idle_bytes).max(), Cell::Bytes),
    ]
}
