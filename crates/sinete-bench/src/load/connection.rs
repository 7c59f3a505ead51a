//! One keep-alive connection: sends a request and waits for the whole response.

use super::reply::{self, MalformedResponse, ParseProgress, REPLY_BYTES_MAX};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// Maximum time of one exchange before it counts as an error.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection that is opened on demand.
#[derive(Debug)]
pub struct HttpConnection {
    target: SocketAddr,
    stream: Option<TcpStream>,
    received: Vec<u8>,
}

/// Why an exchange failed.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The connection could not be opened or failed.
    #[error("connection: {}", .0.kind())]
    Broken(#[from] io::Error),
    /// The server closed the connection before the response was complete.
    #[error("connection closed before the reply was whole")]
    HungUp,
    /// The response is malformed.
    #[error(transparent)]
    Malformed(#[from] MalformedResponse),
    /// The exchange timed out.
    #[error("no answer within {} s", RESPONSE_TIMEOUT.as_secs())]
    TimedOut,
}

/// A response.
#[derive(Debug)]
pub struct HttpResponse<'connection> {
    /// The status code.
    pub status: u16,
    /// The received bytes, head and body.
    pub bytes: &'connection [u8],
}

impl HttpResponse<'_> {
    /// The body: what follows the head.
    pub fn body(&self) -> &[u8] {
        let head = self.bytes.windows(4).position(|window| window == b"\r\n\r\n");
        head.and_then(|end| self.bytes.get(end + 4..)).unwrap_or_default()
    }
}

impl HttpConnection {
    /// Creates a connection to `target` without opening it.
    pub fn new(target: SocketAddr) -> Self {
        Self { target, stream: None, received: Vec::with_capacity(16 * 1024) }
    }

    /// Opens the connection if it is not open.
    pub async fn open(&mut self) -> Result<(), ConnectionError> {
        self.stream().await.map(|_| ())
    }

    /// Sends one request and waits for its response. After an error, the next exchange opens a new
    /// connection.
    pub async fn exchange(&mut self, request: &[u8]) -> Result<HttpResponse<'_>, ConnectionError> {
        let outcome = match tokio::time::timeout(RESPONSE_TIMEOUT, self.send_and_receive(request)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(ConnectionError::TimedOut),
        };
        match outcome {
            Ok(reply) => {
                if !reply.keep_alive {
                    self.stream = None;
                }
                Ok(HttpResponse { status: reply.status, bytes: &self.received[..reply.length] })
            }
            Err(fault) => {
                self.stream = None;
                Err(fault)
            }
        }
    }

    async fn send_and_receive(&mut self, request: &[u8]) -> Result<reply::ParsedResponse, ConnectionError> {
        self.received.clear();
        self.stream().await?.write_all(request).await?;
        loop {
            let Some(stream) = self.stream.as_mut() else {
                return Err(ConnectionError::HungUp);
            };
            if stream.read_buf(&mut self.received).await? == 0 {
                return Err(ConnectionError::HungUp);
            }
            if let ParseProgress::Complete(reply) = reply::parse_response(&self.received)? {
                // One request is sent at a time: additional bytes mean that the response was parsed
                // incorrectly.
                if reply.length != self.received.len() {
                    return Err(MalformedResponse("bytes after the end of the reply").into());
                }
                return Ok(reply);
            }
            if self.received.len() > REPLY_BYTES_MAX {
                return Err(MalformedResponse("larger than the limit").into());
            }
        }
    }

    async fn stream(&mut self) -> Result<&mut TcpStream, ConnectionError> {
        if self.stream.is_none() {
            let stream = TcpStream::connect(self.target).await?;
            stream.set_nodelay(true)?;
            self.stream = Some(stream);
        }
        self.stream.as_mut().ok_or(ConnectionError::HungUp)
    }
}
