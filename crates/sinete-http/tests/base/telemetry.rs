//! Tests of logs and metrics: one line per request without secrets.

use crate::harness::{settings, start, start_with};
use crate::raw_client::Client;
use sinete_server::context::TracePolicy;
use sinete_server::extract::trace_parent::TraceParent;
use sinete_server::log_context;
use std::cell::RefCell;
use std::io::Write;
use std::sync::Once;
use std::sync::atomic::{AtomicU32, Ordering};
use tracing_subscriber::fmt::MakeWriter;

thread_local! {
    /// The log of this thread; a test's server runs on the test's thread.
    static WRITTEN: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

struct Log;

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        WRITTEN.with_borrow_mut(|buffer| buffer.write(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        Self
    }
}

impl Log {
    /// Captures everything that this thread logs from now on.
    fn capture() -> Self {
        static INSTALLED: Once = Once::new();
        INSTALLED.call_once(|| {
            let subscriber =
                tracing_subscriber::fmt().json().event_format(log_context::json_format()).with_writer(Self);
            subscriber.with_env_filter("off,sinete_http=debug,sinete_server=debug,base=debug").init();
        });
        WRITTEN.with_borrow_mut(Vec::clear);
        Self
    }

    fn text(&self) -> String {
        WRITTEN.with_borrow(|buffer| String::from_utf8(buffer.clone()).unwrap())
    }

    fn lines(&self) -> Vec<serde_json::Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

#[tokio::test]
async fn request_log_has_one_line_with_route_and_status() {
    let log = Log::capture();
    let server = start().await;
    let mut client = server.client().await;
    for (path, route, status, level) in [
        ("/healthz", "/healthz", 200, "DEBUG"),
        ("/test/client", "/test/client", 200, "INFO"),
        ("/nothing/at/all", "unmatched", 404, "INFO"),
        ("/test/refused", "/test/refused", 409, "INFO"),
        ("/test/broken", "/test/broken", 500, "ERROR"),
        ("/test/away", "/test/away", 503, "WARN"),
    ] {
        let reply = client.get(path, "").await;
        let id = reply.header("x-request-id").unwrap();
        let lines: Vec<_> = log.lines().into_iter().filter(|line| line["request_id"] == id).collect();
        assert_eq!(lines.len(), 1, "{path}");
        let fields = &lines[0];
        assert_eq!(lines[0]["level"], level, "{path}");
        assert_eq!((&fields["route"], &fields["status"]), (&route.into(), &status.into()), "{path}");
        assert_eq!((&fields["method"], &fields["client"]), (&"GET".into(), &"127.0.0.1".into()));
        assert!(fields["duration_us"].is_u64());
    }
    let text = log.text();
    assert!(text.contains("the private reason") && text.contains("the disk said something private"));
}

#[tokio::test]
async fn request_log_lines_carry_the_request_id() {
    let log = Log::capture();
    let server = start().await;
    let id = server.client().await.get("/test/log", "").await.body;
    let inside: Vec<_> =
        log.lines().into_iter().filter(|line| line["message"] == "inside the handler").collect();
    assert_eq!(inside.len(), 1);
    assert_eq!(inside[0]["span"]["request_id"], id);
    assert_eq!(inside[0]["span"]["http.route"], "/test/log");
}

#[tokio::test]
async fn request_log_and_metrics_contain_no_request_content() {
    let log = Log::capture();
    let server = start().await;
    let mut client = server.client().await;
    let headers = "authorization: Bearer canary-a\r\ncookie: sinete_session=canary-b\r\nuser-agent: canary-c\r\n\
                   referer: https://canary-d.example\r\nx-anything: canary-e\r\nx-request-id: canary-f\r\n";
    for path in ["/test/client?token=canary-g", "/canary-h", "/test/panic?canary-i", "/healthz?canary-j"] {
        client.get(path, headers).await;
    }
    client.post("/test/json", "application/json", r#"{"canary-k":"canary-l","canary-k":1}"#).await;
    client.post("/test/form", "application/x-www-form-urlencoded", "canary-m=1&canary-m=canary-n").await;
    client.post("/test/form", "canary-o", "canary-p").await;
    let mut strange = server.client().await;
    strange.send("CANARY-Q /canary-r HTTP/1.1\r\nhost: canary-s\r\n\r\n").await;
    strange.reply().await.unwrap();
    strange.send("canary-t canary-u\r\n\r\n").await;
    strange.reply().await.unwrap();
    let figures = Client::connect(server.admin).await.get("/metrics", "").await.body;
    for (source_name, text) in [("the log", log.text()), ("the figures", figures)] {
        let leaked_text = text
            .to_lowercase()
            .find("canary")
            .map(|index| text[index..].chars().take(40).collect::<String>());
        assert_eq!(leaked_text, None, "in {source_name}");
    }
}

#[tokio::test]
async fn metrics_count_requests_by_route_method_and_class() {
    let server = start().await;
    let mut client = server.client().await;
    for _ in 0..3 {
        client.get("/healthz", "").await;
    }
    client.get("/nothing", "").await;
    client.get("/test/panic", "").await;
    client.get("/test/shown-panic", "").await;
    client.get("/test/shown-broken", "").await;
    let mut unreadable = server.client().await;
    unreadable.send("nonsense\r\n\r\n").await;
    unreadable.reply().await.unwrap();
    let figures = Client::connect(server.admin).await.get("/metrics", "").await;
    assert_eq!(figures.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    for line in [
        "sinete_http_requests_total{route=\"/healthz\",method=\"GET\",status=\"2xx\"} 3",
        "sinete_http_requests_total{route=\"unmatched\",method=\"any\",status=\"4xx\"} 1",
        "sinete_http_requests_total{route=\"/test/panic\",method=\"GET\",status=\"5xx\"} 1",
        "sinete_http_request_duration_seconds_count{route=\"/healthz\",method=\"GET\"} 3",
        "sinete_http_requests_total{route=\"/test/shown-panic\",method=\"GET\",status=\"5xx\"} 1",
        "sinete_http_requests_total{route=\"/test/shown-broken\",method=\"GET\",status=\"5xx\"} 1",
        "sinete_http_panics_total 2",
        "sinete_http_unreadable_requests_total{status=\"400\"} 1",
        "sinete_http_requests_in_progress 1",
        "sinete_http_connections{listener=\"admin\"} 1",
        "# HELP sinete_http_panics_total Requests whose handler panicked. Each of them is a bug.",
    ] {
        assert!(figures.body.contains(line), "{line} is not in:\n{}", figures.body);
    }
}

static CONTINUED: AtomicU32 = AtomicU32::new(0);

#[tokio::test]
async fn traceparent_is_continued_only_when_configured() {
    Log::capture();
    let parent = "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n";
    start().await.client().await.get("/test/client", parent).await;
    assert_eq!(CONTINUED.load(Ordering::Relaxed), 0);

    let mut continuing = settings();
    continuing.server.traces = TracePolicy::Continue(|span, parent: &TraceParent| {
        assert!(!span.is_disabled() && parent.sampled && parent.trace[0] == 0x4b);
        CONTINUED.fetch_add(1, Ordering::Relaxed);
    });
    let server = start_with(continuing, None).await;
    let mut client = server.client().await;
    client.get("/test/client", parent).await;
    client.get("/test/client", "traceparent: nonsense\r\n").await;
    client.get("/test/client", "").await;
    assert_eq!(CONTINUED.load(Ordering::Relaxed), 1);
}
