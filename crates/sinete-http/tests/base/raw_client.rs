//! A client that sends exact bytes and parses responses itself.

use crate::harness::PATIENCE;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpStream;

pub struct Client<S = TcpStream> {
    pub stream: S,
    unread: Vec<u8>,
}

#[derive(Debug)]
pub struct Reply {
    pub status: u16,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

impl Reply {
    /// The only value of a header; panics if it occurs twice.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut matching_headers = self.headers.iter().filter(|(header_name, _)| header_name == name);
        let value = matching_headers.next().map(|(_, value)| value.as_str());
        assert!(matching_headers.next().is_none(), "{name} is there twice");
        value
    }

    pub fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.body).unwrap()
    }
}

impl Client {
    pub async fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).await.unwrap())
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Client<S> {
    pub fn over(stream: S) -> Self {
        Self { stream, unread: Vec::new() }
    }

    pub async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.stream.write_all(bytes.as_ref()).await.unwrap();
    }

    /// `GET` with a host and these further headers, each ending in CRLF.
    pub async fn get(&mut self, path: &str, headers: &str) -> Reply {
        self.send(format!("GET {path} HTTP/1.1\r\nhost: test\r\n{headers}\r\n")).await;
        self.reply().await.expect("an answer")
    }

    pub async fn post(&mut self, path: &str, content_type: &str, body: impl AsRef<[u8]>) -> Reply {
        let body = body.as_ref();
        let head = format!(
            "POST {path} HTTP/1.1\r\nhost: test\r\ncontent-type: {content_type}\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        self.send([head.as_bytes(), body].concat()).await;
        self.reply().await.expect("an answer")
    }

    /// The next response; `None` if the connection ends first.
    pub async fn reply(&mut self) -> Option<Reply> {
        self.reply_to("GET").await
    }

    pub async fn reply_to(&mut self, method: &str) -> Option<Reply> {
        let end = loop {
            if let Some(index) = self.unread.windows(4).position(|window| window == b"\r\n\r\n") {
                break index + 4;
            }
            if !self.more().await {
                assert!(self.unread.is_empty(), "half an answer: {}", String::from_utf8_lossy(&self.unread));
                return None;
            }
        };
        let head: Vec<u8> = self.unread.drain(..end).collect();
        let head = String::from_utf8(head).unwrap();
        let mut lines = head.trim_end().split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers: Vec<(String, String)> = lines
            .map(|line| line.split_once(": ").unwrap())
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut reply = Reply { status, headers, body: String::new() };
        if method != "HEAD" && status != 304 && status != 204 {
            let length = reply.header("content-length").expect("a length").parse().unwrap();
            while self.unread.len() < length {
                assert!(self.more().await, "the body broke off");
            }
            reply.body = String::from_utf8(self.unread.drain(..length).collect()).unwrap();
        }
        Some(reply)
    }

    /// Whether the server closed the connection within this time.
    pub async fn is_closed_within(&mut self, timeout: Duration) -> bool {
        let mut byte = [0; 1];
        match tokio::time::timeout(timeout, self.stream.read(&mut byte)).await {
            Ok(Ok(0) | Err(_)) => true,
            Ok(Ok(_)) => panic!("more came"),
            Err(_) => false,
        }
    }

    async fn more(&mut self) -> bool {
        let mut buffer = [0; 16 * 1024];
        let read = tokio::time::timeout(PATIENCE, self.stream.read(&mut buffer));
        let read = read.await.expect("an answer in time").unwrap_or(0);
        self.unread.extend_from_slice(&buffer[..read]);
        read > 0
    }
}
