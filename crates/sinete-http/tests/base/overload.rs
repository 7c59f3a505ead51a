//! Tests of overload: requests are rejected at once with `Retry-After`, and never queued.

use crate::harness::{eventually, settings, start_with};
use crate::headers::assert_dressed;
use crate::raw_client::Client;
use crate::test_routes::open_gate;
use std::time::Duration;

#[tokio::test]
async fn overload_refuses_requests_at_once_except_lightweight_ones() {
    let mut small = settings();
    small.server.limits.requests = 2;
    let server = start_with(small, None).await;
    let mut busy = Vec::new();
    for _ in 0..2 {
        let mut client = server.client().await;
        client.send("GET /test/gate?name=places HTTP/1.1\r\nhost: test\r\n\r\n").await;
        busy.push(client);
    }
    server.is_busy_with(2).await;
    let mut client = server.client().await;
    // It is rejected while the others still wait.
    let reply = client.get("/test/client", "").await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")));
    assert_eq!(reply.json()["code"], "temporarily_unavailable");
    assert_dressed(&reply, "a rejected request");
    for path in ["/healthz", "/.well-known/jwks.json"] {
        assert_eq!(client.get(path, "").await.status, 200, "{path}");
    }
    open_gate("places");
    for client in &mut busy {
        assert_eq!(client.reply().await.unwrap().status, 200);
    }
    assert_eq!(client.get("/test/client", "").await.status, 200, "there is room again");
}

#[tokio::test]
async fn overload_limit_ignores_bodies_still_arriving() {
    let mut small = settings();
    small.server.limits.requests = 1;
    let server = start_with(small, None).await;
    let mut slow = server.client().await;
    slow.send(
        "POST /test/json HTTP/1.1\r\nhost: t\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n[",
    )
    .await;
    tokio::time::sleep(Duration::from_millis(50)).await;
    assert_eq!(server.client().await.get("/test/client", "").await.status, 200);
}

#[tokio::test]
async fn connection_limit_refuses_with_a_response_and_closes() {
    let mut small = settings();
    small.server.limits.connections = 3;
    let server = start_with(small, None).await;
    let mut inside = Vec::new();
    for _ in 0..3 {
        let mut client = server.client().await;
        assert_eq!(client.get("/healthz", "").await.status, 200);
        inside.push(client);
    }
    let mut outside = server.client().await;
    let reply = outside.get("/healthz", "").await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")));
    assert_dressed(&reply, "a rejected connection");
    assert!(outside.reply().await.is_none());
    assert_eq!(
        Client::connect(server.admin).await.get("/readyz", "").await.status,
        200,
        "the admin listener has its own limit"
    );

    drop(inside.pop());
    eventually("there is room again", async || server.client().await.get("/healthz", "").await.status == 200)
        .await;
}

#[tokio::test]
async fn connection_flood_leaves_no_resources_behind() {
    let mut small = settings();
    small.server.limits.connections = 10;
    let server = start_with(small, None).await;
    let mut storm = Vec::new();
    for _ in 0..300 {
        storm.push(server.client().await);
    }
    drop(storm);
    let quiet = "sinete_http_connections{listener=\"public\"} 0\n";
    let mut admin = Client::connect(server.admin).await;
    let mut metrics = String::new();
    eventually("no client is connected", async || {
        metrics = admin.get("/metrics", "").await.body;
        metrics.contains(quiet)
    })
    .await;
    assert!(!metrics.contains("sinete_http_connections_refused_total{reason=\"full\"} 0\n"), "{metrics}");
    assert_eq!(server.client().await.get("/healthz", "").await.status, 200);
}
