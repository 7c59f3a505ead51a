//! Log context: every line logged during a request contains its id. A request that logs nothing costs
//! nothing: there is no span unless traces are exported.

use sinete_core::id::RequestId;
use std::cell::Cell;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use tracing::{Event, Subscriber};
use tracing_subscriber::fmt::format::{Compact, Format, Json, Writer};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

thread_local! {
    /// The request that this thread is handling.
    static CURRENT: Cell<Option<CurrentRequest>> = const { Cell::new(None) };
}

/// A request, as named in log lines.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CurrentRequest {
    pub(crate) id: RequestId,
    pub(crate) route: &'static str,
}

/// Runs a future in the context of a request. It is pinned in place and not moved, because it is large.
pub(crate) async fn run_in_request<F: Future>(current: CurrentRequest, mut future: Pin<&mut F>) -> F::Output {
    poll_fn(|context| {
        let _before = PreviousRequest(CURRENT.replace(Some(current)));
        future.as_mut().poll(context)
    })
    .await
}

/// The previous context of the thread, which is restored.
struct PreviousRequest(Option<CurrentRequest>);

impl Drop for PreviousRequest {
    fn drop(&mut self) {
        CURRENT.set(self.0);
    }
}

/// A log format that adds the request to each line.
#[derive(Debug)]
pub struct RequestLogFormat<F> {
    format: F,
    rewrite: LineRewriter,
}

/// Rewrites a line with its request.
type LineRewriter = fn(&str, CurrentRequest, &mut Writer<'_>) -> fmt::Result;

/// The text format, optionally in color.
pub fn text_format(colours: bool) -> RequestLogFormat<Format<Compact>> {
    let line_rewriter: LineRewriter = |line, CurrentRequest { id, route }, out| {
        writeln!(out, "{line} request_id={id} http.route={route:?}")
    };
    RequestLogFormat { format: Format::default().with_ansi(colours).compact(), rewrite: line_rewriter }
}

/// The JSON format: one object per line, with the fields next to the message.
pub fn json_format() -> RequestLogFormat<Format<Json>> {
    let line_rewriter: LineRewriter = |line, CurrentRequest { id, route }, out| {
        // A route is a constant and an id hexadecimal: neither needs escaping in JSON.
        let rest = line.strip_suffix('}').ok_or(fmt::Error)?;
        writeln!(out, r#"{rest},"span":{{"http.route":"{route}","request_id":"{id}","name":"request"}}}}"#)
    };
    RequestLogFormat {
        format: Format::default().json().flatten_event(true).with_span_list(false),
        rewrite: line_rewriter,
    }
}

impl<S, N, F> FormatEvent<S, N> for RequestLogFormat<F>
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
    F: FormatEvent<S, N>,
{
    fn format_event(&self, of: &FmtContext<'_, S, N>, mut out: Writer<'_>, event: &Event<'_>) -> fmt::Result {
        let Some(current) = CURRENT.get() else { return self.format.format_event(of, out, event) };
        let mut line = String::new();
        self.format.format_event(of, Writer::new(&mut line), event)?;
        (self.rewrite)(line.trim_end_matches('\n'), current, &mut out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;
    use std::pin::pin;
    use std::sync::{Arc, Mutex};
    use tracing_subscriber::fmt::MakeWriter;

    #[derive(Clone, Default)]
    struct WrittenLine(Arc<Mutex<Vec<u8>>>);

    impl io::Write for WrittenLine {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl MakeWriter<'_> for WrittenLine {
        type Writer = Self;
        fn make_writer(&self) -> Self {
            self.clone()
        }
    }

    /// Logs a line before a request, within it, within another one handled meanwhile, within the first again,
    /// and after both.
    async fn log_around() {
        let current = |byte, route| CurrentRequest { id: RequestId::from_bytes([byte; 16]), route };
        tracing::info!("before");
        let outer = async {
            tracing::info!(count = 3, "within");
            run_in_request(current(2, "/inner"), pin!(async { tracing::info!("inside") })).await;
            tokio::task::yield_now().await;
            tracing::info!("again");
        };
        run_in_request(current(1, "/outer"), pin!(outer)).await;
        tracing::info!("behind");
    }

    fn lines(written_line: &WrittenLine) -> Vec<String> {
        let text = String::from_utf8(written_line.0.lock().unwrap().clone()).unwrap();
        text.lines().map(str::to_owned).collect()
    }

    const OUTER: &str = "01010101-0101-0101-0101-010101010101";
    const INNER: &str = "02020202-0202-0202-0202-020202020202";

    #[tokio::test]
    async fn log_line_as_text_names_its_request() {
        let written_line = WrittenLine::default();
        let subscriber =
            tracing_subscriber::fmt().with_writer(written_line.clone()).event_format(text_format(false));
        let default_guard = tracing::subscriber::set_default(subscriber.finish());
        log_around().await;
        drop(default_guard);
        let lines = lines(&written_line);
        let [before, within, inside, second_within, after] = &lines[..] else { panic!("{lines:?}") };
        assert!(before.ends_with("before") && after.ends_with("behind"), "{before} {after}");
        assert!(
            within.ends_with(&format!("within count=3 request_id={OUTER} http.route=\"/outer\"")),
            "{within}"
        );
        assert!(inside.ends_with(&format!("inside request_id={INNER} http.route=\"/inner\"")), "{inside}");
        assert!(
            second_within.ends_with(&format!("again request_id={OUTER} http.route=\"/outer\"")),
            "{second_within}"
        );
    }

    #[tokio::test]
    async fn log_line_as_json_names_its_request() {
        let written_line = WrittenLine::default();
        let subscriber =
            tracing_subscriber::fmt().json().with_writer(written_line.clone()).event_format(json_format());
        let default_guard = tracing::subscriber::set_default(subscriber.finish());
        log_around().await;
        drop(default_guard);
        let lines: Vec<serde_json::Value> =
            lines(&written_line).iter().map(|line| serde_json::from_str(line).unwrap()).collect();
        let request_ids: Vec<_> = lines.iter().map(|line| line["span"]["request_id"].as_str()).collect();
        assert_eq!(request_ids, [None, Some(OUTER), Some(INNER), Some(OUTER), None]);
        assert_eq!((&lines[1]["count"], &lines[1]["span"]["http.route"]), (&3.into(), &"/outer".into()));
    }
}
