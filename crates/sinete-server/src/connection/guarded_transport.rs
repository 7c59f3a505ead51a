//! The byte stream between the transport and hyper. It enforces the header timeout, and replaces the bare
//! responses that hyper sends by itself with complete ones.

use super::exchange::ConnectionProgress;
use super::transport::ConnectionTransport;
use crate::connection::early_responses::{EarlyResponseReason, EarlyResponses};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

pub(crate) struct GuardedTransport {
    transport: ConnectionTransport,
    protocol: HttpProtocol,
    /// Bytes read to detect the protocol, which hyper reads again.
    first_bytes: Vec<u8>,
    exchange: Arc<ConnectionProgress>,
    early_responses: Arc<EarlyResponses>,
    read_limits: ClientReadLimits,
    head: HeaderProgress,
    early_response: Option<ReplacedResponse>,
    /// Whether the connection is in a lingering close.
    is_lingering: bool,
    linger: Option<LingerState>,
}

/// Timeouts and limits for reading from a client.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClientReadLimits {
    /// For the headers of a request.
    pub(crate) headers: Duration,
    /// After an early response, for what the client is still sending.
    pub(crate) linger: Duration,
    /// For the next bytes of that.
    pub(crate) linger_idle: Duration,
    /// How many of these bytes are read.
    pub(crate) bytes: usize,
}

/// The state of a lingering close
/// (docs/contribute/decisions/0208-http-lingering-close-after-an-early-response.md).
struct LingerState {
    deadline: Pin<Box<Sleep>>,
    idle_deadline: Pin<Box<Sleep>>,
    bytes_left: usize,
}

impl LingerState {
    fn new(limits: &ClientReadLimits) -> Self {
        Self {
            deadline: Box::pin(tokio::time::sleep(limits.linger)),
            idle_deadline: Box::pin(tokio::time::sleep(limits.linger_idle)),
            bytes_left: limits.bytes,
        }
    }

    /// Whether the lingering close is over: by time, by silence or by amount.
    fn is_finished(&mut self, context: &mut Context<'_>) -> bool {
        self.bytes_left == 0
            || self.deadline.as_mut().poll(context).is_ready()
            || self.idle_deadline.as_mut().poll(context).is_ready()
    }

    fn record_bytes(&mut self, bytes: usize, limits: &ClientReadLimits) {
        self.bytes_left = self.bytes_left.saturating_sub(bytes);
        self.idle_deadline.set(tokio::time::sleep(limits.linger_idle));
    }
}

/// The HTTP version of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HttpProtocol {
    Http1,
    Http2,
}

/// The progress of the next HTTP/1 request's headers.
struct HeaderProgress {
    /// How many requests had begun when the first byte of this one arrived; `None` if none has arrived.
    begun_before: Option<u64>,
    deadline: Option<Pin<Box<Sleep>>>,
}

/// A response of ours that replaces one of hyper.
struct ReplacedResponse {
    bytes: Vec<u8>,
    sent_bytes: usize,
    /// How many of hyper's bytes it replaces.
    replaced_bytes: usize,
}

const HTTP2_PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The size of the buffer for discarded bytes.
const DISCARD_BUFFER_BYTES: usize = 16 * 1024;

impl GuardedTransport {
    /// A new connection. Its first request has the same header timeout as later ones.
    pub(crate) fn new(
        transport: ConnectionTransport,
        exchange: Arc<ConnectionProgress>,
        farewell: Arc<EarlyResponses>,
        limits: ClientReadLimits,
    ) -> Self {
        let deadline = Some(Box::pin(tokio::time::sleep(limits.headers)));
        Self {
            transport,
            protocol: HttpProtocol::Http1,
            first_bytes: Vec::new(),
            exchange,
            early_responses: farewell,
            read_limits: limits,
            head: HeaderProgress { begun_before: Some(0), deadline },
            early_response: None,
            is_lingering: false,
            linger: None,
        }
    }

    /// Detects the HTTP version; `None` if the client sends nothing in time.
    pub(crate) async fn detect_protocol(&mut self) -> Option<HttpProtocol> {
        let http_protocol = match self.transport.alpn_protocol() {
            Some(b"h2") => Some(HttpProtocol::Http2),
            Some(_) => Some(HttpProtocol::Http1),
            None => None,
        };
        self.protocol = match http_protocol {
            Some(protocol) => protocol,
            None => self.detect_from_preface().await?,
        };
        Some(self.protocol)
    }

    async fn detect_from_preface(&mut self) -> Option<HttpProtocol> {
        let mut buffer = [0; HTTP2_PREFACE.len()];
        loop {
            let offset = self.first_bytes.len();
            let read = tokio::select! {
                read = self.transport.read(&mut buffer[offset..]) => read.ok()?,
                () = self.head.deadline.as_mut()? => return None,
            };
            self.first_bytes.extend_from_slice(&buffer[offset..offset + read]);
            if !HTTP2_PREFACE.starts_with(&self.first_bytes) || (read == 0 && offset > 0) {
                return Some(HttpProtocol::Http1);
            }
            match (read, self.first_bytes.len() == HTTP2_PREFACE.len()) {
                (0, _) => return None,
                (_, true) => return Some(HttpProtocol::Http2),
                (_, false) => {}
            }
        }
    }

    /// Records received bytes: outside a request they begin one.
    fn record_bytes_received(&mut self) {
        if self.protocol == HttpProtocol::Http1 && !self.exchange.is_busy() {
            let request_count = self.exchange.requests_begun();
            if self.head.begun_before != Some(request_count) {
                self.head.begun_before = Some(request_count);
                self.head.deadline = None;
            }
        }
    }

    /// Whether the header timeout has elapsed.
    fn poll_header_timeout(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let awaited = self.protocol == HttpProtocol::Http1
            && !self.exchange.is_busy()
            && self.head.begun_before == Some(self.exchange.requests_begun());
        if !awaited {
            return Poll::Pending;
        }
        let timeout = self.read_limits.headers;
        let deadline = self.head.deadline.get_or_insert_with(|| Box::pin(tokio::time::sleep(timeout)));
        deadline.as_mut().poll(context)
    }

    fn queue_early_response(&mut self, parting: EarlyResponseReason, before: &[u8], stands_for: usize) {
        let mut bytes = before.to_vec();
        bytes.extend_from_slice(&self.early_responses.write_response(parting));
        self.early_response = Some(ReplacedResponse { bytes, sent_bytes: 0, replaced_bytes: stands_for });
        self.is_lingering = true;
    }

    /// Sends the early response, and returns how many of hyper's bytes it replaced.
    fn poll_early_response(&mut self, context: &mut Context<'_>) -> Poll<io::Result<usize>> {
        let Some(response) = &mut self.early_response else { return Poll::Ready(Ok(0)) };
        while response.sent_bytes < response.bytes.len() {
            let rest = &response.bytes[response.sent_bytes..];
            let byte_count = ready!(Pin::new(&mut self.transport).poll_write(context, rest))?;
            if byte_count == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            response.sent_bytes += byte_count;
        }
        let stands_for = response.replaced_bytes;
        self.early_response = None;
        Poll::Ready(Ok(stands_for))
    }
}

/// Finds a response of hyper at the end of its output: a status that it sends by itself, without our headers.
/// Returns its offset.
fn find_hyper_response(bytes: &[u8]) -> Option<(usize, EarlyResponseReason)> {
    if !bytes.ends_with(b"\r\n\r\n") {
        return None;
    }
    let tail_start = bytes.len().saturating_sub(HYPER_RESPONSE_BYTES_MAX);
    let tail = &bytes[tail_start..];
    let index = tail.windows(STATUS_LINE.len()).rposition(|window| window == STATUS_LINE)?;
    let answer = &tail[index..];
    let parting = EarlyResponseReason::from_status(answer.get(STATUS_LINE.len()..STATUS_LINE.len() + 3)?)?;
    let marked = answer.windows(SINETE_RESPONSE_MARKER.len()).any(|window| window == SINETE_RESPONSE_MARKER);
    (!marked).then_some((tail_start + index, parting))
}

const STATUS_LINE: &[u8] = b"HTTP/1.1 ";
const SINETE_RESPONSE_MARKER: &[u8] = b"\r\nx-request-id: ";
/// The maximum size of hyper's own responses, which have a status line, a length, a date and perhaps a
/// connection header.
const HYPER_RESPONSE_BYTES_MAX: usize = 192;

impl AsyncRead for GuardedTransport {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.early_response.is_none() {
            if !this.first_bytes.is_empty() {
                let count = this.first_bytes.len().min(buffer.remaining());
                buffer.put_slice(&this.first_bytes[..count]);
                this.first_bytes.drain(..count);
                this.record_bytes_received();
                return Poll::Ready(Ok(()));
            }
            let before = buffer.filled().len();
            match Pin::new(&mut this.transport).poll_read(context, buffer) {
                Poll::Ready(read) => {
                    if buffer.filled().len() > before {
                        this.record_bytes_received();
                    }
                    return Poll::Ready(read);
                }
                Poll::Pending => ready!(this.poll_header_timeout(context)),
            }
            this.queue_early_response(EarlyResponseReason::TooSlow, &[], 0);
        }
        ready!(this.poll_early_response(context))?;
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncWrite for GuardedTransport {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        if this.early_response.is_none() {
            let bare = match this.protocol {
                HttpProtocol::Http1 => find_hyper_response(bytes),
                HttpProtocol::Http2 => None,
            };
            let Some((index, parting)) = bare else {
                return Pin::new(&mut this.transport).poll_write(context, bytes);
            };
            this.queue_early_response(parting, &bytes[..index], bytes.len());
        }
        this.poll_early_response(context)
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().transport).poll_flush(context)
    }

    /// Shuts down the write side. A client that may still be sending is read from for a while: otherwise a
    /// TCP reset could destroy our last response.
    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        if this.linger.is_none() {
            ready!(Pin::new(&mut this.transport).poll_shutdown(context))?;
            if !this.is_lingering && !this.exchange.has_unread_body() {
                return Poll::Ready(Ok(()));
            }
        }
        let limits = this.read_limits;
        let linger = this.linger.get_or_insert_with(|| LingerState::new(&limits));
        let mut waste = [0; DISCARD_BUFFER_BYTES];
        while !linger.is_finished(context) {
            let mut buffer = ReadBuf::new(&mut waste);
            ready!(Pin::new(&mut this.transport).poll_read(context, &mut buffer))?;
            match buffer.filled().len() {
                0 => break,
                read => linger.record_bytes(read, &limits),
            }
        }
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BARE: &[u8] = b"HTTP/1.1 400 Bad Request\r\nconnection: close\r\ncontent-length: 0\r\ndate: Sun, 06 Nov 1994 08:49:37 GMT\r\n\r\n";

    #[test]
    fn hyper_response_without_security_headers_is_recognized() {
        assert_eq!(find_hyper_response(BARE), Some((0, EarlyResponseReason::Malformed)));
        let earlier = b"HTTP/1.1 200 OK\r\nx-request-id: 1\r\n\r\nthe body of an answer before it";
        assert_eq!(
            find_hyper_response(&[earlier, BARE].concat()),
            Some((earlier.len(), EarlyResponseReason::Malformed))
        );
        let long = b"x".repeat(10_000);
        assert_eq!(
            find_hyper_response(&[&long[..], BARE].concat()),
            Some((long.len(), EarlyResponseReason::Malformed))
        );
    }

    #[test]
    fn hyper_response_is_not_detected_in_server_responses() {
        for answer in [
            &b"HTTP/1.1 400 Bad Request\r\nx-request-id: 1\r\ncontent-length: 0\r\n\r\n"[..],
            b"HTTP/1.1 304 Not Modified\r\netag: \"1\"\r\n\r\n",
            b"HTTP/1.1 100 Continue\r\n\r\n",
            b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}",
            b"\r\n\r\n",
            b"",
        ] {
            assert_eq!(find_hyper_response(answer), None, "{}", String::from_utf8_lossy(answer));
        }
    }
}
