//! `sinete-bench flood`: the performance of tokens and introspection while passwords are guessed at ten times
//! the rate at which the server verifies them, and the outcome of the guesses.

use crate::failed::BenchError;
use crate::load::chain::extract_member;
use crate::load::connection::HttpConnection;
use crate::load::{LoadRequest, LoadTally};
use crate::many_people;
use crate::many_people::MemberDetail;
use crate::measure_http::{RoundWork, run_round};
use crate::measure_tokens::{INTROSPECT, TOKEN, client_credentials_form, request_access_token};
use crate::report::{ReportTable, TableCell};
use crate::server::{ChildServer, start_sinete};
use crate::settings::BenchSettings;
use crate::sign_in::{HonestSignIns, sign_in_honestly};
use crate::statistics::{LatencyStatistics, median};
use crate::stopwatch::RunningStopwatch;
use crate::token_instance::{INVOICES, TokenInstance};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::task::JoinSet;

/// The number of guessing connections.
const GUESSING_CONNECTIONS: usize = 32;
/// The rate of the flood, as a multiple of the server's verification rate.
const FLOOD_FACTOR: f64 = 10.0;

/// The number of accounts that sign in one after the other during the flood.
const HONEST_USERS: u64 = 100;

/// Measures with and without the flood, and returns three tables.
pub async fn measure(settings: &BenchSettings) -> Result<Vec<ReportTable>, BenchError> {
    let folder = settings.temporary_folder()?;
    let instance = TokenInstance::prepare(settings, folder.path()).await?;
    create_honest_users(settings, &instance).await?;
    let sinete = start_sinete(&settings.sinete, folder.path()).await?;
    let idle = sinete.process.resident_bytes()?;
    let introspection_form =
        format!("{}&token={}", instance.robot, request_access_token(&sinete, &instance).await?);
    let requests = [
        ("introspection of a known token, ES256", LoadRequest::post_form(INTROSPECT, &introspection_form)),
        (
            "client credentials, ES256",
            LoadRequest::post_form(TOKEN, &client_credentials_form(&instance, INVOICES)),
        ),
    ];
    settings.progress("flood: without guesses");
    let mut alone = Vec::new();
    for (_, request) in &requests {
        alone.push(run_rounds(settings, &sinete, request).await?);
    }
    settings.progress("flood: the rate at which passwords are checked");
    let (capacity, _) = run_flood(sinete.address, None, tokio::time::sleep(settings.round)).await?;
    let capacity_rate = capacity.per_second(capacity.checked);
    settings.progress("flood: ten times that rate");
    let timeout =
        Duration::from_secs_f64(GUESSING_CONNECTIONS as f64 / (capacity_rate.max(1.0) * FLOOD_FACTOR));
    let measuring = async {
        let (mut under, mut peak) = (Vec::new(), 0);
        for (_, request) in &requests {
            under.push(run_rounds(settings, &sinete, request).await?);
            peak = peak.max(sinete.process.resident_bytes()?);
        }
        Ok::<_, BenchError>((under, peak))
    };
    let stop = AtomicBool::new(false);
    let honest = sign_in_honestly(sinete.address, HONEST_USERS, &stop);
    let measured = async {
        let measured = measuring.await;
        stop.store(true, Relaxed);
        measured
    };
    let both = async { tokio::join!(measured, honest) };
    let (guesses, (measured, honest)) = run_flood(sinete.address, Some(timeout), both).await?;
    let ((under, peak), honest) = (measured?, honest?);
    sinete.stop().await?;
    let rows = requests.iter().zip(alone.iter().zip(&under));
    let rows = rows.map(|((name, _), (alone, under))| comparison_row(name, alone, under)).collect();
    let guess_table = guess_table(&guesses, capacity_rate, idle, peak);
    Ok(vec![comparison_table(rows), guess_table, honest_table(honest)])
}

/// Accounts with a password that sign in during the flood.
async fn create_honest_users(settings: &BenchSettings, instance: &TokenInstance) -> Result<(), BenchError> {
    let organization = instance.target_organization(MemberDetail::Credentials);
    let store = instance.open_store().await?;
    let created = many_people::create_accounts(settings, &store, organization, HONEST_USERS).await;
    store.close().await;
    created
}

async fn run_rounds(
    settings: &BenchSettings,
    sinete: &ChildServer,
    request: &LoadRequest,
) -> Result<Vec<LoadTally>, BenchError> {
    let mut tallies = Vec::new();
    for _ in 0..settings.rounds {
        tallies.push(run_round(settings, sinete, RoundWork::Script(vec![request.clone()])).await?);
    }
    Ok(tallies)
}

/// The outcome of the guesses.
pub(crate) struct GuessResults {
    elapsed: Duration,
    /// Verified, and wrong.
    pub(crate) checked: u64,
    /// Rejected with `Retry-After`.
    pub(crate) rate_limited: u64,
    /// All other responses.
    pub(crate) other_responses: u64,
}

impl GuessResults {
    fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.elapsed.as_secs_f64()
    }
}

#[derive(Default)]
struct GuessCounters {
    stop: AtomicBool,
    next_guess: AtomicU64,
    checked: AtomicU64,
    rate_limited: AtomicU64,
    other_responses: AtomicU64,
}

/// Sends guesses until `measurement` completes; each connection at this interval, or as fast as responses
/// arrive.
pub(crate) async fn run_flood<T>(
    target: SocketAddr,
    timeout: Option<Duration>,
    measurement: impl Future<Output = T>,
) -> Result<(GuessResults, T), BenchError> {
    let counters = Arc::new(GuessCounters::default());
    let watch = RunningStopwatch::start();
    let mut guessers = JoinSet::new();
    for _ in 0..GUESSING_CONNECTIONS {
        let counters = Arc::clone(&counters);
        guessers.spawn(async move { send_guesses(target, timeout, &counters).await });
    }
    let output = measurement.await;
    counters.stop.store(true, Relaxed);
    while let Some(guesser) = guessers.join_next().await {
        guesser.map_err(|error| BenchError::Unexpected(format!("guessing: {error}")))??;
    }
    let read = |counter: &AtomicU64| counter.load(Relaxed);
    let guesses = GuessResults {
        elapsed: watch.elapsed(),
        checked: read(&counters.checked),
        rate_limited: read(&counters.rate_limited),
        other_responses: read(&counters.other_responses),
    };
    Ok((guesses, output))
}

/// Sends one wrong password after another, each for a different account, in one flow.
async fn send_guesses(
    target: SocketAddr,
    timeout: Option<Duration>,
    counters: &GuessCounters,
) -> Result<(), BenchError> {
    let mut connection = HttpConnection::new(target);
    let begin = LoadRequest::post_json("/flows", "None", r#"{"kind":"sign_in","session":"token"}"#);
    let answer = connection.exchange(begin.bytes()).await;
    let answer =
        answer.map_err(|fault| BenchError::Unexpected(format!("could not begin a flow: {fault}")))?;
    let flow_credentials = extract_member(answer.bytes, "id").zip(extract_member(answer.bytes, "flow_token"));
    let Some((flow, token)) = flow_credentials else {
        let body = String::from_utf8_lossy(answer.bytes).into_owned();
        return Err(BenchError::Unexpected(format!("no flow was begun: {body}")));
    };
    let (path, authorization) = (format!("/flows/{flow}/password"), format!("Flow {token}"));
    let mut ticks = timeout.map(tokio::time::interval);
    while !counters.stop.load(Relaxed) {
        if let Some(ticks) = &mut ticks {
            ticks.tick().await;
        }
        let turn = counters.next_guess.fetch_add(1, Relaxed);
        let body = format!(r#"{{"email":"nobody{turn}@example.com","password":"a wrong pass phrase"}}"#);
        let answer = connection.exchange(LoadRequest::post_json(&path, &authorization, &body).bytes()).await;
        let counter = match answer {
            Ok(answer) if answer.status == 422 => &counters.checked,
            Ok(answer) if answer.status == 503 && has_retry_after(answer.bytes) => &counters.rate_limited,
            Ok(_) | Err(_) => &counters.other_responses,
        };
        counter.fetch_add(1, Relaxed);
    }
    Ok(())
}

pub(crate) fn has_retry_after(answer: &[u8]) -> bool {
    let header_name = b"retry-after:";
    answer.windows(header_name.len()).any(|window| window.eq_ignore_ascii_case(header_name))
}

fn comparison_row(name: &str, alone: &[LoadTally], under: &[LoadTally]) -> Vec<TableCell> {
    let rate = |tallies: &[LoadTally]| median(tallies.iter().map(LoadTally::rate));
    let latencies = |tallies: &[LoadTally]| {
        tallies.iter().fold(LatencyStatistics::default(), |all, it| all.merge(&it.latencies))
    };
    let (before, after) = (latencies(alone), latencies(under));
    let errors: Vec<_> = alone.iter().chain(under).filter_map(LoadTally::error_summary).collect();
    vec![
        TableCell::text(name),
        TableCell::or_absent(rate(alone), TableCell::PerSecond),
        TableCell::or_absent(rate(under), TableCell::PerSecond),
        TableCell::or_absent(
            rate(under).zip(rate(alone)).map(|(under, alone)| under / alone),
            TableCell::Ratio,
        ),
        TableCell::milliseconds(before.percentile(50)),
        TableCell::milliseconds(after.percentile(50)),
        TableCell::milliseconds(before.percentile(99)),
        TableCell::milliseconds(after.percentile(99)),
        TableCell::text(if errors.is_empty() { "none".to_owned() } else { errors.join("; ") }),
    ]
}

fn comparison_table(rows: Vec<Vec<TableCell>>) -> ReportTable {
    let columns = &[
        "Workload",
        "Alone /s",
        "Under the flood /s",
        "of alone",
        "p50 alone",
        "p50 under",
        "p99 alone",
        "p99 under",
        "Errors",
    ];
    ReportTable { title: "Flood: tokens while passwords are guessed", columns, rows }
}

fn guess_table(guesses: &GuessResults, capacity: f64, idle: u64, peak: u64) -> ReportTable {
    let all = guesses.checked + guesses.rate_limited + guesses.other_responses;
    let columns = &[
        "Checked /s, nothing else running",
        "Guessed /s",
        "Checked /s",
        "503 with Retry-After /s",
        "Anything else",
        "Memory before",
        "Memory under the flood",
    ];
    let row = vec![
        TableCell::PerSecond(capacity),
        TableCell::PerSecond(guesses.per_second(all)),
        TableCell::PerSecond(guesses.per_second(guesses.checked)),
        TableCell::PerSecond(guesses.per_second(guesses.rate_limited)),
        TableCell::text(guesses.other_responses.to_string()),
        TableCell::Bytes(idle),
        TableCell::Bytes(peak),
    ];
    ReportTable { title: "Flood: outcome of the guesses", columns, rows: vec![row] }
}

fn honest_table(honest: HonestSignIns) -> ReportTable {
    let max_attempts = honest.attempts.iter().copied().fold(0.0, f64::max);
    let row = vec![
        TableCell::text(honest.durations.len().to_string()),
        TableCell::text(median(honest.attempts.iter().copied()).unwrap_or(0.0).to_string()),
        TableCell::text(max_attempts.to_string()),
        TableCell::milliseconds(LatencyStatistics::from_durations(honest.durations.clone()).percentile(50)),
        TableCell::milliseconds(LatencyStatistics::from_durations(honest.durations).max()),
    ];
    let columns = &["Signed in", "Attempts: median", "Attempts: most", "After: p50", "After: slowest"];
    ReportTable {
        title: "Flood: users with the right password, on unknown devices",
        columns,
        rows: vec![row],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_after_header_is_found_in_any_case() {
        assert!(has_retry_after(b"HTTP/1.1 503 x\r\nRetry-After: 1\r\n\r\n"));
        assert!(!has_retry_after(b"HTTP/1.1 503 x\r\n\r\n"));
    }
}
