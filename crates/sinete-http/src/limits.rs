//! How much of anything a listener takes, and how long it waits. The figures are the core's; a test may
//! set smaller ones.

use sinete_core::limits;
use std::time::Duration;

/// How much is taken.
#[derive(Clone, Debug)]
pub struct ServerLimits {
    /// Most connections the public listener keeps open at once.
    pub connections: usize,
    /// Most connections the admin listener keeps open at once.
    pub admin_connections: usize,
    /// Most requests being answered at once.
    pub requests: usize,
    /// Most bytes in a request's header block.
    pub header_bytes: usize,
    /// Most headers in a request.
    pub headers: usize,
    /// Most bytes in a request's target.
    pub uri_bytes: usize,
    /// Most bytes in a form body.
    pub form_bytes: usize,
    /// Most bytes in a JSON body.
    pub json_bytes: usize,
    /// Most bytes in a body that provisions.
    pub scim_bytes: usize,
    /// Most bytes in a body of many requests that provision.
    pub scim_bulk_bytes: usize,
    /// Most bytes that are thrown away of what a client goes on sending after it was answered.
    pub linger_bytes: usize,
    /// Most requests one HTTP/2 connection may have open.
    pub http2_streams: u32,
}

/// How long is waited.
#[derive(Clone, Debug)]
pub struct ServerDeadlines {
    /// For a TLS handshake.
    pub handshake: Duration,
    /// For a request's headers, and for the first request of a connection.
    pub headers: Duration,
    /// For a request's body.
    pub body: Duration,
    /// For an answer to be made.
    pub answer: Duration,
    /// For anything at all to begin or end on a connection.
    pub keep_alive: Duration,
    /// For what a client goes on sending after it was answered.
    pub linger: Duration,
    /// For the next piece of that.
    pub linger_silence: Duration,
    /// Between saying that this node is going away and no longer accepting connections.
    pub notice: Duration,
    /// For requests in progress when the listener closes.
    pub drain: Duration,
    /// Between two looks at the files of a TLS certificate.
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
            answer: limits::ANSWER_MAX.as_duration(),
            keep_alive: limits::KEEP_ALIVE_MAX.as_duration(),
            linger: limits::LINGER_MAX.as_duration(),
            linger_silence: limits::LINGER_SILENCE_MAX.as_duration(),
            notice: Duration::ZERO,
            drain: limits::DRAIN_MAX.as_duration(),
            certificate_check: limits::CERTIFICATE_CHECK_INTERVAL.as_duration(),
        }
    }
}
