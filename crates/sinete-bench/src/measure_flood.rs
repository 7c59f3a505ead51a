//! `sinete-bench flood`: what is left of tokens and introspection while passwords are guessed at ten times the rate at
//! which the service checks them, and what becomes of the guesses.

use crate::failed::BenchError;
use crate::load::chain::member;
use crate::load::connection::HttpConnection;
use crate::load::{LoadRequest, LoadTally};
use crate::measure_http::{RoundWork, round};
use crate::measure_tokens::{INTROSPECT, TOKEN, own, own_token};
use crate::report::{ReportTable, TableCell};
use crate::server::{ChildServer, start_sinete};
use crate::settings::BenchSettings;
use crate::statistics::{LatencyStatistics, median};
use crate::stopwatch::RunningStopwatch;
use crate::token_instance::{INVOICES, TokenInstance};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Duration;
use tokio::task::JoinSet;

/// Connections that guess.
const GUESSERS: usize = 32;
/// How many times the rate of the service the flood has.
const TIMES: f64 = 10.0;

/// Measures both, alone and under the flood, and gives two tables.
pub async fn measure(settings: &BenchSettings) -> Result<Vec<ReportTable>, BenchError> {
    let folder = settings.temporary_folder()?;
    let instance = TokenInstance::prepare(settings, folder.path()).await?;
    let sinete = start_sinete(&settings.sinete, folder.path()).await?;
    let idle = sinete.process.resident_bytes()?;
    let shown = format!("{}&token={}", instance.robot, own_token(&sinete, &instance).await?);
    let work = [
        ("introspection of a known token, ES256", LoadRequest::post_form(INTROSPECT, &shown)),
        ("client credentials, ES256", LoadRequest::post_form(TOKEN, &own(&instance, INVOICES))),
    ];
    settings.progress("flood: nobody guesses");
    let mut alone = Vec::new();
    for (_, request) in &work {
        alone.push(rounds(settings, &sinete, request).await?);
    }
    settings.progress("flood: how many passwords are checked in a second");
    let (capacity, _) = flood(sinete.address, None, tokio::time::sleep(settings.round)).await?;
    let capacity_rate = capacity.per_second(capacity.checked);
    settings.progress("flood: ten times as many");
    let pace = Duration::from_secs_f64(GUESSERS as f64 / (capacity_rate.max(1.0) * TIMES));
    let measuring = async {
        let (mut under, mut peak) = (Vec::new(), 0);
        for (_, request) in &work {
            under.push(rounds(settings, &sinete, request).await?);
            peak = peak.max(sinete.process.resident_bytes()?);
        }
        Ok::<_, BenchError>((under, peak))
    };
    let (guesses, measured) = flood(sinete.address, Some(pace), measuring).await?;
    let (under, peak) = measured?;
    sinete.end().await?;
    let rows = work.iter().zip(alone.iter().zip(&under));
    let rows = rows.map(|((name, _), (alone, under))| row(name, alone, under)).collect();
    Ok(vec![comparison(rows), guessed(&guesses, capacity_rate, idle, peak)])
}

async fn rounds(
    settings: &BenchSettings,
    sinete: &ChildServer,
    request: &LoadRequest,
) -> Result<Vec<LoadTally>, BenchError> {
    let mut tallies = Vec::new();
    for _ in 0..settings.rounds {
        tallies.push(round(settings, sinete, RoundWork::Script(vec![request.clone()])).await?);
    }
    Ok(tallies)
}

/// What became of the guesses.
struct GuessResults {
    elapsed: Duration,
    /// Looked at, and wrong.
    checked: u64,
    /// Turned away with a time to come back.
    turned_away: u64,
    /// Anything else.
    otherwise: u64,
}

impl GuessResults {
    fn per_second(&self, count: u64) -> f64 {
        count as f64 / self.elapsed.as_secs_f64()
    }
}

#[derive(Default)]
struct GuessCounters {
    stop: AtomicBool,
    turn: AtomicU64,
    checked: AtomicU64,
    turned_away: AtomicU64,
    otherwise: AtomicU64,
}

/// Guesses until something else is done; each connection at this pace, or as fast as it is answered.
async fn flood<T>(
    target: SocketAddr,
    pace: Option<Duration>,
    meanwhile: impl Future<Output = T>,
) -> Result<(GuessResults, T), BenchError> {
    let counters = Arc::new(GuessCounters::default());
    let watch = RunningStopwatch::start();
    let mut guessers = JoinSet::new();
    for _ in 0..GUESSERS {
        let counters = Arc::clone(&counters);
        guessers.spawn(async move { guess(target, pace, &counters).await });
    }
    let done = meanwhile.await;
    counters.stop.store(true, Relaxed);
    while let Some(guesser) = guessers.join_next().await {
        guesser.map_err(|error| BenchError::Unexpected(format!("guessing: {error}")))??;
    }
    let read = |counter: &AtomicU64| counter.load(Relaxed);
    let guesses = GuessResults {
        elapsed: watch.elapsed(),
        checked: read(&counters.checked),
        turned_away: read(&counters.turned_away),
        otherwise: read(&counters.otherwise),
    };
    Ok((guesses, done))
}

/// Says one wrong password after the other, each for somebody else, in one flow.
async fn guess(
    target: SocketAddr,
    pace: Option<Duration>,
    counters: &GuessCounters,
) -> Result<(), BenchError> {
    let mut connection = HttpConnection::to(target);
    let begin = LoadRequest::post_json("/flows", "None", r#"{"kind":"sign_in","session":"token"}"#);
    let answer = connection.exchange(begin.bytes()).await;
    let answer =
        answer.map_err(|fault| BenchError::Unexpected(format!("could not begin a flow: {fault}")))?;
    let found = member(answer.bytes, "id").zip(member(answer.bytes, "flow_token"));
    let Some((flow, token)) = found else {
        let said = String::from_utf8_lossy(answer.bytes).into_owned();
        return Err(BenchError::Unexpected(format!("no flow was begun: {said}")));
    };
    let (path, authorization) = (format!("/flows/{flow}/password"), format!("Flow {token}"));
    let mut ticks = pace.map(tokio::time::interval);
    while !counters.stop.load(Relaxed) {
        if let Some(ticks) = &mut ticks {
            ticks.tick().await;
        }
        let turn = counters.turn.fetch_add(1, Relaxed);
        let body = format!(r#"{{"email":"nobody{turn}@example.com","password":"a wrong pass phrase"}}"#);
        let answer = connection.exchange(LoadRequest::post_json(&path, &authorization, &body).bytes()).await;
        let counter = match answer {
            Ok(answer) if answer.status == 422 => &counters.checked,
            Ok(answer) if answer.status == 503 && has_retry_after(answer.bytes) => &counters.turned_away,
            Ok(_) | Err(_) => &counters.otherwise,
        };
        counter.fetch_add(1, Relaxed);
    }
    Ok(())
}

fn has_retry_after(answer: &[u8]) -> bool {
    let wanted = b"retry-after:";
    answer.windows(wanted.len()).any(|window| window.eq_ignore_ascii_case(wanted))
}

fn row(name: &str, alone: &[LoadTally], under: &[LoadTally]) -> Vec<TableCell> {
    let rate = |tallies: &[LoadTally]| median(tallies.iter().map(LoadTally::rate));
    let latencies = |tallies: &[LoadTally]| {
        tallies.iter().fold(LatencyStatistics::default(), |all, it| all.joined(&it.latencies))
    };
    let (before, after) = (latencies(alone), latencies(under));
    let errors: Vec<_> = alone.iter().chain(under).filter_map(LoadTally::errors_in_words).collect();
    vec![
        TableCell::text(name),
        TableCell::maybe(rate(alone), TableCell::PerSecond),
        TableCell::maybe(rate(under), TableCell::PerSecond),
        TableCell::maybe(rate(under).zip(rate(alone)).map(|(under, alone)| under / alone), TableCell::Ratio),
        TableCell::milliseconds(before.percentile(50)),
        TableCell::milliseconds(after.percentile(50)),
        TableCell::milliseconds(before.percentile(99)),
        TableCell::milliseconds(after.percentile(99)),
        TableCell::text(if errors.is_empty() { "none".to_owned() } else { errors.join("; ") }),
    ]
}

fn comparison(rows: Vec<Vec<TableCell>>) -> ReportTable {
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

fn guessed(guesses: &GuessResults, capacity: f64, idle: u64, peak: u64) -> ReportTable {
    let all = guesses.checked + guesses.turned_away + guesses.otherwise;
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
        TableCell::PerSecond(guesses.per_second(guesses.turned_away)),
        TableCell::text(guesses.otherwise.to_string()),
        TableCell::Bytes(idle),
        TableCell::Bytes(peak),
    ];
    ReportTable { title: "Flood: what became of the guesses", columns, rows: vec![row] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_to_come_back_is_found_however_it_is_spelled() {
        assert!(has_retry_after(b"HTTP/1.1 503 x\r\nRetry-After: 1\r\n\r\n"));
        assert!(!has_retry_after(b"HTTP/1.1 503 x\r\n\r\n"));
    }
}
