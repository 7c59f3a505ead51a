//! A connection from its first byte to its last: protocol, timeouts, and shutdown.

mod early_responses;
mod exchange;
mod guarded_transport;
mod service;
mod transport;

pub(crate) use crate::connection::early_responses::{EarlyResponseReason, EarlyResponses};
pub(crate) use transport::ConnectionTransport;

use crate::application::Application;
use crate::connection::guarded_transport::{ClientReadLimits, GuardedTransport, HttpProtocol};
use crate::context::ServerContext;
use crate::dispatcher::Dispatcher;
use crate::extract::certificate::ConnectedPeer;
use crate::limits::{ServerDeadlines, ServerLimits};
use exchange::ConnectionProgress;
use hyper::server::conn::{http1, http2};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use service::ConnectionService;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Serves the connections of one listener.
pub(crate) struct ConnectionHandler<A> {
    dispatcher: Arc<Dispatcher<A>>,
    early_responses: Arc<EarlyResponses>,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    deadlines: ServerDeadlines,
    read_limits: ClientReadLimits,
}

/// The shutdown signals of a connection.
#[derive(Clone)]
pub(crate) struct ShutdownSignals {
    /// Complete requests in progress and accept no new ones.
    pub(crate) drain: CancellationToken,
    /// Stop immediately.
    pub(crate) abort: CancellationToken,
}

impl ShutdownSignals {
    /// Completes a moment after draining began: connections without a request by then are closed.
    pub(crate) async fn drain_grace_elapsed(&self) {
        self.drain.cancelled().await;
        tokio::time::sleep(LAST_REQUEST_GRACE).await;
    }
}

impl<A: Application> ConnectionHandler<A> {
    pub(crate) fn new(door: Dispatcher<A>, farewell: Arc<EarlyResponses>) -> Self {
        let settings = door.server().settings();
        let (http1, http2) = (http1_builder(&settings.limits), http2_builder(&settings.limits));
        let deadlines = settings.deadlines.clone();
        let limits = ClientReadLimits {
            headers: deadlines.headers,
            linger: deadlines.linger,
            linger_idle: deadlines.linger_idle,
            bytes: settings.limits.linger_bytes,
        };
        Self {
            dispatcher: Arc::new(door),
            early_responses: farewell,
            http1,
            http2,
            deadlines,
            read_limits: limits,
        }
    }

    pub(crate) fn server(&self) -> &Arc<ServerContext> {
        self.dispatcher.server()
    }

    /// Serves a connection until it ends.
    pub(crate) async fn serve_connection(
        &self,
        transport: ConnectionTransport,
        connected: ConnectedPeer,
        ending: ShutdownSignals,
    ) {
        let exchange = Arc::new(ConnectionProgress::default());
        let mut wire = GuardedTransport::new(
            transport,
            Arc::clone(&exchange),
            Arc::clone(&self.early_responses),
            self.read_limits,
        );
        let protocol = tokio::select! {
            protocol = wire.detect_protocol() => protocol,
            () = ending.drain_grace_elapsed() => return,
        };
        let (door, connected) = (Arc::clone(&self.dispatcher), Arc::new(connected));
        let service =
            ConnectionService { dispatcher: door, exchange: Arc::clone(&exchange), peer: connected };
        match protocol {
            None => {}
            Some(HttpProtocol::Http1) => {
                let connection = self.http1.serve_connection(TokioIo::new(wire), service);
                self.drive_connection(connection, &exchange, &ending, LAST_REQUEST_GRACE).await;
            }
            Some(HttpProtocol::Http2) => {
                let connection = self.http2.serve_connection(TokioIo::new(wire), service);
                // HTTP/2 announces the last request it will answer (GOAWAY), so no grace period is needed.
                self.drive_connection(connection, &exchange, &ending, Duration::ZERO).await;
            }
        }
    }

    /// Drives a connection, and ends it when it is idle or when asked to.
    async fn drive_connection(
        &self,
        connection: impl GracefulConnection,
        exchange: &ConnectionProgress,
        ending: &ShutdownSignals,
        grace: Duration,
    ) {
        let mut connection = pin!(connection);
        let mut silence = IdleWatch::new(exchange);
        let mut look = pin!(tokio::time::sleep(self.deadlines.headers));
        loop {
            tokio::select! {
                biased;
                _ = connection.as_mut() => return,
                () = ending.drain.cancelled() => break,
                () = look.as_mut() => match silence.next_check(exchange) {
                    IdleVerdict::Active => {
                        let next = self.deadlines.keep_alive / IDLE_CHECKS;
                        look.set(tokio::time::sleep(next));
                    }
                    IdleVerdict::Idle => break,
                    IdleVerdict::Stuck => return,
                },
            }
        }
        exchange.request_close();
        if ending.drain.is_cancelled() && !exchange.is_busy() && !grace.is_zero() {
            // The client may already be sending a request; it is answered, and the response tells the client
            // that the connection closes.
            let _ = tokio::time::timeout(grace, connection.as_mut()).await;
        }
        connection.as_mut().graceful_shutdown();
        // A draining connection has until the abort; an idle one only needs to be closed.
        let draining = ending.drain.is_cancelled();
        tokio::select! {
            _ = connection => {}
            () = ending.abort.cancelled() => {}
            () = tokio::time::sleep(self.deadlines.keep_alive / IDLE_CHECKS), if !draining => {}
        }
    }
}

/// The number of checks without an event after which a connection counts as idle for the keep-alive time.
const IDLE_CHECKS: u32 = 4;
/// How long a connection without a request in progress may still send one after draining began.
const LAST_REQUEST_GRACE: Duration = Duration::from_millis(500);

/// Detects a connection on which no request begins or ends.
struct IdleWatch {
    events: u64,
    idle_checks: u32,
}

enum IdleVerdict {
    Active,
    /// Nothing is in progress: it can be closed.
    Idle,
    /// A request is in progress but makes no progress: the client does not read, or never finishes sending.
    Stuck,
}

impl IdleWatch {
    fn new(exchange: &ConnectionProgress) -> Self {
        Self { events: exchange.event_count(), idle_checks: 0 }
    }

    /// The first check comes when the first request must have arrived; the others divide the keep-alive time.
    fn next_check(&mut self, exchange: &ConnectionProgress) -> IdleVerdict {
        if exchange.has_no_request_yet() {
            return IdleVerdict::Idle;
        }
        let events = exchange.event_count();
        if events != self.events {
            *self = Self { events, idle_checks: 0 };
            return IdleVerdict::Active;
        }
        self.idle_checks += 1;
        match (self.idle_checks >= IDLE_CHECKS, exchange.is_busy()) {
            (false, _) => IdleVerdict::Active,
            (true, false) => IdleVerdict::Idle,
            (true, true) => IdleVerdict::Stuck,
        }
    }
}

/// How much larger a header block hyper reads than our limit, so that our own refusal is sent.
const HEADER_MARGIN: usize = 4;

fn http1_builder(limits: &ServerLimits) -> http1::Builder {
    let mut builder = http1::Builder::new();
    builder
        .keep_alive(true)
        .half_close(false)
        // The transport below enforces the header timeout: hyper's would also end idle connections.
        .header_read_timeout(None)
        // One buffer per write, so that hyper's own responses can be recognized.
        .writev(false)
        .max_buf_size((limits.header_bytes * HEADER_MARGIN).max(8 * 1024));
    builder
}

fn http2_builder(limits: &ServerLimits) -> http2::Builder<TokioExecutor> {
    let mut builder = http2::Builder::new(TokioExecutor::new());
    let header_list = u32::try_from(limits.header_bytes * HEADER_MARGIN).unwrap_or(u32::MAX);
    builder
        .timer(TokioTimer::new())
        .max_concurrent_streams(limits.http2_streams)
        .max_pending_accept_reset_streams(HTTP2_RESETS_MAX)
        .max_local_error_reset_streams(HTTP2_RESETS_MAX)
        .max_header_list_size(header_list)
        .initial_stream_window_size(HTTP2_STREAM_WINDOW_BYTES)
        .initial_connection_window_size(HTTP2_CONNECTION_WINDOW_BYTES)
        .max_send_buf_size(HTTP2_SEND_BUFFER_BYTES)
        .keep_alive_interval(HTTP2_PING_INTERVAL)
        .keep_alive_timeout(HTTP2_PING_TIMEOUT);
    builder
}

/// Maximum streams that a client may reset before they are handled; more is an attack (CVE-2023-44487).
const HTTP2_RESETS_MAX: usize = 100;
/// Fits a whole response body.
const HTTP2_STREAM_WINDOW_BYTES: u32 = 64 * 1024;
const HTTP2_CONNECTION_WINDOW_BYTES: u32 = 256 * 1024;
const HTTP2_SEND_BUFFER_BYTES: usize = 64 * 1024;
const HTTP2_PING_INTERVAL: Duration = Duration::from_secs(20);
const HTTP2_PING_TIMEOUT: Duration = Duration::from_secs(10);
