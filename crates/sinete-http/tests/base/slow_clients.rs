//! Tests of slow clients: each is cut off in time, and others are not affected.

use crate::harness::{PATIENCE, SOON, idle_after, settings_with, start, start_with};
use crate::raw_client::Client;
use std::time::Duration;
use tokio::time::Instant;

/// Sends single bytes until the connection ends; returns the duration.
async fn dribble(client: &mut Client, text: &[u8]) -> Duration {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let started = Instant::now();
    let (mut reading, mut writing) = client.stream.split();
    let endless = async {
        for byte in text.iter().cycle() {
            if writing.write_all(&[*byte]).await.is_err() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let mut answer = Vec::new();
    tokio::select! {
        () = endless => {}
        _ = reading.read_to_end(&mut answer) => {}
        () = tokio::time::sleep(PATIENCE) => panic!("never cut off"),
    }
    started.elapsed()
}

#[tokio::test]
async fn slow_headers_are_cut_off_in_time() {
    let server = start_with(settings_with(|it| it.headers = SOON), None).await;
    let mut client = server.client().await;
    client.send("GET / HTTP/1.1\r\nhost: test\r\n").await;
    let took = dribble(&mut client, b"x: y\r\n").await;
    assert!(took >= Duration::from_millis(250), "{took:?}");
}

#[tokio::test]
async fn slow_headers_on_a_reused_connection_are_cut_off() {
    let server = start_with(settings_with(|it| it.headers = SOON), None).await;
    let mut client = server.client().await;
    for _ in 0..2 {
        assert_eq!(client.get("/healthz", "").await.status, 200);
        // Longer than the header timeout, shorter than the keep-alive time.
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
    client.send("GET / HT").await;
    let sent_at = Instant::now();
    let reply = client.reply().await.unwrap();
    assert_eq!(reply.status, 408);
    crate::headers::assert_dressed(&reply, "slow headers behind an answer");
    let took = sent_at.elapsed();
    assert!(took >= Duration::from_millis(250), "{took:?}");
    assert!(client.reply().await.is_none());
}

#[tokio::test]
async fn silent_connection_is_closed_without_a_response() {
    let server = start_with(settings_with(|it| it.headers = SOON), None).await;
    let mut client = server.client().await;
    assert!(client.is_closed_within(PATIENCE).await);
    let mut half_a_preface = server.client().await;
    half_a_preface.send("PRI * HTTP/2").await;
    assert!(half_a_preface.is_closed_within(PATIENCE).await);
}

#[tokio::test]
async fn idle_connection_is_closed_after_its_timeout() {
    let server = start_with(idle_after(Duration::from_secs(4)), None).await;
    let mut client = server.client().await;
    assert_eq!(client.get("/healthz", "").await.status, 200);
    assert!(!client.is_closed_within(Duration::from_millis(500)).await);
    assert!(client.is_closed_within(PATIENCE).await);
}

#[tokio::test]
async fn slow_body_is_refused_in_time() {
    let server = start_with(settings_with(|it| it.body = SOON), None).await;
    let mut client = server.client().await;
    client
        .send("POST /test/json HTTP/1.1\r\nhost: t\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n[")
        .await;
    let reply = client.reply().await.unwrap();
    assert_eq!((reply.status, reply.header("connection")), (408, Some("close")));
    assert!(client.reply().await.is_none());
}

#[tokio::test]
async fn slow_handler_times_out_and_the_connection_continues() {
    let server = start_with(settings_with(|it| it.response = SOON), None).await;
    let mut client = server.client().await;
    let reply = client.get("/test/gate?name=never", "").await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")));
    assert_eq!(client.get("/healthz", "").await.status, 200);
}

#[tokio::test]
async fn client_that_never_reads_responses_is_disconnected() {
    use tokio::io::AsyncWriteExt as _;
    let server = start_with(idle_after(Duration::from_secs(1)), None).await;
    let mut client = server.client().await;
    let style = sinete_screens::assets::STYLE.path;
    let request = format!("GET {style} HTTP/1.1\r\nhost: test\r\n\r\n").repeat(100);
    let flooding = async { while client.stream.write_all(request.as_bytes()).await.is_ok() {} };
    tokio::time::timeout(PATIENCE, flooding).await.expect("never cut off");
}

#[tokio::test]
async fn slow_clients_do_not_delay_a_fast_one() {
    let server = start_with(settings_with(|it| it.headers = Duration::from_secs(6)), None).await;
    let mut slow = Vec::new();
    for _ in 0..400 {
        let mut client = server.client().await;
        client.send("GET / HTTP/1.1\r\n").await;
        slow.push(client);
    }
    let mut quick = server.client().await;
    for _ in 0..20 {
        let requested_at = Instant::now();
        assert_eq!(quick.get("/healthz", "").await.status, 200);
        assert!(requested_at.elapsed() < Duration::from_secs(3), "delayed by the slow clients");
    }
    for client in &mut slow {
        assert_eq!(client.reply().await.unwrap().status, 408);
    }
}

#[tokio::test]
async fn handler_panic_affects_only_its_own_request() {
    let server = start().await;
    let mut other = server.client().await;
    let mut client = server.client().await;
    let (panicked, fine) =
        tokio::join!(client.get("/test/panic-later", ""), other.get("/test/sleep?ms=50", ""));
    assert_eq!((panicked.status, fine.status), (500, 200));
    assert!(!panicked.body.contains("on purpose"));
    assert_eq!(client.get("/healthz", "").await.status, 200, "the same connection goes on");
}
