//! A keep-alive connection and its requests.

use crate::machine::PATIENCE;
use serde_json::Value;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};

/// A serialized request.
#[derive(Clone)]
pub struct Request(Vec<u8>);

impl Request {
    /// A form request.
    pub fn form(path: &str, form: &str) -> Self {
        Self::post(path, "application/x-www-form-urlencoded", "", form)
    }

    /// A JSON request of a browser with these headers.
    pub fn json(path: &str, headers: &str, body: &Value) -> Self {
        Self::post(path, "application/json", headers, &body.to_string())
    }

    fn post(path: &str, kind: &str, headers: &str, body: &str) -> Self {
        let length = body.len();
        let head = format!(
            "POST {path} HTTP/1.1\r\nHost: x\r\n{headers}Content-Type: {kind}\r\nContent-Length: {length}\r\n\r\n"
        );
        Self([head.as_bytes(), body.as_bytes()].concat())
    }
}

/// A keep-alive connection.
pub struct Connection(BufReader<TcpStream>);

impl Connection {
    pub fn to(node: SocketAddr) -> Self {
        let stream = TcpStream::connect(node).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        Self(BufReader::new(stream))
    }

    /// Sends a request, and returns the status and body.
    pub fn send(&mut self, request: &Request) -> (u16, Value) {
        self.0.get_mut().write_all(&request.0).unwrap();
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            self.0.read_line(&mut line).unwrap();
            if line.trim_end().is_empty() {
                break;
            }
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest[..3].parse().unwrap();
            }
            let lower = line.to_ascii_lowercase();
            if let Some(rest) = lower.strip_prefix("content-length:") {
                length = rest.trim().parse().unwrap();
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body).unwrap();
        (status, serde_json::from_slice(&body).unwrap_or_default())
    }
}
