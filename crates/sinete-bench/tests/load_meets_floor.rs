//! The load generator and the floor together. Counts are checked here, never times.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it stands")]

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
async fn every_operation_is_counted_once_and_none_fails() {
    let floor = Running::start().await;
    let load = floor.load(vec![LoadRequest::post_form("/insert", "")], 200);
    let tally = load::run(&load, Some(MeasuredProcess::current())).await.unwrap();
    assert_eq!((tally.operations(), tally.errors_in_words()), (200, None));
    assert!(tally.cpu.is_some() && tally.latencies.max() >= tally.latencies.percentile(50));
    // The warm-up's twenty were made too, but not counted.
    assert_eq!(floor.events(), 220);
    floor.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_workload_of_the_floor_answers() {
    let floor = Running::start().await;
    for workload in WORKLOADS {
        let script = workload.requests.iter().map(|(method, path)| LoadRequest::of(*method, path)).collect();
        let tally = load::run(&floor.load(script, 200), None).await.unwrap();
        assert_eq!((tally.operations(), tally.errors_in_words()), (200, None), "{}", workload.name);
    }
    floor.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chain_goes_on_with_what_the_last_answer_said() {
    let floor = Running::start().await;
    let chain = |member| {
        let (form, next) = ("with=".to_owned(), "first".to_owned());
        RequestChain::Renewal(RenewalChain { path: "/sign", form, member, next })
    };
    let chains = |member, count: usize| LoadPlan {
        chains: (0..count).map(|_| chain(member)).collect(),
        ..floor.load(Vec::new(), 40)
    };
    let tally = load::run(&chains("token_type", 8), None).await.unwrap();
    assert_eq!((tally.operations(), tally.errors_in_words()), (40, None));
    let tally = load::run(&chains("refresh_token", 8), None).await.unwrap();
    assert_eq!(tally.errors_in_words().as_deref(), Some("40 × no refresh_token in the answer"));
    let refused = load::run(&chains("token_type", 7), None).await.unwrap_err().to_string();
    assert!(refused.contains("work for each"), "{refused}");
    floor.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_request_is_an_error_and_is_shown() {
    let floor = Running::start().await;
    let script = vec![LoadRequest::get("/static"), LoadRequest::get("/nowhere")];
    let tally = load::run(&floor.load(script, 30), None).await.unwrap();
    assert_eq!(tally.operations(), 0);
    assert_eq!(tally.errors_in_words().as_deref(), Some("30 × status 404"));
    floor.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn time_ends_a_run_that_the_count_would_not() {
    let floor = Running::start().await;
    let mut load = floor.load(vec![LoadRequest::get("/static")], u64::MAX);
    load.measured.time = Duration::from_secs(1);
    let tally = load::run(&load, None).await.unwrap();
    assert!(tally.operations() > 0 && tally.errors.is_empty());
    assert!(tally.elapsed >= load.measured.time);
    floor.end().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_failure() {
    let floor = Running::start().await;
    let load = floor.load(vec![LoadRequest::get("/static")], 10);
    floor.end().await;
    let failed = load::run(&load, None).await.unwrap_err().to_string();
    assert!(failed.contains("connection refused"), "{failed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_has_the_size_that_was_asked_for() {
    let floor = Running::start().await;
    let mut connection = HttpConnection::to(floor.address);
    let answer = connection.exchange(LoadRequest::get("/static").bytes()).await.unwrap();
    assert!(answer.bytes.ends_with(&[b' '; 1_500]) && !answer.bytes.ends_with(&[b' '; 1_501]));
    drop(connection);
    floor.end().await;
}
