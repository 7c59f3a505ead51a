//! Tests of the load generator with the baseline server. They check counts, never times.

#![expect(clippy::unwrap_used, reason = "a test that cannot continue stops at once")]

use sinete_bench::floor::{self, BaselineServer, WORKLOADS};
use sinete_bench::load::chain::{RenewalChain, RequestChain};
use sinete_bench::load::connection::HttpConnection;
use sinete_bench::load::{self, LoadPlan, LoadRequest, RunBound};
use sinete_bench::process::MeasuredProcess;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

struct Running {
    address: SocketAddr,
    stop: oneshot::Sender<()>,
    served: tokio::task::JoinHandle<()>,
    folder: tempfile::TempDir,
}

impl Running {
    async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let floor = BaselineServer::build(folder.path(), 1_500, None).await.unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(async move {
            floor::serve(floor, listener, async { stopped.await.unwrap() }).await.unwrap();
        });
        Self { address, stop, served, folder }
    }

    fn load(&self, script: Vec<LoadRequest>, operations: u64) -> LoadPlan {
        let time = Duration::from_secs(60);
        let warm_up = RunBound { operations: 20, time };
        LoadPlan {
            target: self.address,
            script,
            chains: Vec::new(),
            connections: 8,
            warm_up,
            measured: RunBound { operations, time },
        }
    }

    fn events(&self) -> i64 {
        let connection = rusqlite::Connection::open(self.folder.path().join("floor.sqlite")).unwrap();
        connection.query_row("SELECT count(*) FROM events", [], |row| row.get(0)).unwrap()
    }

    async fn end(self) {
        self.stop.send(()).unwrap();
        self.served.await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn load_generator_counts_every_operation_once() {
    let floor = Running::start().await;
    let load = floor.load(vec![LoadRequest::post_form("/insert", "")], 200);
    let tally = load::run_load(&load, Some(MeasuredProcess::current())).await.unwrap();
    assert_eq!((tally.operations(), tally.error_summary()), (200, None));
    assert!(tally.cpu.is_some() && tally.latencies.max() >= tally.latencies.percentile(50));
    // The twenty operations of the warm-up were made too, but not counted.
    assert_eq!(floor.events(), 220);
    floor.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn baseline_answers_every_workload() {
    let floor = Running::start().await;
    for workload in WORKLOADS {
        let script =
            workload.requests.iter().map(|(method, path)| LoadRequest::from_method(*method, path)).collect();
        let tally = load::run_load(&floor.load(script, 200), None).await.unwrap();
        assert_eq!((tally.operations(), tally.error_summary()), (200, None), "{}", workload.name);
    }
    floor.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn request_chain_continues_with_the_last_response() {
    let floor = Running::start().await;
    let chain = |member| {
        let (form, next) = ("with=".to_owned(), "first".to_owned());
        RequestChain::Renewal(RenewalChain { path: "/sign", form, member, next })
    };
    let chains = |member, count: usize| LoadPlan {
        chains: (0..count).map(|_| chain(member)).collect(),
        ..floor.load(Vec::new(), 40)
    };
    let tally = load::run_load(&chains("token_type", 8), None).await.unwrap();
    assert_eq!((tally.operations(), tally.error_summary()), (40, None));
    let tally = load::run_load(&chains("refresh_token", 8), None).await.unwrap();
    assert_eq!(tally.error_summary().as_deref(), Some("40 × no refresh_token in the answer"));
    let refused = load::run_load(&chains("token_type", 7), None).await.unwrap_err().to_string();
    assert!(refused.contains("work for each"), "{refused}");
    floor.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn load_generator_reports_a_refused_request_as_an_error() {
    let floor = Running::start().await;
    let script = vec![LoadRequest::get("/static"), LoadRequest::get("/nowhere")];
    let tally = load::run_load(&floor.load(script, 30), None).await.unwrap();
    assert_eq!(tally.operations(), 0);
    assert_eq!(tally.error_summary().as_deref(), Some("30 × status 404"));
    floor.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn load_run_ends_by_time_before_its_count() {
    let floor = Running::start().await;
    let mut load = floor.load(vec![LoadRequest::get("/static")], u64::MAX);
    load.measured.time = Duration::from_secs(1);
    let tally = load::run_load(&load, None).await.unwrap();
    assert!(tally.operations() > 0 && tally.errors.is_empty());
    assert!(tally.elapsed >= load.measured.time);
    floor.end().await;
}

#[tokio::test]
async fn load_generator_reports_an_unreachable_server_as_an_error() {
    let floor = Running::start().await;
    let load = floor.load(vec![LoadRequest::get("/static")], 10);
    floor.end().await;
    let failed = load::run_load(&load, None).await.unwrap_err().to_string();
    assert!(failed.contains("connection refused"), "{failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn baseline_document_has_the_requested_size() {
    let floor = Running::start().await;
    let mut connection = HttpConnection::new(floor.address);
    let answer = connection.exchange(LoadRequest::get("/static").bytes()).await.unwrap();
    assert!(answer.bytes.ends_with(&[b' '; 1_500]) && !answer.bytes.ends_with(&[b' '; 1_501]));
    drop(connection);
    floor.end().await;
}
