//! One keep-alive connection: send a request, wait for the whole reply.

use super::reply::{self, MalformedResponse, ParseProgress, REPLY_BYTES_MAX};
use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// How long one exchange may take before it counts as an error.
pub const ANSWER_WITHIN: Duration = Duration::from_secs(10);

/// A connection that opens itself when it is needed.
#[derive(Debug)]
pub struct HttpConnection {
    target: SocketAddr,
    stream: Option<TcpStream>,
    received: Vec<u8>,
}

/// Why an exchange brought no reply.
#[derive(Debug, thiserror::Error)]
pub enum ConnectionError {
    /// The connection could not be opened or broke.
    #[error("connection: {}", .0.kind())]
    Broken(#[from] io::Error),
    /// The server hung up before its reply was whole.
    #[error("connection closed before the reply was whole")]
    HungUp,
    /// Bytes came that are no reply.
    #[error(transparent)]
    Malformed(#[from] MalformedResponse),
    /// Nothing came in time.
    #[error("no answer within {} s", ANSWER_WITHIN.as_secs())]
    TimedOut,
}

/// What came back.
#[derive(Debug)]
pub struct HttpResponse<'connection> {
    /// The status code.
    pub status: u16,
    /// The reply as received, head and body.
    pub bytes: &'connection [u8],
}

impl HttpConnection {
    /// A connection to `target`, not opened yet.
    pub fn new(target: SocketAddr) -> Self {
        Self { target, stream: None, received: Vec::with_capacity(16 * 1024) }
    }

    /// Opens the connection if it is not open.
    pub async fn open(&mut self) -> Result<(), ConnectionError> {
        self.stream().await.map(|_| ())
    }

    /// Sends one request and waits for its reply. After a fault the next exchange opens a new connection.
    pub async fn exchange(&mut self, request: &[u8]) -> Result<HttpResponse<'_>, ConnectionError> {
        let outcome = match tokio::time::timeout(ANSWER_WITHIN, self.send_and_receive(request)).await {
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
            if let ParseProgress::Whole(reply) = reply::parse_response(&self.received)? {
                // We send one request at a time: more bytes than one reply means we misread it.
                if reply.length != self.received.len() {
                    return Err(MalformedResponse("bytes after the end of the reply").into());
                }
                return Ok(reply);
            }
            if self.received.len() > REPLY_BYTES_MAX {
                return Err(MalformedResponse("larger than we are willing to read").into());
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
