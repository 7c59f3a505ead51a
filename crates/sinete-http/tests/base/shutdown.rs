//! Tests of shutdown: requests in progress are completed, no new ones begin, and the node reports that it is
//! draining.

use crate::harness::{SOON, eventually, settings_with, start, start_with};
use crate::raw_client::Client;
use crate::test_routes::open_gate;
use sinete_server::serve::DrainReport;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use tokio::net::TcpStream;

#[tokio::test]
async fn shutdown_finishes_a_request_in_progress_and_closes_its_connection() {
    let server = start().await;
    let mut client = server.client().await;
    client.send("GET /test/gate?name=finished HTTP/1.1\r\nhost: test\r\n\r\n").await;
    server.is_busy_with(1).await;
    let join_handle = tokio::spawn(async move {
        let reply = client.reply().await.unwrap();
        assert!(client.reply().await.is_none());
        (reply.status, reply.header("connection").map(str::to_owned))
    });
    let public = server.public;
    let stopping = tokio::spawn(server.stop());
    eventually("the listener is closed", async || TcpStream::connect(public).await.is_err()).await;
    assert!(!stopping.is_finished(), "a request is still in progress");
    open_gate("finished");
    assert_eq!(stopping.await.unwrap(), DrainReport { aborted_connections: 0 });
    assert_eq!(join_handle.await.unwrap(), (200, Some("close".to_owned())));
}

#[tokio::test]
async fn shutdown_reports_not_ready_while_draining() {
    let server = start().await;
    let mut admin = Client::connect(server.admin).await;
    let mut client = server.client().await;
    client.send("GET /test/gate?name=draining HTTP/1.1\r\nhost: test\r\n\r\n").await;
    server.is_busy_with(1).await;
    assert_eq!(admin.get("/readyz", "").await.status, 200);
    server.stop.cancel();
    eventually("it is not ready", async || admin.get("/readyz", "").await.status != 200).await;
    let reply = admin.get("/readyz", "").await;
    assert_eq!(
        (reply.status, &reply.json()["detail"]),
        (503, &"The node is not ready: this node is shutting down. Send requests to another node, or try again in a moment.".into())
    );
    let mut newcomer = Client::connect(server.admin).await;
    assert_eq!(newcomer.get("/healthz", "").await.status, 200);
    open_gate("draining");
    assert_eq!(client.reply().await.unwrap().status, 200);
    drop((client, admin, newcomer));
    assert_eq!(server.stop().await.aborted_connections, 0);
}

#[tokio::test]
async fn shutdown_notice_keeps_accepting_until_it_ends() {
    let server = start_with(settings_with(|it| it.notice = Duration::from_secs(3)), None).await;
    let mut admin = Client::connect(server.admin).await;
    server.stop.cancel();
    eventually("it is not ready", async || admin.get("/readyz", "").await.status == 503).await;
    assert_eq!(server.client().await.get("/healthz", "").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn shutdown_closes_idle_connections_soon() {
    let server = start().await;
    let mut idle = Vec::new();
    for _ in 0..20 {
        let mut client = server.client().await;
        assert_eq!(client.get("/healthz", "").await.status, 200);
        idle.push(client);
    }
    // The test does not wait for the keep-alive time.
    assert_eq!(server.stop().await.aborted_connections, 0);
    for client in &mut idle {
        assert!(client.reply().await.is_none());
    }
}

#[tokio::test]
async fn shutdown_cuts_off_and_counts_unfinished_requests() {
    let server = start_with(settings_with(|it| it.drain = SOON), None).await;
    let mut client = server.client().await;
    client.send("GET /test/gate?name=never HTTP/1.1\r\nhost: test\r\n\r\n").await;
    server.is_busy_with(1).await;
    assert_eq!(server.stop().await.aborted_connections, 1);
    assert!(client.reply().await.is_none());
}

#[tokio::test]
async fn shutdown_loses_no_response_of_active_clients() {
    let server = start().await;
    let public = server.public;
    let response_counts: [Arc<AtomicU32>; 8] = Default::default();
    let tasks: Vec<_> = response_counts
        .iter()
        .map(|response_count| {
            let response_count = Arc::clone(response_count);
            tokio::spawn(async move {
                // Each connection is used until it announces its end; every request on it is answered.
                while let Ok(stream) = TcpStream::connect(public).await {
                    let mut client = Client::over(stream);
                    loop {
                        let reply = client.get("/test/sleep?ms=5", "").await;
                        assert_eq!(reply.status, 200);
                        response_count.fetch_add(1, Ordering::Relaxed);
                        if reply.header("connection") == Some("close") {
                            break;
                        }
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                }
            })
        })
        .collect();
    eventually("each is answered", async || response_counts.iter().all(|it| it.load(Ordering::Relaxed) > 5))
        .await;
    assert_eq!(server.stop().await.aborted_connections, 0);
    for client in tasks {
        client.await.unwrap();
    }
}
