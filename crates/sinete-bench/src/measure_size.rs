//! `sinete-bench size`: how performance depends on the number of accounts. Two instances of the same engine,
//! one with few accounts and one with many, get the same requests in turn.

use crate::failed::BenchError;
use crate::load::chain::{RenewalChain, RequestChain};
use crate::load::{LoadRequest, LoadTally};
use crate::many_people::{self, MemberDetail};
use crate::measure_http::{RoundWork, run_round};
use crate::report::{ReportTable, TableCell};
use crate::server::{ChildServer, start_sinete_with};
use crate::settings::BenchSettings;
use crate::sign_in;
use crate::statistics::{LatencyStatistics, median};
use crate::stopwatch::RunningStopwatch;
use crate::throwaway::{TemporaryDatabase, describe_engine};
use crate::token_instance::{INVOICES, TokenInstance};
use std::time::Duration;
use tempfile::TempDir;

const TOKEN: &str = "/connect/token";
/// Idle time before the memory is measured.
const PAUSE_BEFORE_IDLE: Duration = Duration::from_millis(500);
/// The number of sign-ins at each instance.
const SIGN_INS: u64 = 60;

/// A filled instance that can be started.
struct FilledInstance {
    accounts: u64,
    fill_duration: Duration,
    /// Its PostgreSQL database, if it has one.
    database: Option<TemporaryDatabase>,
    instance: TokenInstance,
    folder: TempDir,
}

/// The results of one instance.
struct InstanceFigures {
    ready: LatencyStatistics,
    idle_bytes: u64,
    loaded_bytes: u64,
    sign_ins: LatencyStatistics,
    credentials: Vec<LoadTally>,
    refreshes: Vec<LoadTally>,
}

/// Measures both engines, PostgreSQL only if configured, with both numbers of accounts.
pub async fn measure(settings: &BenchSettings, sizes: [u64; 2]) -> Result<Vec<ReportTable>, BenchError> {
    let mut rows = Vec::new();
    rows.extend(measure_engine(settings, "SQLite", None, sizes).await?);
    if let Some(cluster) = &settings.postgres {
        let name = describe_engine(cluster).await?;
        rows.extend(measure_engine(settings, &name, Some(cluster), sizes).await?);
    }
    let columns = &[
        "Engine",
        "Accounts",
        "Filled in",
        "Ready: median",
        "Ready: slowest",
        "Idle memory",
        "After load",
        "Sign-in p50",
        "Sign-in p99",
        "Client credentials /s",
        "Refreshes /s",
        "Beside the small one",
        "Errors",
    ];
    Ok(vec![ReportTable { title: "Few accounts and many", columns, rows }])
}

async fn measure_engine(
    settings: &BenchSettings,
    name: &str,
    cluster: Option<&str>,
    sizes: [u64; 2],
) -> Result<Vec<Vec<TableCell>>, BenchError> {
    let (small, large) = (
        create_filled_instance(settings, name, cluster, sizes[0]).await?,
        create_filled_instance(settings, name, cluster, sizes[1]).await?,
    );
    let figures = measure_both(settings, name, [&small, &large]).await;
    let mut rows = Vec::new();
    if let Ok([of_small, of_large]) = &figures {
        rows.push(figures_row(name, &small, of_small, of_small));
        rows.push(figures_row(name, &large, of_large, of_small));
        // The other engine takes as long again, so these results are printed now.
        for row in &rows {
            let cells: Vec<String> = row.iter().map(ToString::to_string).collect();
            settings.progress(&format!("size: {}", cells.join(" | ")));
        }
    }
    for filled in [small, large] {
        if let Some(database) = filled.database {
            database.remove().await?;
        }
    }
    figures.map(|_| rows)
}

async fn create_filled_instance(
    settings: &BenchSettings,
    name: &str,
    cluster: Option<&str>,
    accounts: u64,
) -> Result<FilledInstance, BenchError> {
    settings.progress(&format!("size: {name} is filled with {accounts} accounts"));
    let folder = settings.temporary_folder()?;
    let database = match cluster {
        Some(cluster) => Some(TemporaryDatabase::create(cluster).await?),
        None => None,
    };
    let url = database.as_ref().map(|database| database.url.as_str());
    let instance = TokenInstance::prepare_at(settings, folder.path(), url).await?;
    let watch = RunningStopwatch::start();
    let store = instance.open_store().await?;
    let organization = instance.target_organization(MemberDetail::Credentials);
    let result = many_people::create_accounts(settings, &store, organization, accounts).await;
    store.close().await;
    result?;
    if let Some(database) = &database {
        database.run_maintenance().await?;
    }
    Ok(FilledInstance { accounts, fill_duration: watch.elapsed(), database, instance, folder })
}

async fn start_instance(
    settings: &BenchSettings,
    filled: &FilledInstance,
) -> Result<ChildServer, BenchError> {
    let mut variables = vec![("SINETE_RATE_LIMITS_ENABLED", "false"), ("SINETE_DELIVERY_ENABLED", "false")];
    if let Some(database) = &filled.database {
        variables.push(("SINETE_DATABASE_URL", &database.url));
    }
    start_sinete_with(&settings.sinete, filled.folder.path(), &variables).await
}

/// Measures both in turn, so that other load on the machine affects both.
async fn measure_both(
    settings: &BenchSettings,
    name: &str,
    filled: [&FilledInstance; 2],
) -> Result<[InstanceFigures; 2], BenchError> {
    let [small, large] = filled;
    settings.progress(&format!("size: {name} is started"));
    let ready = [measure_starts(settings, small).await?, measure_starts(settings, large).await?];
    let servers = [start_instance(settings, small).await?, start_instance(settings, large).await?];
    tokio::time::sleep(PAUSE_BEFORE_IDLE).await;
    let idle = [servers[0].process.resident_bytes()?, servers[1].process.resident_bytes()?];
    let (mut credentials, mut refreshes) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
    for turn in 0..settings.rounds as usize {
        for (which, server) in servers.iter().enumerate() {
            settings.progress(&format!("size: {name}, tokens with {} accounts", filled[which].accounts));
            credentials[which]
                .push(run_round(settings, server, client_credentials_work(filled[which])).await?);
            refreshes[which]
                .push(run_round(settings, server, refresh_work(settings, filled[which], turn)).await?);
        }
    }
    let mut sign_ins = Vec::new();
    for (which, server) in servers.iter().enumerate() {
        settings.progress(&format!("size: {name}, sign-ins with {} accounts", filled[which].accounts));
        sign_ins.push(sign_in::measure_sign_ins(server, filled[which].accounts, SIGN_INS).await?);
    }
    let loaded = [servers[0].process.resident_bytes()?, servers[1].process.resident_bytes()?];
    for server in servers {
        server.stop().await?;
    }
    let mut sign_ins = sign_ins.into_iter();
    let mut next = |which: usize,
                    ready: LatencyStatistics,
                    [credentials, refreshes]: [&mut Vec<LoadTally>; 2]| InstanceFigures {
        ready,
        idle_bytes: idle[which],
        loaded_bytes: loaded[which],
        sign_ins: sign_ins.next().unwrap_or_default(),
        credentials: std::mem::take(credentials),
        refreshes: std::mem::take(refreshes),
    };
    let [ready_small, ready_large] = ready;
    Ok([
        next(0, ready_small, [&mut credentials[0], &mut refreshes[0]]),
        next(1, ready_large, [&mut credentials[1], &mut refreshes[1]]),
    ])
}

/// Measures the time to readiness several times.
async fn measure_starts(
    settings: &BenchSettings,
    filled: &FilledInstance,
) -> Result<LatencyStatistics, BenchError> {
    let mut timeouts = Vec::new();
    for _ in 0..settings.starts.min(5) {
        let server = start_instance(settings, filled).await?;
        timeouts.push(server.ready_after);
        server.stop().await?;
    }
    Ok(LatencyStatistics::from_durations(timeouts))
}

/// The client credentials workload.
fn client_credentials_work(filled: &FilledInstance) -> RoundWork {
    let form = format!("{}&grant_type=client_credentials&resource={INVOICES}", filled.instance.robot);
    RoundWork::Script(vec![LoadRequest::post_form(TOKEN, &form)])
}

/// The refresh token workload, with families that no other round uses.
fn refresh_work(settings: &BenchSettings, filled: &FilledInstance, turn: usize) -> RoundWork {
    let form = format!("{}&grant_type=refresh_token&refresh_token=", filled.instance.app);
    let lines = filled.instance.refresh_tokens.chunks(settings.connections).nth(turn).unwrap_or_default();
    let chain = |token: &String| {
        let (form, next) = (form.clone(), token.clone());
        RequestChain::Renewal(RenewalChain { path: TOKEN, form, member: "refresh_token", next })
    };
    RoundWork::Chains(lines.iter().map(chain).collect())
}

fn median_rate(tallies: &[LoadTally]) -> Option<f64> {
    median(tallies.iter().map(LoadTally::rate))
}

/// How many times longer a token takes than on the small instance, for the worse of the two workloads.
fn slowdown_factor(figures: &InstanceFigures, small: &InstanceFigures) -> Option<f64> {
    let ratio = |ours: &[LoadTally], theirs: &[LoadTally]| Some(median_rate(theirs)? / median_rate(ours)?);
    let of_credentials = ratio(&figures.credentials, &small.credentials)?;
    Some(of_credentials.max(ratio(&figures.refreshes, &small.refreshes)?))
}

fn figures_row(
    name: &str,
    filled: &FilledInstance,
    figures: &InstanceFigures,
    small: &InstanceFigures,
) -> Vec<TableCell> {
    let tallies = figures.credentials.iter().chain(&figures.refreshes);
    let errors: Vec<_> = tallies.filter_map(LoadTally::error_summary).collect();
    vec![
        TableCell::text(name),
        TableCell::PerSecond(filled.accounts as f64),
        TableCell::Milliseconds(filled.fill_duration.as_secs_f64() * 1_000.0),
        TableCell::milliseconds(figures.ready.percentile(50)),
        TableCell::milliseconds(figures.ready.max()),
        TableCell::Bytes(figures.idle_bytes),
        TableCell::Bytes(figures.loaded_bytes),
        TableCell::milliseconds(figures.sign_ins.percentile(50)),
        TableCell::milliseconds(figures.sign_ins.percentile(99)),
        TableCell::or_absent(median_rate(&figures.credentials), TableCell::PerSecond),
        TableCell::or_absent(median_rate(&figures.refreshes), TableCell::PerSecond),
        TableCell::or_absent(slowdown_factor(figures, small), TableCell::Ratio),
        TableCell::text(if errors.is_empty() { "none".to_owned() } else { errors.join("; ") }),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(operations: u32) -> LoadTally {
        let latencies =
            LatencyStatistics::from_durations((0..operations).map(|_| Duration::from_millis(1)).collect());
        LoadTally { elapsed: Duration::from_secs(1), latencies, ..LoadTally::default() }
    }

    fn figures(credentials: u32, refreshes: u32) -> InstanceFigures {
        InstanceFigures {
            ready: LatencyStatistics::default(),
            idle_bytes: 0,
            loaded_bytes: 0,
            sign_ins: LatencyStatistics::default(),
            credentials: vec![tally(credentials)],
            refreshes: vec![tally(refreshes)],
        }
    }

    #[test]
    fn size_comparison_takes_the_worse_ratio() {
        assert_eq!(slowdown_factor(&figures(100, 50), &figures(100, 100)), Some(2.0));
        assert_eq!(slowdown_factor(&figures(50, 100), &figures(100, 100)), Some(2.0));
        assert_eq!(slowdown_factor(&figures(100, 100), &figures(100, 100)), Some(1.0));
    }
}
