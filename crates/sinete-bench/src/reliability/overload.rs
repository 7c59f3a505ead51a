//! Load that goes on: a flood of password guesses, and a soak.

use super::TestBench;
use super::journal::{count_acknowledged, describe_failures};
use super::promise::{PromiseRow, PromiseVerdict};
use super::verification::verify_journals;
use super::workload::{RequestOutcome, RunningWorkload, send_request};
use crate::failed::BenchError;
use crate::load::LoadRequest;
use crate::load::connection::HttpConnection;
use crate::measure_flood::run_flood;
use crate::statistics::LatencyStatistics;
use crate::stopwatch::RunningStopwatch;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::task::JoinSet;

/// How long tokens are requested, first alone and then under the flood.
const ROUND_DURATION: Duration = Duration::from_secs(4);
/// The number of connections that request tokens.
const TOKEN_CONNECTIONS: usize = 8;
/// The smallest acceptable rate under the flood, as a share of the rate alone.
const TOKEN_RATE_SHARE_MIN: f64 = 0.05;
/// By how much the resident memory may grow during a soak.
const GROWTH_MAX_BYTES: u64 = 128 * 1024 * 1024;

/// Requests tokens while passwords are guessed as fast as the guesses are answered.
pub async fn try_flood(bench: &TestBench<'_>) -> Result<PromiseRow, BenchError> {
    let mut setup = bench.set_up(1).await?;
    let (target, request) = (setup.addresses()[0], setup.credentials.token_request());
    let alone = request_tokens(target, &request).await?;
    let (guesses, under) = run_flood(target, None, request_tokens(target, &request)).await?;
    let under = under?;
    setup.stop().await?;
    let share = under.issued.count() as f64 / alone.issued.count().max(1) as f64;
    let mut findings: Vec<_> = alone.failures.iter().chain(&under.failures).cloned().collect();
    if share < TOKEN_RATE_SHARE_MIN {
        findings.push(format!("tokens fell to {share:.2} of the rate alone"));
    }
    if guesses.other_responses > 0 {
        findings.push(format!("{} guesses were answered otherwise", guesses.other_responses));
    }
    let p99 = |round: &TokenRound| round.issued.percentile(99).unwrap_or_default().as_secs_f64() * 1_000.0;
    Ok(PromiseRow {
        promise: "a flood of password guesses does not stop tokens",
        engine: bench.engine,
        action: "32 connections guess passwords as fast as they are answered".to_owned(),
        count: format!(
            "{} guesses checked, {} answered 503 with Retry-After, {} tokens",
            guesses.checked,
            guesses.rate_limited,
            under.issued.count()
        ),
        result: format!(
            "0 token requests failed; {share:.2} of the rate alone; p99 {:.0} ms (alone {:.0} ms)",
            p99(&under),
            p99(&alone)
        ),
        verdict: PromiseVerdict::from_findings(findings),
    })
}

/// Runs the clients for a longer time, and compares their journals with the instance at the end.
pub async fn try_soak(bench: &TestBench<'_>, time: Duration) -> Result<PromiseRow, BenchError> {
    let mut setup = bench.set_up(1).await?;
    let workload = RunningWorkload::start(&setup.addresses(), &setup.credentials);
    // Memory is compared with that of a server that has been under load for a while.
    tokio::time::sleep(time / 4).await;
    let before = setup.first_node()?.resident_bytes()?;
    tokio::time::sleep(time - time / 4).await;
    let after = setup.first_node()?.resident_bytes()?;
    let journals = workload.finish().await?;
    let (acknowledged, failures) = (count_acknowledged(&journals), describe_failures(&journals));
    let mut findings = Vec::new();
    if failures.contains('×') {
        findings.push(failures.clone());
    }
    if after > before + GROWTH_MAX_BYTES {
        findings.push(format!("memory grew from {before} to {after} bytes"));
    }
    let verified = verify_journals(journals, setup.addresses()[0], &setup.credentials).await?;
    findings.extend(verified.findings);
    setup.stop().await?;
    findings.extend(setup.instance.verify_log(bench.program));
    Ok(PromiseRow {
        promise: "a soak ends without an error",
        engine: bench.engine,
        action: format!("tokens, revocations, code flows and refreshes for {} s", time.as_secs()),
        count: format!("{acknowledged} operations, {} facts checked", verified.checked),
        result: format!(
            "{failures}; memory {:.0} MB, {:.0} MB at the end; log verifies",
            before as f64 / 1e6,
            after as f64 / 1e6
        ),
        verdict: PromiseVerdict::from_findings(findings),
    })
}

/// What came of one round of token requests.
struct TokenRound {
    issued: LatencyStatistics,
    failures: Vec<String>,
}

async fn request_tokens(target: SocketAddr, request: &LoadRequest) -> Result<TokenRound, BenchError> {
    let (mut clients, watch) = (JoinSet::new(), RunningStopwatch::start());
    for _ in 0..TOKEN_CONNECTIONS {
        let request = request.clone();
        clients.spawn(async move {
            let (mut connection, mut durations, mut failures) =
                (HttpConnection::new(target), Vec::new(), Vec::new());
            while watch.elapsed() < ROUND_DURATION {
                let started = RunningStopwatch::start();
                match send_request(&mut connection, &request).await {
                    RequestOutcome::Acknowledged(_) => durations.push(started.elapsed()),
                    other => failures.push(format!("a token request failed: {other:?}")),
                }
            }
            (durations, failures)
        });
    }
    let (mut durations, mut failures) = (Vec::new(), Vec::new());
    while let Some(result) = clients.join_next().await {
        let (timeouts, failed) =
            result.map_err(|error| BenchError::Unexpected(format!("a client: {error}")))?;
        durations.extend(timeouts);
        failures.extend(failed);
    }
    Ok(TokenRound { issued: LatencyStatistics::from_durations(durations), failures })
}
