//! Connections: more of them than file descriptors, and clients that send slowly.

use super::TestBench;
use super::promise::{PromiseRow, PromiseVerdict};
use super::workload::{RequestOutcome, send_request};
use crate::failed::BenchError;
use crate::load::LoadRequest;
use crate::load::connection::HttpConnection;
use crate::statistics::LatencyStatistics;
use crate::stopwatch::RunningStopwatch;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::task::JoinSet;

/// The limit of open files of the server.
const OPEN_FILES: &str = "ulimit -n 256";
/// The number of idle connections.
const IDLE_CONNECTIONS: usize = 600;
/// The longest acceptable time until tokens are issued again: the time for headers to arrive, and a margin.
const TOKEN_RECOVERY_MAX: Duration = Duration::from_secs(15);
/// The number of token requests afterwards, all of which must succeed.
const TOKEN_REQUESTS_AFTER: usize = 50;

/// The number of clients that send their headers slowly, and as many that send a body slowly.
const SLOW_CLIENTS: usize = 100;
/// Between two bytes of a slow client.
const SLOW_INTERVAL: Duration = Duration::from_millis(500);
/// The longest acceptable time until a slow client is cut off: 10 s for headers, 15 s for a body, and a margin.
const SLOW_MAX: Duration = Duration::from_secs(20);
/// Between two requests of the fast client.
const FAST_INTERVAL: Duration = Duration::from_millis(20);
/// The longest acceptable time of a fast request meanwhile.
const FAST_MAX: Duration = Duration::from_secs(2);

/// Opens more idle connections than the server has file descriptors.
pub async fn try_descriptors(bench: &TestBench<'_>) -> Result<PromiseRow, BenchError> {
    let mut setup = bench.set_up_limited(OPEN_FILES).await?;
    let target = setup.addresses()[0];
    let mut idle = Vec::new();
    for _ in 0..IDLE_CONNECTIONS {
        let opening = tokio::time::timeout(Duration::from_secs(1), TcpStream::connect(target)).await;
        idle.extend(opening.ok().and_then(Result::ok));
    }
    let mut findings = Vec::new();
    for path in ["/healthz", "/readyz", "/metrics"] {
        let status = setup.first_node()?.admin_status(path).await;
        if status != Some(200) {
            findings.push(format!("{path} was {status:?}"));
        }
    }
    let (watch, request) = (RunningStopwatch::start(), setup.credentials.token_request());
    let recovery_time = loop {
        if is_acknowledged(target, &request).await {
            break Some(watch.elapsed());
        }
        if watch.elapsed() > TOKEN_RECOVERY_MAX {
            findings.push(format!("no token after {TOKEN_RECOVERY_MAX:?}"));
            break None;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    };
    let mut issued = 0;
    for _ in 0..TOKEN_REQUESTS_AFTER {
        issued += usize::from(is_acknowledged(target, &request).await);
    }
    if issued != TOKEN_REQUESTS_AFTER {
        findings.push(format!("{issued} of {TOKEN_REQUESTS_AFTER} tokens were issued afterwards"));
    }
    let opened = idle.len();
    drop(idle);
    setup.stop().await?;
    Ok(PromiseRow {
        promise: "file descriptors are never exhausted",
        engine: bench.engine,
        action: format!("server limited with `{OPEN_FILES}`, idle connections opened and kept"),
        count: format!("{opened} connections, {TOKEN_REQUESTS_AFTER} tokens"),
        result: format!(
            "/healthz, /readyz and /metrics 200; tokens after {:.1} s, then all issued",
            recovery_time.unwrap_or_default().as_secs_f64()
        ),
        verdict: PromiseVerdict::from_findings(findings),
    })
}

/// Keeps connections busy with clients that send a byte now and then.
pub async fn try_slow_clients(bench: &TestBench<'_>) -> Result<PromiseRow, BenchError> {
    let mut setup = bench.set_up(1).await?;
    let target = setup.addresses()[0];
    let mut slow = JoinSet::new();
    for number in 0..SLOW_CLIENTS * 2 {
        let head = if number % 2 == 0 {
            "GET / HTTP/1.1\r\nhost: localhost\r\nx-slow: ".to_owned()
        } else {
            "POST /connect/token HTTP/1.1\r\nhost: localhost\r\n\
             content-type: application/x-www-form-urlencoded\r\ncontent-length: 4000\r\n\r\n"
                .to_owned()
        };
        slow.spawn(async move { send_slowly(target, &head).await });
    }
    let request = setup.credentials.token_request();
    let (watch, mut findings) = (RunningStopwatch::start(), Vec::new());
    let (mut durations, mut connection) = (Vec::new(), HttpConnection::new(target));
    let mut cut = Vec::new();
    while !slow.is_empty() {
        let started = RunningStopwatch::start();
        match send_request(&mut connection, &request).await {
            RequestOutcome::Acknowledged(_) => durations.push(started.elapsed()),
            other => findings.push(format!("a fast request failed: {other:?}")),
        }
        while let Some(Ok(ended)) = slow.try_join_next() {
            cut.push(ended);
        }
        if watch.elapsed() > SLOW_MAX + Duration::from_secs(5) {
            break;
        }
        tokio::time::sleep(FAST_INTERVAL).await;
    }
    let late = slow.len() + cut.iter().filter(|ended| ended.is_none_or(|time| time > SLOW_MAX)).count();
    if late > 0 {
        findings.push(format!("{late} slow clients were not cut off within {SLOW_MAX:?}"));
    }
    slow.shutdown().await;
    let durations = LatencyStatistics::from_durations(durations);
    let slowest = durations.max().unwrap_or_default();
    if slowest > FAST_MAX {
        findings.push(format!("a fast request took {slowest:?}"));
    }
    setup.stop().await?;
    let longest = cut.iter().flatten().max().copied().unwrap_or_default();
    Ok(PromiseRow {
        promise: "slow clients are cut off and do not delay others",
        engine: bench.engine,
        action: "a byte every 500 ms, half of the clients in the headers, half in the body".to_owned(),
        count: format!("{} slow clients, {} fast requests meanwhile", SLOW_CLIENTS * 2, durations.count()),
        result: format!(
            "all cut off within {:.1} s; fast requests: p99 {:.1} ms, slowest {:.1} ms",
            longest.as_secs_f64(),
            durations.percentile(99).unwrap_or_default().as_secs_f64() * 1_000.0,
            slowest.as_secs_f64() * 1_000.0,
        ),
        verdict: PromiseVerdict::from_findings(findings),
    })
}

async fn is_acknowledged(target: SocketAddr, request: &LoadRequest) -> bool {
    let mut connection = HttpConnection::new(target);
    let sending = send_request(&mut connection, request);
    let result = tokio::time::timeout(Duration::from_secs(3), sending).await;
    matches!(result, Ok(RequestOutcome::Acknowledged(_)))
}

/// Sends a beginning and then single bytes. Returns when the server answered or closed the connection; `None` if it
/// did neither.
async fn send_slowly(target: SocketAddr, head: &str) -> Option<Duration> {
    let watch = RunningStopwatch::start();
    let mut stream = TcpStream::connect(target).await.ok()?;
    stream.write_all(head.as_bytes()).await.ok()?;
    while watch.elapsed() < SLOW_MAX {
        let mut buffer = [0; 16];
        if tokio::time::timeout(SLOW_INTERVAL, stream.readable()).await.is_ok()
            && !matches!(stream.try_read(&mut buffer), Err(error) if error.kind() == std::io::ErrorKind::WouldBlock)
        {
            return Some(watch.elapsed());
        }
        if stream.write_all(b"x").await.is_err() {
            return Some(watch.elapsed());
        }
    }
    None
}
