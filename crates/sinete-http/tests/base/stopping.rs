//! A node going away: what has begun is finished, nothing new begins, and it says so meanwhile.

use crate::harness::{settings, start, start_with};
use crate::raw::Client;
use sinete_http::serve::Drained;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::time::Instant;

#[tokio::test]
async fn a_request_in_progress_is_finished_and_its_connection_closed() {
    let server = start().await;
    let mut client = server.client().await;
    client.send("GET /test/sleep?ms=400 HTTP/1.1\r\nhost: test\r\n\r\n").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let asked = tokio::spawn(async move {
        let reply = client.reply().await.unwrap();
        assert!(client.reply().await.is_none());
        (reply.status, reply.header("connection").map(str::to_owned))
    });
    let (public, stop) = (server.public, server.stop());
    let drained = stop.await;
    assert_eq!(drained, Drained { cut_off: 0 });
    assert_eq!(asked.await.unwrap(), (200, Some("close".to_owned())));
    assert!(TcpStream::connect(public).await.is_err(), "nobody listens any more");
}

#[tokio::test]
async fn while_it_drains_it_says_that_it_is_not_ready() {
    let server = start().await;
    let mut admin = Client::connect(server.admin).await;
    let mut client = server.client().await;
    client.send("GET /test/sleep?ms=500 HTTP/1.1\r\nhost: test\r\n\r\n").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(admin.get("/readyz", "").await.status, 200);
    server.stop.cancel();
    tokio::time::sleep(Duration::from_millis(50)).await;
    let reply = admin.get("/readyz", "").await;
    assert_eq!((reply.status, &reply.json()["detail"]), (503, &"this node is going away".into()));
    let mut newcomer = Client::connect(server.admin).await;
    assert_eq!(newcomer.get("/healthz", "").await.status, 200);
    assert_eq!(client.reply().await.unwrap().status, 200);
    drop((client, admin, newcomer));
    assert_eq!(server.stop().await.cut_off, 0);
}

#[tokio::test]
async fn given_notice_it_goes_on_accepting_until_others_know() {
    let mut noticed = settings();
    noticed.deadlines.notice = Duration::from_millis(400);
    let server = start_with(noticed, None).await;
    server.stop.cancel();
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(Client::connect(server.admin).await.get("/readyz", "").await.status, 503);
    assert_eq!(server.client().await.get("/healthz", "").await.status, 200);
    server.stop().await;
}

#[tokio::test]
async fn idle_connections_are_let_go_soon() {
    let server = start().await;
    let mut idle = Vec::new();
    for _ in 0..20 {
        let mut client = server.client().await;
        assert_eq!(client.get("/healthz", "").await.status, 200);
        idle.push(client);
    }
    let started = Instant::now();
    assert_eq!(server.stop().await.cut_off, 0);
    assert!(started.elapsed() < Duration::from_millis(1_500), "{:?}", started.elapsed());
    for client in &mut idle {
        assert!(client.reply().await.is_none());
    }
}

#[tokio::test]
async fn what_is_not_finished_in_time_is_cut_off_and_counted() {
    let mut hurried = settings();
    hurried.deadlines.drain = Duration::from_millis(200);
    hurried.deadlines.answer = Duration::from_secs(5);
    let server = start_with(hurried, None).await;
    let mut client = server.client().await;
    client.send("GET /test/sleep?ms=4000 HTTP/1.1\r\nhost: test\r\n\r\n").await;
    tokio::time::sleep(Duration::from_millis(100)).await;
    let started = Instant::now();
    assert_eq!(server.stop().await.cut_off, 1);
    assert!(started.elapsed() < Duration::from_secs(2));
    assert!(client.reply().await.is_none());
}

#[tokio::test]
async fn clients_that_keep_asking_while_it_goes_lose_no_answer() {
    let server = start().await;
    let public = server.public;
    let asking: Vec<_> = (0..8)
        .map(|_| {
            tokio::spawn(async move {
                let mut answered = 0_u32;
                // Each connection is used until it says that it closes; every request on it is answered.
                while let Ok(stream) = TcpStream::connect(public).await {
                    let mut client = Client::over(stream);
                    loop {
                        let reply = client.get("/test/sleep?ms=5", "").await;
                        assert_eq!(reply.status, 200);
                        answered += 1;
                        if reply.header("connection") == Some("close") {
                            break;
                        }
                        tokio::time::sleep(Duration::from_millis(5)).await;
                    }
                }
                answered
            })
        })
        .collect();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(server.stop().await.cut_off, 0);
    for client in asking {
        assert!(client.await.unwrap() > 5);
    }
}
