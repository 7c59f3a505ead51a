//! The limits and timeouts of a listener. The defaults are from the core; tests may set smaller ones.

use sinete_core::limits;
use std::time::Duration;

/// The limits.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// Maximum open connections of the public listener.
    pub connections: usize,
    /// Maximum open connections of the admin listener.
    pub admin_connections: usize,
    /// Maximum requests in progress.
    pub requests: usize,
    /// Maximum bytes in a request's header block.
    pub header_bytes: usize,
    /// Maximum headers in a request.
    pub headers: usize,
    /// Maximum bytes in a request target.
    pub uri_bytes: usize,
    /// Maximum bytes in a form body.
    pub form_bytes: usize,
    /// Maximum bytes in a JSON body.
    pub json_bytes: usize,
    /// Maximum bytes in a SCIM body.
    pub scim_bytes: usize,
    /// Maximum bytes in a SCIM bulk body.
    pub scim_bulk_bytes: usize,
    /// Maximum discarded bytes of a client that continues to send after an early response.
    pub linger_bytes: usize,
    /// Maximum concurrent streams of one HTTP/2 connection.
    pub http2_streams: u32,
}

/// The timeouts.
#[derive(Clone, Debug)]
pub struct ServerDeadlines {
    /// For a TLS handshake.
    pub handshake: Duration,
    /// For a request's headers, and for the first request of a connection.
    pub headers: Duration,
    /// For a request's body.
    pub body: Duration,
    /// For producing a response.
    pub response: Duration,
    /// For any request to begin or end on a connection.
    pub keep_alive: Duration,
    /// For a client that continues to send after an early response.
    pub linger: Duration,
    /// For the next bytes of that.
    pub linger_idle: Duration,
    /// Between reporting not ready and no longer accepting connections.
    pub notice: Duration,
    /// For requests in progress when the listener closes.
    pub drain: Duration,
    /// Between two checks of the TLS certificate files.
    pub certificate_check: Duration,
}

impl Default for ServerLimits {
    fn default() -> Self {
        Self {
            connections: limits::CONNECTIONS_MAX,
            admin_connections: limits::ADMIN_CONNECTIONS_MAX,
            requests: limits::REQUESTS_IN_PROGRESS_MAX,
            header_bytes: limits::HEADER_BYTES_MAX,
            headers: limits::HEADERS_MAX,
            uri_bytes: limits::URI_BYTES_MAX,
            form_bytes: limits::FORM_BYTES_MAX,
            json_bytes: limits::JSON_BYTES_MAX,
            scim_bytes: limits::SCIM_BYTES_MAX,
            scim_bulk_bytes: limits::SCIM_BULK_BYTES_MAX,
            linger_bytes: limits::LINGER_BYTES_MAX,
            http2_streams: limits::HTTP2_STREAMS_MAX,
        }
    }
}

impl Default for ServerDeadlines {
    fn default() -> Self {
        Self {
            handshake: limits::TLS_HANDSHAKE_MAX.as_duration(),
            headers: limits::HEADER_ARRIVAL_MAX.as_duration(),
            body: limits::BODY_ARRIVAL_MAX.as_duration(),
            response: limits::RESPONSE_TIME_MAX.as_duration(),
            keep_alive: limits::KEEP_ALIVE_MAX.as_duration(),
            linger: limits::LINGER_MAX.as_duration(),
            linger_idle: limits::LINGER_SILENCE_MAX.as_duration(),
            notice: Duration::ZERO,
            drain: limits::DRAIN_MAX.as_duration(),
            certificate_check: limits::CERTIFICATE_CHECK_INTERVAL.as_duration(),
        }
    }
}
