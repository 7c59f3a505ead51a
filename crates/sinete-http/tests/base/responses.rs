//! Tests of responses: documents, pages, problems, and request ids.

use crate::harness::{KEYS, settings, start, start_with};
use crate::raw_client::{Client, Reply};
use sinete_core::refusal::RefusalReason;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_http::state::{HttpSettings, InstancePurpose, ScreensMode};
use sinete_screens::assets::{API_STYLE, ASSETS, CONSOLE_STYLE, SCRIPT, STYLE};
use sinete_screens::language::UiLanguage;
use sinete_server::context::TracePolicy;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;

#[tokio::test]
async fn healthz_is_served_on_both_listeners_and_readyz_on_the_admin_one() {
    let server = start().await;
    let mut public = server.client().await;
    let mut admin = Client::connect(server.admin).await;
    assert_eq!(public.get("/healthz", "").await.body, r#"{"status":"ok"}"#);
    assert_eq!(admin.get("/healthz", "").await.body, r#"{"status":"ok"}"#);
    for path in ["/readyz", "/metrics"] {
        assert_eq!(public.get(path, "").await.status, 404, "{path}");
        assert_eq!(admin.get(path, "").await.status, 200, "{path}");
    }
    for path in ["/", "/.well-known/jwks.json", STYLE.path] {
        let reply = admin.get(path, "accept: text/html\r\n").await;
        assert_eq!(reply.status, 404, "{path}");
        assert_eq!(reply.header("content-type"), Some("application/problem+json"), "no pages there: {path}");
    }
}

#[tokio::test]
async fn readyz_reports_the_reason_a_node_is_not_ready() {
    let server = start().await;
    let mut admin = Client::connect(server.admin).await;
    assert_eq!(admin.get("/readyz", "").await.body, r#"{"status":"ready"}"#);
    server.house.ready.store(false, Ordering::Relaxed);
    let reply = admin.get("/readyz", "").await;
    assert_eq!((reply.status, reply.header("retry-after")), (503, Some("1")));
    assert_eq!(
        reply.json()["detail"],
        "The node is not ready: the database is unreachable. Send requests to another node, or try again in a moment."
    );
    assert_eq!(admin.get("/healthz", "").await.status, 200);
    server.house.ready.store(true, Ordering::Relaxed);
    assert_eq!(admin.get("/readyz", "").await.status, 200);
}

#[tokio::test]
async fn jwks_is_sent_once_and_then_not_modified() {
    let server = start().await;
    let mut client = server.client().await;
    let first = client.get("/.well-known/jwks.json", "").await;
    assert_eq!((first.status, first.body.as_str()), (200, KEYS));
    assert_eq!(first.header("cache-control"), Some("public, max-age=300"));
    assert_eq!(first.header("content-type"), Some("application/json"));
    let tag = first.header("etag").unwrap().to_owned();
    let second_response = client.get("/.well-known/jwks.json", &format!("if-none-match: {tag}\r\n")).await;
    assert_eq!((second_response.status, second_response.header("etag")), (304, Some(tag.as_str())));
    assert_eq!(second_response.header("cache-control"), Some("public, max-age=300"));
    assert_eq!(client.get("/.well-known/jwks.json", "if-none-match: \"old\"\r\n").await.status, 200);
}

#[tokio::test]
async fn head_request_has_the_length_of_get_without_a_body() {
    let server = start().await;
    let mut client = server.client().await;
    for path in ["/healthz", "/.well-known/jwks.json", "/", STYLE.path, "/nothing"] {
        let full_response = client.get(path, "").await;
        client.send(format!("HEAD {path} HTTP/1.1\r\nhost: test\r\n\r\n")).await;
        let head = client.reply_to("HEAD").await.unwrap();
        assert_eq!(head.status, full_response.status, "{path}");
        assert_eq!(head.header("content-length"), full_response.header("content-length"), "{path}");
        assert_eq!(head.header("content-type"), full_response.header("content-type"), "{path}");
    }
}

#[tokio::test]
async fn method_not_allowed_lists_the_allowed_methods() {
    let server = start().await;
    for (method, path, allowed) in [
        ("POST", "/healthz", "GET,HEAD"),
        ("TRACE", "/healthz", "GET,HEAD"),
        ("BREW", "/healthz", "GET,HEAD"),
        ("PUT", "/.well-known/jwks.json", "GET,HEAD,OPTIONS"),
        ("GET", "/test/json", "POST"),
        ("DELETE", "/", "GET,HEAD"),
    ] {
        let mut client = server.client().await;
        client.send(format!("{method} {path} HTTP/1.1\r\nhost: test\r\n\r\n")).await;
        let reply = client.reply().await.unwrap();
        assert_eq!((reply.status, reply.header("allow")), (405, Some(allowed)), "{method} {path}");
        assert_eq!(reply.json()["code"], "method_not_allowed");
    }
}

#[tokio::test]
async fn request_id_is_unique_and_named_by_the_problem() {
    let server = start().await;
    let mut client = server.client().await;
    let mut ids = BTreeSet::new();
    for _ in 0..50 {
        let reply = client.get("/nothing", "x-request-id: 00000000-0000-7000-8000-000000000000\r\n").await;
        let id = reply.header("x-request-id").unwrap().to_owned();
        assert_eq!(reply.json()["instance"], format!("urn:uuid:{id}"));
        assert_eq!(reply.header("content-type"), Some("application/problem+json"));
        assert!(!id.starts_with("00000000") && &id[14..15] == "7");
        ids.insert(id);
    }
    assert_eq!(ids.len(), 50);
}

#[tokio::test]
async fn pages_are_localized_for_browsers() {
    let server = start().await;
    let mut client = server.client().await;
    for (header, language) in [("en-GB", UiLanguage::English), ("pt-BR,pt;q=0.9", UiLanguage::Portuguese)] {
        let headers = format!("accept: text/html,*/*;q=0.8\r\naccept-language: {header}\r\n");
        let phrases = language.phrases();
        for (path, status, title) in [
            ("/", 200, phrases.landing.title),
            ("/nothing", 404, phrases.messages.not_found),
            ("/test/panic", 500, phrases.messages.server_error),
            ("/test/away", 503, phrases.messages.unavailable),
        ] {
            let reply = client.get(path, &headers).await;
            assert_eq!(reply.status, status, "{path}");
            assert_eq!(reply.header("content-type"), Some("text/html; charset=utf-8"));
            assert_eq!(reply.header("vary"), Some("accept, accept-language"));
            assert!(reply.body.contains(title), "{path} in {language:?}");
            let policy = reply.header("content-security-policy").unwrap();
            assert!(policy.contains("style-src 'self'") && !policy.contains("script-src"), "{path}");
        }
        let broken = client.get("/test/panic", &headers).await;
        assert!(broken.body.contains(broken.header("x-request-id").unwrap()));
    }
    let json = client.get("/nothing", "accept: */*\r\n").await;
    assert_eq!(json.header("content-type"), Some("application/problem+json"));
}

#[tokio::test]
async fn page_assets_are_immutable() {
    let server = start().await;
    let mut client = server.client().await;
    let page = client.get("/", "accept: text/html\r\n").await;
    // This page has no script and belongs neither to the console nor to the API explorer.
    let elsewhere = [SCRIPT.path, CONSOLE_STYLE.path, API_STYLE.path];
    for asset in ASSETS {
        assert_ne!(page.body.contains(asset.path), elsewhere.contains(&asset.path), "{}", asset.path);
        let reply = client.get(asset.path, "").await;
        assert_eq!((reply.status, reply.body.as_bytes()), (200, asset.bytes));
        assert_eq!(reply.header("cache-control"), Some("public, max-age=31536000, immutable"));
        assert_eq!(reply.header("content-type"), Some(asset.content_type));
        let tag = reply.header("etag").unwrap().to_owned();
        assert_eq!(client.get(asset.path, &format!("if-none-match: {tag}\r\n")).await.status, 304);
    }
    assert_eq!(client.get("/assets/0000000000000000/style.css", "").await.status, 404);
}

#[tokio::test]
async fn screens_disabled_are_not_served_and_other_routes_are_unchanged() {
    let mut without = settings();
    without.screens = ScreensMode::Off;
    let (off, on) = (start_with(without, None).await, start().await);
    let (mut off, mut on) = (off.client().await, on.client().await);
    for path in ["/", STYLE.path, "/nothing"] {
        let reply = off.get(path, "accept: text/html\r\n").await;
        assert_eq!(reply.status, 404, "{path}");
        assert_eq!(reply.header("content-type"), Some("application/problem+json"), "{path}");
    }
    for path in ["/healthz", "/.well-known/jwks.json", "/test/refused"] {
        let (one, other) = (off.get(path, "").await, on.get(path, "").await);
        assert_eq!(one.status, other.status, "{path}");
        assert_eq!(one.header("content-type"), other.header("content-type"), "{path}");
    }
}

#[tokio::test]
async fn development_banner_is_displayed_only_in_development() {
    for (purpose, is_displayed) in
        [(InstancePurpose::Development, true), (InstancePurpose::Production, false)]
    {
        let mut settings = settings();
        settings.purpose = purpose;
        let server = start_with(settings, None).await;
        let page = server.client().await.get("/", "accept: text/html\r\n").await;
        assert_eq!(page.body.contains(UiLanguage::English.phrases().landing.development), is_displayed);
    }
}

#[tokio::test]
async fn host_and_forwarded_headers_are_never_used_in_links() {
    let server = start().await;
    let mut client = server.client().await;
    let forged = "x-forwarded-host: evil.example\r\nx-forwarded-proto: https\r\n\
                  forwarded: host=evil.example;proto=https\r\nx-forwarded-port: 666\r\naccept: text/html\r\n";
    client.send(format!("GET / HTTP/1.1\r\nhost: evil.example\r\n{forged}\r\n")).await;
    let page = client.reply().await.unwrap();
    assert!(page.body.contains("http://localhost:8080") && !page.body.contains("evil"));
    client.send(format!("GET http://evil.example/ HTTP/1.1\r\nhost: evil.example\r\n{forged}\r\n")).await;
    let page = client.reply().await.unwrap();
    assert!(page.body.contains("http://localhost:8080") && !page.body.contains("evil"));
}

#[tokio::test]
async fn refusal_uses_the_error_format_of_its_route_without_the_reason() {
    let server = start().await;
    let mut client = server.client().await;
    let problem = client.get("/test/refused", "").await;
    assert_eq!(problem.json()["code"], "conflict");
    assert_eq!(problem.json()["detail"], *RefusalReason::from(RequestRefusal::ConcurrentChange).sentence());
    assert!(!problem.body.contains("private"));

    let form = "application/x-www-form-urlencoded";
    let refused = client.post("/test/oauth", form, "a=1").await;
    assert_eq!(refused.status, 400);
    let sentence = RefusalReason::from(OAuthRefusal::GrantInvalid).sentence();
    assert_eq!(refused.body, format!(r#"{{"error":"invalid_grant","error_description":"{sentence}"}}"#));
    assert_eq!(refused.header("cache-control"), Some("no-store"));
    let panicked = client.post("/test/oauth-panic", form, "").await;
    assert_eq!((panicked.status, &panicked.json()["error"]), (500, &"server_error".into()));
    let mistyped = client.post("/test/oauth", "text/plain", "").await;
    assert_eq!((mistyped.status, &mistyped.json()["error"]), (415, &"invalid_request".into()));

    let contended = client.post("/test/oauth-contended", form, "a=1").await;
    assert_eq!((contended.status, contended.header("retry-after")), (503, Some("1")));
    assert_eq!(contended.json()["error"], "temporarily_unavailable");

    for (path, status, retry) in
        [("/test/away", 503, Some("1")), ("/test/broken", 500, None), ("/test/contended", 409, None)]
    {
        let mut client = server.client().await;
        let reply = client.get(path, "").await;
        assert_eq!((reply.status, reply.header("retry-after")), (status, retry), "{path}");
        assert!(!reply.body.contains("disk") && !reply.body.contains("private"), "{}", reply.body);
    }
}

#[tokio::test]
async fn pipelined_requests_are_answered_in_order() {
    let server = start().await;
    let mut client = server.client().await;
    let paths = ["/healthz", "/nothing", "/test/sleep?ms=50", "/.well-known/jwks.json", "/test/client"];
    let all: String = paths.iter().map(|path| format!("GET {path} HTTP/1.1\r\nhost: test\r\n\r\n")).collect();
    client.send(all).await;
    let mut statuses = Vec::new();
    for _ in paths {
        statuses.push(client.reply().await.unwrap().status);
    }
    assert_eq!(statuses, [200, 404, 200, 200, 200]);
}

#[tokio::test]
async fn invalid_bytes_after_a_request_get_an_error_response_and_close_the_connection() {
    let server = start().await;
    let mut client = server.client().await;
    client.send("GET /healthz HTTP/1.1\r\nhost: test\r\n\r\nnonsense\r\n\r\n").await;
    assert_eq!(client.reply().await.unwrap().status, 200);
    let refused = client.reply().await.unwrap();
    assert_eq!((refused.status, refused.header("connection")), (400, Some("close")));
    crate::headers::assert_dressed(&refused, "garbage behind a good request");
    assert_eq!(refused.json()["code"], "invalid_request");
    assert!(client.reply().await.is_none());
}

/// Settings with traces that are exported nowhere.
fn with_traces() -> HttpSettings {
    let mut settings = settings();
    settings.server.traces = TracePolicy::Continue(|_, _| {});
    settings
}

/// Ready documents bypass the wrapper of handlers, except with tracing. The responses must be the same.
#[tokio::test]
async fn ready_document_response_is_the_same_with_and_without_tracing() {
    let (ready, worked) = (start().await, start_with(with_traces(), None).await);
    let (mut ready, mut worked) = (ready.client().await, worked.client().await);
    let asks = [
        "",
        "if-none-match: \"v1\"\r\n",
        "if-none-match: *\r\naccept-encoding: gzip\r\n",
        "origin: https://elsewhere.example\r\n",
        "accept: text/html\r\nx-request-id: mine\r\n",
        "x-fapi-interaction-id: c770aef3-6784-41f7-8e0e-ff5f97bddb3a\r\n",
        "content-encoding: gzip\r\n",
    ];
    let discovery = "/.well-known/openid-configuration";
    for path in ["/healthz", "/.well-known/jwks.json", "/openapi.json", discovery] {
        let mut statuses = BTreeSet::new();
        for request_headers in asks {
            let (one, other) =
                (ready.get(path, request_headers).await, worked.get(path, request_headers).await);
            let normalize_reply = |reply: &Reply| {
                let mut headers = reply.headers.clone();
                headers.retain(|(name, _)| name != "date" && name != "x-request-id");
                headers.sort();
                let body = if reply.status < 400 { reply.body.clone() } else { String::new() };
                (reply.status, headers, body)
            };
            assert_eq!(normalize_reply(&one), normalize_reply(&other), "{path} {request_headers}");
            statuses.insert(one.status);
        }
        assert!(statuses.contains(&200) && statuses.contains(&415), "{path}: {statuses:?}");
        assert_eq!(statuses.contains(&304), path != "/healthz", "{path}: {statuses:?}");
    }
}
