//! Two processes on one PostgreSQL database: a secret that works once has one winner, and a revocation counts at once
//! on the other node. A SQLite database has one process, and refuses a second.

use super::TestBench;
use super::TestSetup;
use super::promise::{EngineKind, PromiseRow, PromiseVerdict};
use super::workload::{RequestOutcome, send_request};
use crate::failed::BenchError;
use crate::load::LoadRequest;
use crate::load::chain::{extract_code, extract_member};
use crate::load::connection::HttpConnection;
use std::net::SocketAddr;
use tokio::task::JoinSet;

/// The number of races for codes, and as many for refresh tokens.
const RACES: usize = 100;
/// The number of contenders of a race, half of them on each node.
const CONTENDERS: usize = 8;
/// The number of revocations.
const REVOCATIONS: usize = 100;
/// The number of requests to the other node after each revocation.
const REQUESTS_AFTER_REVOCATION: usize = 20;

/// Lets clients of two nodes present the same code and the same refresh token at once.
pub async fn try_races(bench: &TestBench<'_>) -> Result<PromiseRow, BenchError> {
    let mut setup = bench.set_up(count_nodes(bench)).await?;
    let mut findings = find_second_process(bench, &setup).await?;
    let mut connection = HttpConnection::new(setup.addresses()[0]);
    let mut contenders = open_contenders(&setup.addresses()).await?;
    let mut won_on_second = 0;
    for race in 0..RACES * 2 {
        let code = request_code(&mut connection, &setup).await?;
        let redemption = setup.credentials.redemption_request(&code);
        let request = if race < RACES {
            redemption
        } else {
            let answer = expect_success(&mut connection, &redemption).await?;
            let token = extract_member(&answer, "refresh_token").unwrap_or_default();
            setup.credentials.refresh_request(&token)
        };
        let (returned, winners) = run_race(contenders, &request).await?;
        contenders = returned;
        won_on_second += winners.iter().filter(|index| *index % setup.nodes.len() == 1).count();
        if winners.len() != 1 {
            findings.push(format!("race {race} had {} winners", winners.len()));
        }
    }
    setup.stop().await?;
    Ok(PromiseRow {
        promise: "single use has one winner",
        engine: bench.engine,
        action: format!(
            "{CONTENDERS} clients of {} present one code, or one refresh token, at the same moment",
            describe_nodes(bench)
        ),
        count: format!("{} races", RACES * 2),
        result: match bench.engine {
            EngineKind::Postgres => {
                format!("one winner in each; the second node had {won_on_second} of them")
            }
            EngineKind::Sqlite => "one winner in each; a second process on the file was refused".to_owned(),
        },
        verdict: PromiseVerdict::from_findings(findings),
    })
}

/// Revokes tokens on one node and uses them on the other.
pub async fn try_revocations(bench: &TestBench<'_>) -> Result<PromiseRow, BenchError> {
    let mut setup = bench.set_up(count_nodes(bench)).await?;
    let addresses = setup.addresses();
    let other = addresses.last().copied().unwrap_or(addresses[0]);
    let (mut first, mut second) = (HttpConnection::new(addresses[0]), HttpConnection::new(other));
    let (mut findings, mut request_count) = (Vec::new(), 0);
    for _ in 0..REVOCATIONS {
        let answer = expect_success(&mut first, &setup.credentials.token_request()).await?;
        let token = extract_member(&answer, "access_token").unwrap_or_default();
        let introspection = setup.credentials.introspection_request(&token);
        for _ in 0..2 {
            if !is_active(&expect_success(&mut second, &introspection).await?) {
                findings.push("a valid token was not active on the other node".to_owned());
            }
        }
        expect_success(&mut first, &setup.credentials.revocation_request(&token)).await?;
        for _ in 0..REQUESTS_AFTER_REVOCATION {
            request_count += 1;
            if is_active(&expect_success(&mut second, &introspection).await?) {
                findings.push("a revoked token was active on the other node".to_owned());
            }
        }
    }
    setup.stop().await?;
    Ok(PromiseRow {
        promise: "a revocation counts at once on every node",
        engine: bench.engine,
        action: format!(
            "token introspected, revoked and introspected again without a pause; introspection and revocation on {}",
            describe_nodes(bench)
        ),
        count: format!("{REVOCATIONS} revocations, {request_count} requests after the acknowledgement"),
        result: "0 of them succeeded".to_owned(),
        verdict: PromiseVerdict::from_findings(findings),
    })
}

fn count_nodes(bench: &TestBench<'_>) -> usize {
    match bench.engine {
        EngineKind::Sqlite => 1,
        EngineKind::Postgres => 2,
    }
}

fn describe_nodes(bench: &TestBench<'_>) -> &'static str {
    match bench.engine {
        EngineKind::Sqlite => "one process",
        EngineKind::Postgres => "two nodes",
    }
}

/// A finding if a second process serves the same SQLite database.
async fn find_second_process(bench: &TestBench<'_>, setup: &TestSetup) -> Result<Vec<String>, BenchError> {
    if bench.engine == EngineKind::Postgres {
        return Ok(Vec::new());
    }
    let mut second = setup.instance.create_node(bench.program, "second")?;
    match second.start().await {
        Err(BenchError::ProcessExited { output_tail: last_words, .. })
            if last_words.contains("in use by another process") =>
        {
            Ok(Vec::new())
        }
        Err(error) => Err(error),
        Ok(()) => Ok(vec!["a second process serves the same file".to_owned()]),
    }
}

async fn open_contenders(addresses: &[SocketAddr]) -> Result<Vec<HttpConnection>, BenchError> {
    let mut contenders = Vec::new();
    for index in 0..CONTENDERS {
        let mut connection = HttpConnection::new(addresses[index % addresses.len()]);
        let opened = connection.open().await;
        opened.map_err(|fault| BenchError::Unexpected(format!("a contender cannot connect: {fault}")))?;
        contenders.push(connection);
    }
    Ok(contenders)
}

/// Sends the request on all connections at once, and returns who was acknowledged.
async fn run_race(
    contenders: Vec<HttpConnection>,
    request: &LoadRequest,
) -> Result<(Vec<HttpConnection>, Vec<usize>), BenchError> {
    let mut running = JoinSet::new();
    for (index, mut connection) in contenders.into_iter().enumerate() {
        let request = request.clone();
        running.spawn(async move {
            let outcome = send_request(&mut connection, &request).await;
            (index, connection, matches!(outcome, RequestOutcome::Acknowledged(_)))
        });
    }
    let mut finished = Vec::new();
    while let Some(result) = running.join_next().await {
        finished.push(result.map_err(|error| BenchError::Unexpected(format!("a contender: {error}")))?);
    }
    finished.sort_by_key(|(index, ..)| *index);
    let winners = finished.iter().filter(|(.., won)| *won).map(|(index, ..)| *index).collect();
    Ok((finished.into_iter().map(|(_, connection, _)| connection).collect(), winners))
}

async fn request_code(connection: &mut HttpConnection, setup: &TestSetup) -> Result<String, BenchError> {
    let answer = expect_success(connection, &setup.credentials.authorization_request()).await?;
    extract_code(&answer).ok_or_else(|| BenchError::Unexpected("no code was issued".to_owned()))
}

async fn expect_success(
    connection: &mut HttpConnection,
    request: &LoadRequest,
) -> Result<Vec<u8>, BenchError> {
    match send_request(connection, request).await {
        RequestOutcome::Acknowledged(answer) => Ok(answer),
        other => Err(BenchError::Unexpected(format!("a request failed: {other:?}"))),
    }
}

fn is_active(answer: &[u8]) -> bool {
    String::from_utf8_lossy(answer).contains("\"active\":true")
}
