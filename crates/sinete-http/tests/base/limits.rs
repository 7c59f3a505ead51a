//! Tests of limits, ambiguous requests and forwarding headers.

use crate::harness::{PATIENCE, SOON, settings, settings_with, start, start_with};
use crate::raw_client::Client;
use sinete_core::limits::{
    FORM_BYTES_MAX, FORM_PARAMETERS_MAX, JSON_BYTES_MAX, LINGER_BYTES_MAX, URI_BYTES_MAX,
};
use sinete_server::extract::peer::{ForwardingHeader, TrustedProxies};
use std::time::Duration;
use tokio::time::Instant;

const JSON: &str = "application/json";
const FORM: &str = "application/x-www-form-urlencoded";

#[tokio::test]
async fn request_body_is_limited_to_the_byte() {
    let server = start().await;
    for (path, kind, body_max) in [("/test/json", JSON, JSON_BYTES_MAX), ("/test/form", FORM, FORM_BYTES_MAX)]
    {
        let body = |length: usize| match kind {
            JSON => format!("\"{}\"", "a".repeat(length - 2)),
            _ => format!("name={}", "a".repeat(length - 5)),
        };
        let mut client = server.client().await;
        assert_eq!(client.post(path, kind, body(body_max)).await.status, 200, "{path}");
        let refused = client.post(path, kind, body(body_max + 1)).await;
        assert_eq!((refused.status, refused.header("connection")), (413, Some("close")), "{path}");
        assert_eq!(refused.json()["code"], "content_too_large");
        assert!(client.reply().await.is_none());
    }
}

#[tokio::test]
async fn chunked_body_without_end_is_cut_off_at_the_limit() {
    use tokio::io::AsyncWriteExt as _;
    let server = start().await;
    let client = server.client().await;
    let (reading, mut writing) = client.stream.into_split();
    let endless = tokio::spawn(async move {
        let head = format!(
            "POST /test/json HTTP/1.1\r\nhost: t\r\ncontent-type: {JSON}\r\ntransfer-encoding: chunked\r\n\r\n"
        );
        writing.write_all(head.as_bytes()).await.unwrap();
        let chunk = format!("1000\r\n{}\r\n", "1".repeat(0x1000));
        for chunk_count in 0..100_000_u32 {
            if writing.write_all(chunk.as_bytes()).await.is_err() {
                return chunk_count;
            }
        }
        u32::MAX
    });
    let mut client = crate::raw_client::Client::over(tokio::io::join(reading, tokio::io::sink()));
    assert_eq!(client.reply().await.unwrap().status, 413);
    drop(client);
    assert!(endless.await.unwrap() < 100_000, "the sender was never stopped");
}

/// The beginning of a form that is too large.
fn too_long(bytes: usize) -> String {
    format!("POST /test/form HTTP/1.1\r\nhost: t\r\ncontent-type: {FORM}\r\ncontent-length: {bytes}\r\n\r\n")
}

#[tokio::test]
async fn oversized_request_sent_completely_can_read_its_refusal() {
    use tokio::io::AsyncWriteExt as _;
    let server = start().await;
    // At once, and slowly: the response is there long before the last bytes are sent.
    for (pieces, gap) in [(64, Duration::ZERO), (10, Duration::from_millis(250))] {
        let mut client = server.client().await;
        client.send(too_long(pieces * FORM_BYTES_MAX)).await;
        let piece = vec![b'a'; FORM_BYTES_MAX];
        for piece_index in 0..pieces {
            client
                .stream
                .write_all(&piece)
                .await
                .unwrap_or_else(|reset| panic!("{piece_index} of {pieces}: {reset}"));
            tokio::time::sleep(gap).await;
        }
        let refused = client.reply().await.unwrap();
        assert_eq!((refused.status, refused.header("connection")), (413, Some("close")));
        assert_eq!(refused.json()["code"], "content_too_large");
        assert!(client.reply().await.is_none());
    }
}

/// Sends pieces with pauses until the connection ends; returns the duration and the amount sent.
async fn cut_off(client: &mut Client, piece: &[u8], gap: Duration) -> (Duration, usize) {
    use tokio::io::AsyncWriteExt as _;
    assert_eq!(client.reply().await.unwrap().status, 413);
    let (started_at, mut sent_bytes) = (Instant::now(), 0);
    while client.stream.write_all(piece).await.is_ok() {
        sent_bytes += piece.len();
        assert!(started_at.elapsed() < PATIENCE, "never cut off");
        tokio::time::sleep(gap).await;
    }
    (started_at.elapsed(), sent_bytes)
}

#[tokio::test]
async fn oversized_request_sent_without_end_is_cut_off_by_time_idleness_and_amount() {
    let start_request = async |server: &crate::harness::Server| {
        let mut client = server.client().await;
        client.send(too_long(usize::MAX / 2)).await;
        client
    };
    let (long, short) = (Duration::from_secs(2), Duration::from_millis(20));
    // By time, however steadily the client sends.
    let server = start_with(settings_with(|it| it.linger = long), None).await;
    let (took, _) = cut_off(&mut start_request(&server).await, b"a", short).await;
    assert!(took >= long - SOON && took < PATIENCE / 2, "{took:?}");
    // By silence: the second piece comes too late.
    let server = start_with(settings_with(|it| it.linger_idle = SOON), None).await;
    let (_, sent_bytes) = cut_off(&mut start_request(&server).await, b"a", SOON * 4).await;
    assert!((1..=2).contains(&sent_bytes), "{sent_bytes}");
    // By amount, at any speed.
    let server = start().await;
    let (_, sent_bytes) =
        cut_off(&mut start_request(&server).await, &vec![b'a'; 64 * 1024], Duration::ZERO).await;
    assert!((LINGER_BYTES_MAX..LINGER_BYTES_MAX * 4).contains(&sent_bytes), "{sent_bytes}");
}

#[tokio::test]
async fn trailers_and_expect_continue_do_not_bypass_the_body_limit() {
    let server = start().await;
    let mut client = server.client().await;
    let head =
        format!("POST /test/json HTTP/1.1\r\nhost: t\r\ncontent-type: {JSON}\r\nexpect: 100-continue\r\n");
    client.send(format!("{head}content-length: 70000\r\n\r\n")).await;
    assert_eq!(client.reply().await.unwrap().status, 413, "without asking for the body first");

    let mut client = server.client().await;
    client.send(format!("POST /test/json HTTP/1.1\r\nhost: t\r\ncontent-type: {JSON}\r\ntransfer-encoding: chunked\r\ncontent-length: 4\r\n\r\n1\r\n1\r\n0\r\n\r\n")).await;
    let reply = client.reply().await.unwrap();
    assert_eq!(
        (reply.status, reply.header("connection")),
        (200, Some("close")),
        "two lengths end a connection"
    );
    assert!(client.reply().await.is_none());
}

#[tokio::test]
async fn request_target_is_limited_to_the_byte() {
    let server = start().await;
    let mut client = server.client().await;
    let target = |length: usize| format!("/{}", "a".repeat(length - 1));
    assert_eq!(client.get(&target(URI_BYTES_MAX), "").await.status, 404);
    assert_eq!(client.get(&target(URI_BYTES_MAX + 1), "").await.status, 414);
    assert_eq!(client.get(&format!("/healthz?{}", "q".repeat(URI_BYTES_MAX)), "").await.status, 414);
    assert_eq!(client.get("/healthz?q", "").await.status, 200);
}

#[tokio::test]
async fn request_headers_are_limited_in_number_and_size() {
    let server = start().await;
    let lines = |count: usize| (0..count).map(|index| format!("x-{index}: 1\r\n")).collect::<String>();
    // `Host` is a header too.
    assert_eq!(server.client().await.get("/healthz", &lines(99)).await.status, 200);
    assert_eq!(server.client().await.get("/healthz", &lines(100)).await.status, 431);
    let large = |bytes: usize| format!("x: {}\r\n", "v".repeat(bytes));
    assert_eq!(server.client().await.get("/healthz", &large(16_000)).await.status, 200);
    assert_eq!(server.client().await.get("/healthz", &large(16_400)).await.status, 431);
}

#[tokio::test]
async fn json_body_deep_or_ambiguous_is_refused_with_one_line() {
    let server = start().await;
    let mut client = server.client().await;
    let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    for (body, status, detail) in [
        (r#"{"a":[1,{"b":null}]}"#.to_owned(), 200, ""),
        (deep(32), 200, ""),
        (deep(33), 400, "The request body is nested more than 32 levels deep. Send a flatter document."),
        (
            "[".repeat(60_000),
            400,
            "The request body is nested more than 32 levels deep. Send a flatter document.",
        ),
        (
            r#"{"a":1,"a":2}"#.to_owned(),
            400,
            "The request body has the same member twice. Send each member of an object once.",
        ),
        (
            r#"{"a":"\ud800"}"#.to_owned(),
            400,
            "The request body is not JSON. Send one JSON document in UTF-8.",
        ),
        ("NaN".to_owned(), 400, "The request body is not JSON. Send one JSON document in UTF-8."),
        ("1e400".to_owned(), 400, "The request body is not JSON. Send one JSON document in UTF-8."),
        (String::new(), 400, "The request body is not JSON. Send one JSON document in UTF-8."),
    ] {
        let reply = client.post("/test/json", JSON, &body).await;
        assert_eq!(reply.status, status, "{body:.40}");
        if status != 200 {
            assert_eq!(reply.json()["detail"], detail, "{body:.40}");
        }
    }
}

#[tokio::test]
async fn form_body_long_or_ambiguous_is_refused_with_one_line() {
    let server = start().await;
    let mut client = server.client().await;
    let many: Vec<_> = (0..=FORM_PARAMETERS_MAX).map(|index| format!("p{index}=1")).collect();
    for (body, status, detail) in [
        ("name=ana+b%20c".to_owned(), 200, "ana b c"),
        ("name=1&name=2".to_owned(), 400, "A parameter is given more than once. Send each parameter once."),
        (
            "name=%f".to_owned(),
            400,
            "A parameter is not percent-encoded correctly. Encode names and values, so that each percent sign \
             precedes two hexadecimal digits.",
        ),
        (
            "name=%ff".to_owned(),
            400,
            "A parameter is not UTF-8. Encode text as UTF-8 before percent-encoding it.",
        ),
        (many.join("&"), 400, "The request has more than 110 parameters. Send fewer."),
    ] {
        let reply = client.post("/test/form", FORM, &body).await;
        assert_eq!(reply.status, status, "{body:.40}");
        match status {
            200 => assert_eq!(reply.body, detail),
            _ => assert_eq!(reply.json()["detail"], detail, "{body:.40}"),
        }
    }
    let multipart = client.post("/test/form", "multipart/form-data; boundary=x", "--x--").await;
    assert_eq!(multipart.status, 415);
}

#[tokio::test]
async fn forwarded_headers_are_used_only_from_trusted_proxies() {
    let forged = "x-forwarded-for: 198.51.100.7\r\nforwarded: for=203.0.113.5\r\n";
    let server = start().await;
    assert_eq!(server.client().await.get("/test/client", forged).await.body, "127.0.0.1");

    for (header, client) in
        [(ForwardingHeader::XForwardedFor, "198.51.100.7"), (ForwardingHeader::Forwarded, "203.0.113.5")]
    {
        let mut trusting = settings();
        trusting.server.proxies = TrustedProxies { trusted: vec!["127.0.0.0/8".parse().unwrap()], header };
        let server = start_with(trusting, None).await;
        let mut raw_client = server.client().await;
        assert_eq!(raw_client.get("/test/client", forged).await.body, client);
        let unreadable = "x-forwarded-for: what\r\nforwarded: for=what\r\n";
        assert_eq!(raw_client.get("/test/client", unreadable).await.body, "127.0.0.1");
        assert_eq!(raw_client.get("/test/client", "").await.body, "127.0.0.1");
    }
}
