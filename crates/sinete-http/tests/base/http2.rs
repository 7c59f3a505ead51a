//! Tests of HTTP/2 without TLS: responses, limits, and the end of a connection.

use crate::harness::{PATIENCE, SOON, Server, eventually, idle_after, settings_with, start, start_with};
use crate::test_routes::open_gate;
use axum::http::{HeaderMap, Request, StatusCode};
use bytes::Bytes;
use h2::client::SendRequest;
use std::time::Duration;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

async fn connect(server: &Server) -> (SendRequest<Bytes>, JoinHandle<Result<(), h2::Error>>) {
    let stream = TcpStream::connect(server.public).await.unwrap();
    let (sender, connection) = h2::client::handshake(stream).await.unwrap();
    (sender.ready().await.unwrap(), tokio::spawn(connection))
}

fn get(path: &str) -> Request<()> {
    Request::get(format!("http://test{path}")).body(()).unwrap()
}

async fn answer(
    sender: &mut SendRequest<Bytes>,
    request: Request<()>,
    body: Option<Bytes>,
) -> Result<(StatusCode, HeaderMap, Bytes), h2::Error> {
    let (response, mut stream) = sender.send_request(request, body.is_none())?;
    if let Some(body) = body {
        stream.send_data(body, true)?;
    }
    let (head, mut recv_stream) = response.await?.into_parts();
    let mut response_body = Vec::new();
    while let Some(piece) = recv_stream.data().await {
        let piece = piece?;
        recv_stream.flow_control().release_capacity(piece.len())?;
        response_body.extend_from_slice(&piece);
    }
    Ok((head.status, head.headers, response_body.into()))
}

fn assert_dressed(headers: &HeaderMap) {
    for name in [
        "x-frame-options",
        "x-content-type-options",
        "referrer-policy",
        "content-security-policy",
        "cross-origin-opener-policy",
        "cross-origin-resource-policy",
        "permissions-policy",
        "x-request-id",
    ] {
        assert!(headers.contains_key(name), "{name}");
    }
    assert!(!headers.contains_key("connection"));
}

#[tokio::test]
async fn http2_requests_are_answered_concurrently_with_every_header() {
    let server = start().await;
    let (sender, _) = connect(&server).await;
    let tasks: Vec<_> = (0..20)
        .map(|_| {
            let mut sender = sender.clone();
            tokio::spawn(async move { answer(&mut sender, get("/test/gate?name=side"), None).await.unwrap() })
        })
        .collect();
    server.is_busy_with(20).await;
    open_gate("side");
    for join_handle in tasks {
        let (status, headers, body) = join_handle.await.unwrap();
        assert_eq!((status.as_u16(), &body[..]), (200, &b"let go"[..]));
        assert_dressed(&headers);
    }
}

#[tokio::test]
async fn http2_refusals_equal_those_of_http_1() {
    let server = start_with(settings_with(|it| it.response = Duration::from_secs(2)), None).await;
    let (mut sender, _) = connect(&server).await;
    let large = "v".repeat(17_000);
    let mut oversized = get("/healthz");
    oversized.headers_mut().insert("x", large.parse().unwrap());
    let mut many = get("/healthz");
    for index in 0..101 {
        let name: axum::http::HeaderName = format!("x-{index}").parse().unwrap();
        many.headers_mut().insert(name, "1".parse().unwrap());
    }
    for (request, status) in [
        (get("/nothing"), 404),
        (Request::delete("http://test/healthz").body(()).unwrap(), 405),
        (get(&format!("/{}", "a".repeat(9_000))), 414),
        (oversized, 431),
        (many, 431),
        (get("/test/panic"), 500),
        (get("/test/gate?name=never"), 503),
    ] {
        let (response_status, headers, _) = answer(&mut sender, request, None).await.unwrap();
        assert_eq!(response_status.as_u16(), status);
        assert_dressed(&headers);
    }
    let json = || Request::post("http://test/test/json").header("content-type", "application/json");
    let (status, ..) = answer(&mut sender, json().body(()).unwrap(), Some("[1]".into())).await.unwrap();
    assert_eq!(status, 200);
    let large = Bytes::from(vec![b'1'; 60_000]);
    let twice = json().header("content-length", "120000").body(()).unwrap();
    let (status, headers, _) = answer(&mut sender, twice, Some(large)).await.unwrap();
    assert_eq!(status, 413);
    assert_dressed(&headers);
}

#[tokio::test]
async fn http2_stalled_body_is_refused_in_time_without_affecting_other_streams() {
    let server = start_with(settings_with(|it| it.body = SOON), None).await;
    let (mut sender, _) = connect(&server).await;
    let request = Request::post("http://test/test/json").header("content-type", "application/json");
    let (response, _stream) = sender.send_request(request.body(()).unwrap(), false).unwrap();
    let (status, ..) = answer(&mut sender, get("/healthz"), None).await.unwrap();
    assert_eq!(status, 200);
    let refused = tokio::time::timeout(PATIENCE, response).await.unwrap().unwrap();
    assert_eq!(refused.status(), 408);
    assert_dressed(refused.headers());
}

/// Decision 0010: oversized headers are refused by the protocol library, without our response.
#[tokio::test]
async fn http2_oversized_headers_are_refused_by_the_protocol() {
    let server = start().await;
    let (mut sender, _) = connect(&server).await;
    let mut request = get("/healthz");
    request.headers_mut().insert("x", "v".repeat(70_000).parse().unwrap());
    let (status, headers, body) = answer(&mut sender, request, None).await.unwrap();
    assert_eq!((status.as_u16(), headers.len(), body.len()), (431, 0, 0));
    let (mut fresh, _) = connect(&server).await;
    assert_eq!(answer(&mut fresh, get("/healthz"), None).await.unwrap().0, 200);
}

/// Requests that are reset immediately. In bulk, the protocol ends the connection; one by one, each costs as
/// much as a request, and no resources are leaked.
#[tokio::test]
async fn http2_rapid_resets_leave_no_resources_behind() {
    let server = start().await;
    let (sender, connection) = connect(&server).await;
    let storm = async {
        for _ in 0..5_000 {
            let Ok(mut ready) = sender.clone().ready().await else { break };
            let Ok((_, mut stream)) = ready.send_request(get("/test/sleep?ms=400"), true) else { break };
            stream.send_reset(h2::Reason::CANCEL);
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        () = storm => {}
        ended = connection => {
            // GOAWAY may be overtaken by the TCP reset of a socket whose client continues to send.
            let ended = ended.unwrap().unwrap_err();
            assert!(ended.is_io() || ended.reason() == Some(h2::Reason::ENHANCE_YOUR_CALM), "{ended}");
        }
    }
    let (mut fresh, _) = connect(&server).await;
    assert_eq!(answer(&mut fresh, get("/healthz"), None).await.unwrap().0, 200);
    let only_itself = "sinete_http_requests_in_progress 1\n";
    let mut admin = crate::raw_client::Client::connect(server.admin).await;
    eventually("nothing else is in progress", async || {
        admin.get("/metrics", "").await.body.contains(only_itself)
    })
    .await;
}

#[tokio::test]
async fn http2_idle_connection_is_closed() {
    let server = start_with(idle_after(Duration::from_secs(1)), None).await;
    let (_sender, connection) = connect(&server).await;
    let ended = tokio::time::timeout(PATIENCE, connection).await.expect("never closed");
    assert!(ended.unwrap().is_ok(), "the connection ended with GOAWAY");
}

#[tokio::test]
async fn http2_client_that_never_reads_is_disconnected() {
    let server = start_with(idle_after(Duration::from_secs(1)), None).await;
    let stream = TcpStream::connect(server.public).await.unwrap();
    let (sender, connection) =
        h2::client::Builder::new().initial_window_size(1).handshake::<_, Bytes>(stream).await.unwrap();
    let connection = tokio::spawn(connection);
    let mut sender = sender.ready().await.unwrap();
    let (response, _) = sender.send_request(get("/healthz"), true).unwrap();
    let response = response.await.unwrap();
    let ended = tokio::time::timeout(PATIENCE, connection).await.expect("never cut off");
    drop((ended, response));
}

#[tokio::test]
async fn http2_goaway_lets_streams_in_progress_finish() {
    let server = start().await;
    let (mut sender, connection) = connect(&server).await;
    let (response, _) = sender.send_request(get("/test/gate?name=goodbye"), true).unwrap();
    server.is_busy_with(1).await;
    server.stop.cancel();
    eventually("a request after GOAWAY is not accepted", async || {
        answer(&mut sender.clone(), get("/healthz"), None).await.is_err()
    })
    .await;
    open_gate("goodbye");
    assert_eq!(response.await.unwrap().status(), 200);
    drop(sender);
    assert!(connection.await.unwrap().is_ok());
    assert_eq!(server.stop().await.aborted_connections, 0);
}
