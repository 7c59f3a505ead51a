//! One request of the management API.

use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;

/// A request before it is authorized.
pub struct ManagementRequest {
    pub method: &'static str,
    pub path: String,
    pub query: Value,
    pub version: Option<i64>,
    pub body: Option<(&'static str, Value)>,
    /// Whether the operation takes an `Idempotency-Key`.
    pub accepts_idempotency_key: bool,
}

impl ManagementRequest {
    pub fn new(method: &'static str, path: &str) -> Self {
        let path = path.to_owned();
        Self { method, path, query: Value::Null, version: None, body: None, accepts_idempotency_key: false }
    }

    pub fn query(self, query: &impl Serialize) -> Self {
        Self { query: serde_json::to_value(query).unwrap_or_default(), ..self }
    }

    pub fn version(self, version: i64) -> Self {
        Self { version: Some(version), ..self }
    }

    pub fn accept_idempotency_key(self) -> Self {
        Self { accepts_idempotency_key: true, ..self }
    }

    pub fn body(self, body: &impl Serialize) -> Self {
        self.with_body("application/json", body)
    }

    /// A JSON merge patch (RFC 7396).
    pub fn patch(self, body: &impl Serialize) -> Self {
        self.with_body("application/merge-patch+json", body)
    }

    fn with_body(self, media_type: &'static str, body: &impl Serialize) -> Self {
        Self { body: Some((media_type, serde_json::to_value(body).unwrap_or_default())), ..self }
    }
}

/// Percent-encodes a path segment.
pub fn encode_segment(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte.into());
        } else {
            // Writing to a String does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
