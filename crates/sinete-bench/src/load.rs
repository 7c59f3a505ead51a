//! A small load generator: keep-alive connections, each sending its next request after the previous response.
//!
//! It connects to loopback only, stops at a count or a time, whichever comes first, and reports every error,
//! so that results with failed requests are noticed.

pub mod chain;
pub mod connection;
pub mod reply;

use crate::failed::BenchError;
use crate::process::MeasuredProcess;
use crate::statistics::LatencyStatistics;
use crate::stopwatch::RunningStopwatch;
use chain::RequestChain;
use connection::HttpConnection;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::task::JoinSet;

/// The default number of connections.
pub const CONNECTIONS: usize = 32;
/// Maximum connections of one run.
pub const CONNECTIONS_MAX: usize = 1024;
/// How long a connection pauses after an error, so that a stopped server is not flooded.
const PAUSE_AFTER_ERROR: Duration = Duration::from_millis(10);

/// A load plan: requests, target and amount.
#[derive(Clone, Debug)]
pub struct LoadPlan {
    /// The server, which must be on this machine.
    pub target: SocketAddr,
    /// The requests of one operation, sent in this order.
    pub script: Vec<LoadRequest>,
    /// Chains in which each operation depends on the previous one: one per connection, in place of the
    /// script.
    pub chains: Vec<RequestChain>,
    /// The number of concurrent connections.
    pub connections: usize,
    /// The warm-up, which is not counted.
    pub warm_up: RunBound,
    /// The measured part.
    pub measured: RunBound,
}

/// The end of a run: a count or a time, whichever comes first.
#[derive(Clone, Copy, Debug)]
pub struct RunBound {
    /// Maximum operations.
    pub operations: u64,
    /// Maximum time; operations in progress are finished.
    pub time: Duration,
}

/// A serialized request, which can be sent repeatedly.
#[derive(Clone, Debug)]
pub struct LoadRequest(Arc<[u8]>);

/// The request methods of the workloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestMethod {
    /// GET.
    Get,
    /// POST.
    Post,
}

/// The results of a run.
#[derive(Clone, Debug, Default)]
pub struct LoadTally {
    /// The duration.
    pub elapsed: Duration,
    /// The latencies of successful operations.
    pub latencies: LatencyStatistics,
    /// The errors with their counts.
    pub errors: BTreeMap<String, u64>,
    /// The CPU time of the server during the run, if its process is known.
    pub cpu: Option<Duration>,
}

impl LoadRequest {
    /// A GET request.
    pub fn get(path: &str) -> Self {
        Self(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").into_bytes().into())
    }

    /// A GET request with a session cookie.
    pub fn get_in_session(path: &str, session: &str) -> Self {
        let cookie = format!("cookie: sinete_session={session}\r\n");
        Self(format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{cookie}\r\n").into_bytes().into())
    }

    /// A GET request with an `Authorization` header.
    pub fn get_authorized(path: &str, authorization: &str) -> Self {
        Self(
            format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\n\r\n")
                .into_bytes()
                .into(),
        )
    }

    /// A POST request with JSON and an `Authorization` header.
    pub fn post_json(path: &str, authorization: &str, body: &str) -> Self {
        let length = body.len();
        Self(
            format!(
                "POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\n\
                 content-type: application/json\r\ncontent-length: {length}\r\n\r\n{body}"
            )
            .into_bytes()
            .into(),
        )
    }

    /// A POST request without a body, with an `Authorization` header.
    pub fn post_empty(path: &str, authorization: &str) -> Self {
        let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: {authorization}\r\n");
        Self(format!("{head}content-length: 0\r\n\r\n").into_bytes().into())
    }

    /// A POST request with a form.
    pub fn post_form(path: &str, body: &str) -> Self {
        let length = body.len();
        let kind = "application/x-www-form-urlencoded";
        Self(
            format!(
                "POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: {kind}\r\n\
                 content-length: {length}\r\n\r\n{body}"
            )
            .into_bytes()
            .into(),
        )
    }

    /// A request without parameters: a GET, or a POST of an empty form.
    pub fn from_method(method: RequestMethod, path: &str) -> Self {
        match method {
            RequestMethod::Get => Self::get(path),
            RequestMethod::Post => Self::post_form(path, ""),
        }
    }

    /// The serialized bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

impl LoadTally {
    /// Successful operations.
    pub fn operations(&self) -> usize {
        self.latencies.count()
    }

    /// Successful operations per second.
    pub fn rate(&self) -> f64 {
        self.operations() as f64 / self.elapsed.as_secs_f64()
    }

    /// The CPU time of the server per successful operation, in milliseconds.
    pub fn cpu_milliseconds(&self) -> Option<f64> {
        self.cpu.map(|cpu| cpu.as_secs_f64() * 1_000.0 / self.operations() as f64)
    }

    /// The errors in one line; `None` if there are none.
    pub fn error_summary(&self) -> Option<String> {
        let each = self.errors.iter().map(|(error, count)| format!("{count} × {error}"));
        (!self.errors.is_empty()).then(|| each.collect::<Vec<_>>().join(", "))
    }
}

/// Runs the warm-up, then measures. `server` is the process whose CPU time is counted.
pub async fn run_load(load: &LoadPlan, server: Option<MeasuredProcess>) -> Result<LoadTally, BenchError> {
    run_observed_load(load, server, async || Ok(())).await.map(|(tally, _)| tally)
}

/// The same, with what `observe` returns after the warm-up and at the end.
pub async fn run_observed_load<T>(
    load: &LoadPlan,
    server: Option<MeasuredProcess>,
    observe: impl AsyncFn() -> Result<T, BenchError>,
) -> Result<(LoadTally, [T; 2]), BenchError> {
    let connections = open_connections(load).await?;
    let script: Arc<[LoadRequest]> = load.script.clone().into();
    let (connections, _) = run_connections(connections, &script, load.warm_up, None).await?;
    let before = observe().await?;
    let (_, tally) = run_connections(connections, &script, load.measured, server).await?;
    Ok((tally, [before, observe().await?]))
}

/// Opens the connections of a load, each with its chain if there is one.
async fn open_connections(load: &LoadPlan) -> Result<Vec<LoadWorker>, BenchError> {
    if !load.target.ip().is_loopback() {
        return Err(BenchError::Unexpected(format!(
            "{} is not on this machine; load is not sent",
            load.target
        )));
    }
    let has_work =
        if load.chains.is_empty() { !load.script.is_empty() } else { load.chains.len() >= load.connections };
    if !has_work || !(1..=CONNECTIONS_MAX).contains(&load.connections) {
        let limit = format!("a load needs work for each of 1 to {CONNECTIONS_MAX} connections");
        return Err(BenchError::Unexpected(limit));
    }
    let (mut connections, mut chains) = (Vec::with_capacity(load.connections), load.chains.iter().cloned());
    for _ in 0..load.connections {
        let mut connection = HttpConnection::new(load.target);
        connection.open().await.map_err(|fault| {
            BenchError::Unexpected(format!("could not open a connection to {}: {fault}", load.target))
        })?;
        connections.push(LoadWorker { connection, chain: chains.next() });
    }
    Ok(connections)
}

/// Runs all connections until the bound is reached.
async fn run_connections(
    connections: Vec<LoadWorker>,
    script: &Arc<[LoadRequest]>,
    bound: RunBound,
    server: Option<MeasuredProcess>,
) -> Result<(Vec<LoadWorker>, LoadTally), BenchError> {
    let cpu_before = server.map(MeasuredProcess::cpu_time).transpose()?;
    let watch = RunningStopwatch::start();
    let operation_count = Arc::new(AtomicU64::new(0));
    let mut workers = JoinSet::new();
    let mut rested = Vec::with_capacity(connections.len());
    for connection in connections {
        let (script, operation_count) = (Arc::clone(script), Arc::clone(&operation_count));
        workers.spawn(async move { run_worker(connection, &script, bound, watch, &operation_count).await });
    }
    let (mut measured, mut errors) = (Vec::new(), BTreeMap::new());
    while let Some(finished) = workers.join_next().await {
        let worker = finished.map_err(|error| BenchError::Unexpected(format!("load generator: {error}")))?;
        measured.extend(worker.measured);
        for (error, count) in worker.errors {
            *errors.entry(error).or_default() += count;
        }
        rested.push(worker.worker);
    }
    let elapsed = watch.elapsed();
    let cpu_after = server.map(MeasuredProcess::cpu_time).transpose()?;
    let cpu = cpu_before.zip(cpu_after).map(|(before, after)| after.saturating_sub(before));
    Ok((rested, LoadTally { elapsed, latencies: LatencyStatistics::from_durations(measured), errors, cpu }))
}

/// A connection, with its chain if it has one.
struct LoadWorker {
    connection: HttpConnection,
    chain: Option<RequestChain>,
}

struct WorkerResult {
    worker: LoadWorker,
    measured: Vec<Duration>,
    errors: BTreeMap<String, u64>,
}

async fn run_worker(
    mut worker: LoadWorker,
    script: &[LoadRequest],
    bound: RunBound,
    watch: RunningStopwatch,
    operation_count: &AtomicU64,
) -> WorkerResult {
    let (mut measured, mut errors) = (Vec::new(), BTreeMap::<String, u64>::new());
    while watch.elapsed() < bound.time && operation_count.fetch_add(1, Ordering::Relaxed) < bound.operations {
        let started = RunningStopwatch::start();
        let result = match &mut worker.chain {
            Some(chain) => chain.run_operation(&mut worker.connection).await,
            None => run_operation(&mut worker.connection, script).await,
        };
        match result {
            Ok(()) => measured.push(started.elapsed()),
            Err(error) => {
                *errors.entry(error).or_default() += 1;
                tokio::time::sleep(PAUSE_AFTER_ERROR).await;
            }
        }
    }
    WorkerResult { worker, measured, errors }
}

/// Runs one operation: every request of the script must get a 2xx response.
async fn run_operation(connection: &mut HttpConnection, script: &[LoadRequest]) -> Result<(), String> {
    for request in script {
        match connection.exchange(request.bytes()).await {
            Ok(answer) if (200..300).contains(&answer.status) => {}
            Ok(answer) => return Err(format!("status {}", answer.status)),
            Err(fault) => return Err(fault.to_string()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn load_request_is_written_as_http() {
        let get = LoadRequest::get("/healthz");
        assert_eq!(get.bytes(), b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        let post = String::from_utf8(LoadRequest::post_form("/t", "a=b").bytes().to_vec()).unwrap();
        assert!(post.starts_with("POST /t HTTP/1.1\r\n") && post.ends_with("content-length: 3\r\n\r\na=b"));
    }

    #[test]
    fn load_figures_follow_from_the_counts() {
        let tally = LoadTally {
            elapsed: Duration::from_millis(500),
            latencies: LatencyStatistics::from_durations(vec![Duration::from_micros(7); 200]),
            errors: BTreeMap::from([("status 503".to_owned(), 2), ("status 400".to_owned(), 1)]),
            cpu: Some(Duration::from_millis(100)),
        };
        assert_eq!(tally.rate(), 400.0);
        assert_eq!(tally.cpu_milliseconds(), Some(0.5));
        assert_eq!(tally.error_summary().as_deref(), Some("1 × status 400, 2 × status 503"));
        assert_eq!(LoadTally::default().error_summary(), None);
    }

    #[tokio::test]
    async fn load_is_sent_to_the_local_machine_only() {
        let bound = RunBound { operations: 1, time: Duration::from_secs(1) };
        let mut load = LoadPlan {
            target: "192.0.2.1:80".parse().unwrap(),
            script: vec![LoadRequest::get("/")],
            chains: Vec::new(),
            connections: 1,
            warm_up: bound,
            measured: bound,
        };
        let refused = run_load(&load, None).await.unwrap_err().to_string();
        assert_eq!(refused, "192.0.2.1:80 is not on this machine; load is not sent");
        load.target = "127.0.0.1:9".parse().unwrap();
        load.connections = 0;
        assert!(run_load(&load, None).await.unwrap_err().to_string().contains("1 to 1024 connections"));
    }
}
