//! Tests of the security headers on every kind of response.

use crate::harness::{SOON, Server, settings, settings_with, start, start_with};
use crate::raw_client::Reply;
use sinete_server::base_address::BaseAddress;

/// Checks the required headers of a response.
pub fn assert_dressed(reply: &Reply, case_name: &str) {
    for (name, value) in [
        ("x-frame-options", "DENY"),
        ("x-content-type-options", "nosniff"),
        ("referrer-policy", "no-referrer"),
        ("cross-origin-opener-policy", "same-origin"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{name} on {case_name}");
    }
    let policy =
        reply.header("content-security-policy").unwrap_or_else(|| panic!("no policy on {case_name}"));
    assert!(policy.starts_with("default-src 'none'"), "{case_name}: {policy}");
    assert!(policy.contains("frame-ancestors 'none'") && !policy.contains("unsafe"), "{case_name}: {policy}");
    let features = reply.header("permissions-policy").unwrap_or_else(|| panic!("no features on {case_name}"));
    assert!(features.contains("publickey-credentials-get=(self)"), "{case_name}");
    assert!(reply.header("cross-origin-resource-policy").is_some(), "{case_name}");
    assert!(reply.header("cache-control").is_some(), "{case_name}");
    assert!(reply.header("date").is_some(), "{case_name}");
    assert_eq!(reply.header("x-request-id").map(str::len), Some(36), "{case_name}");
    assert_eq!(reply.header("server"), None, "{case_name}");
}

/// All ways to get a response: a name, the request, and the expected status.
fn every_answer() -> Vec<(&'static str, Vec<u8>, u16)> {
    let head = |method: &str, path: &str, headers: &str| {
        format!("{method} {path} HTTP/1.1\r\nhost: test\r\n{headers}\r\n").into_bytes()
    };
    let json = "content-type: application/json\r\n";
    let many: String = (0..90).map(|index| format!("x-{index}: {}\r\n", "v".repeat(200))).collect();
    let too_many: String = (0..120).map(|index| format!("x-{index}: 1\r\n")).collect();
    let browser = "accept: text/html\r\n";
    vec![
        ("health", head("GET", "/healthz", ""), 200),
        ("health by HEAD", head("HEAD", "/healthz", ""), 200),
        ("keys", head("GET", "/.well-known/jwks.json", ""), 200),
        ("known keys", head("GET", "/.well-known/jwks.json", "if-none-match: \"v1\"\r\n"), 304),
        ("a preflight", head("OPTIONS", "/.well-known/jwks.json", "origin: https://a.example\r\n"), 204),
        ("the first page", head("GET", "/", browser), 200),
        ("the style", head("GET", sinete_screens::assets::STYLE.path, ""), 200),
        ("no such path", head("GET", "/nothing", ""), 404),
        ("no such page", head("GET", "/nothing", browser), 404),
        ("no such method", head("POST", "/healthz", ""), 405),
        ("a trace", head("TRACE", "/healthz", ""), 405),
        ("an unknown method", head("BREW", "/healthz", ""), 405),
        ("a connect", b"CONNECT test:443 HTTP/1.1\r\nhost: test\r\n\r\n".to_vec(), 404),
        ("options for all", b"OPTIONS * HTTP/1.1\r\nhost: test\r\n\r\n".to_vec(), 404),
        (
            "an absolute target",
            b"GET http://evil.example/healthz HTTP/1.1\r\nhost: test\r\n\r\n".to_vec(),
            200,
        ),
        ("HTTP/1.0", b"GET /healthz HTTP/1.0\r\n\r\n".to_vec(), 200),
        ("no host", b"GET /healthz HTTP/1.1\r\n\r\n".to_vec(), 400),
        ("two hosts", head("GET", "/healthz", "host: other\r\n"), 400),
        ("a large body", head("POST", "/test/json", &format!("{json}content-length: 99999\r\n")), 413),
        ("a long target", head("GET", &format!("/{}", "a".repeat(9_000)), ""), 414),
        (
            "another type",
            head("POST", "/test/json", "content-type: text/plain\r\ncontent-length: 0\r\n"),
            415,
        ),
        ("a compressed body", head("POST", "/test/json", "content-encoding: gzip\r\n"), 415),
        ("bad JSON", head("POST", "/test/json", &format!("{json}content-length: 0\r\n")), 400),
        ("large headers", head("GET", "/healthz", &many), 431),
        ("too many headers", head("GET", "/healthz", &too_many), 431),
        (
            "headers that are too large to be read",
            head("GET", "/healthz", &format!("x: {}\r\n", "v".repeat(70_000))),
            431,
        ),
        ("garbage", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03garbage\r\n\r\n".to_vec(), 400),
        ("a broken header", b"GET / HTTP/1.1\r\nhost test\r\n\r\n".to_vec(), 400),
        ("a broken version", b"GET / HTTP/9.9\r\n\r\n".to_vec(), 400),
        ("two lengths", head("POST", "/test/json", "content-length: 1\r\ncontent-length: 2\r\n"), 400),
        ("half the headers", b"GET /healthz HTTP/1.1\r\nhost: te".to_vec(), 408),
        (
            "half the body",
            [head("POST", "/test/json", &format!("{json}content-length: 9\r\n")), b"{".to_vec()].concat(),
            408,
        ),
        ("a panic", head("GET", "/test/panic", ""), 500),
        ("a panic at once", head("GET", "/test/panic-first", ""), 500),
        ("a panic, later", head("GET", "/test/panic-later", ""), 500),
        ("a panic instead of a document", head("GET", "/test/shown-panic", ""), 500),
        ("no document", head("GET", "/test/shown-broken", ""), 500),
        ("a document before a body", head("GET", "/healthz", "content-length: 9\r\n"), 200),
        ("a panic as a page", head("GET", "/test/panic", browser), 500),
        ("a failure", head("GET", "/test/broken", ""), 500),
        ("a database away", head("GET", "/test/away", ""), 503),
        ("a slow handler", head("GET", "/test/gate?name=a+slow+handler", ""), 503),
        ("a refusal", head("GET", "/test/refused", ""), 409),
    ]
}

/// Whether the response comes only after a timeout.
fn takes_its_time(case_name: &str, status: u16) -> bool {
    status == 408 || case_name == "a slow handler"
}

async fn ask(server: &Server, case_name: &str, bytes: &[u8]) -> Reply {
    let mut client = server.client().await;
    client.send(bytes).await;
    let method = if bytes.starts_with(b"HEAD") { "HEAD" } else { "GET" };
    client.reply_to(method).await.unwrap_or_else(|| panic!("no answer to {case_name}"))
}

#[tokio::test]
async fn security_headers_are_on_every_response() {
    let server = start().await;
    let hurried =
        start_with(settings_with(|it| (it.headers, it.body, it.response) = (SOON, SOON, SOON)), None).await;
    for (case_name, bytes, status) in every_answer() {
        let server = if takes_its_time(case_name, status) { &hurried } else { &server };
        let reply = ask(server, case_name, &bytes).await;
        assert_eq!(reply.status, status, "{case_name}: {reply:?}");
        assert_dressed(&reply, case_name);
        assert_eq!(reply.header("strict-transport-security"), None, "{case_name}");
    }
}

#[tokio::test]
async fn hsts_is_sent_only_for_an_https_issuer() {
    let mut secure = settings();
    secure.server.base_address = BaseAddress::parse("https://id.example.org").unwrap();
    let server = start_with(secure, None).await;
    for (case_name, bytes, status) in every_answer() {
        if takes_its_time(case_name, status) {
            continue;
        }
        let reply = ask(&server, case_name, &bytes).await;
        let strict = reply.header("strict-transport-security");
        assert_eq!(strict, Some("max-age=63072000; includeSubDomains"), "{case_name}");
    }
}

#[tokio::test]
async fn cors_allows_every_origin_for_public_documents_only() {
    let server = start().await;
    let mut client = server.client().await;
    let keys = client.get("/.well-known/jwks.json", "origin: https://a.example\r\n").await;
    assert_eq!(keys.header("access-control-allow-origin"), Some("*"));
    assert_eq!(keys.header("access-control-allow-credentials"), None);
    assert_eq!(keys.header("cross-origin-resource-policy"), Some("cross-origin"));
    for path in ["/healthz", "/", "/nothing", "/test/client"] {
        let reply = client.get(path, "origin: https://a.example\r\n").await;
        assert_eq!(reply.header("access-control-allow-origin"), None, "{path}");
        assert_eq!(reply.header("cross-origin-resource-policy"), Some("same-origin"), "{path}");
    }
    client.send("OPTIONS /.well-known/jwks.json HTTP/1.1\r\nhost: test\r\n\r\n").await;
    let preflight = client.reply().await.unwrap();
    assert_eq!(preflight.header("access-control-allow-methods"), Some("GET"));
    client.send("OPTIONS /healthz HTTP/1.1\r\nhost: test\r\n\r\n").await;
    assert_eq!(client.reply().await.unwrap().status, 405);
}

/// A closed socket answers further bytes with a TCP reset, which can overtake the response before it.
#[tokio::test]
async fn response_is_readable_by_a_client_that_is_still_sending() {
    use tokio::io::AsyncWriteExt as _;
    let server = start().await;
    let too_large = "POST /test/json HTTP/1.1\r\nhost: test\r\ncontent-type: application/json\r\n\
                     content-length: 600000\r\n\r\n";
    for (case_name, first, status) in
        [("garbage", "GET / HTTP/1.1\r\nhost test\r\n\r\n", 400), ("a large body", too_large, 413)]
    {
        let mut client = server.client().await;
        client.send(first).await;
        client.send(vec![b'x'; 100 * 1024]).await;
        let reply = client.reply().await.expect("an answer");
        assert_eq!((reply.status, reply.header("connection")), (status, Some("close")), "{case_name}");
        assert_dressed(&reply, case_name);
        for _ in 0..3 {
            client
                .stream
                .write_all(&[b'x'; 10 * 1024])
                .await
                .unwrap_or_else(|reset| panic!("{case_name}: {reset}"));
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
    }
}
