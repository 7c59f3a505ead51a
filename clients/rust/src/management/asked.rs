//! One request of the management API.

use serde::Serialize;
use serde_json::Value;
use std::fmt::Write as _;

/// What is asked for.
pub struct Asked {
    pub method: &'static str,
    pub path: String,
    pub query: Value,
    pub version: Option<i64>,
    pub body: Option<(&'static str, Value)>,
    /// Whether repeating it under a key makes nothing twice.
    pub is_repeatable: bool,
}

impl Asked {
    pub fn new(method: &'static str, path: &str) -> Self {
        let path = path.to_owned();
        Self { method, path, query: Value::Null, version: None, body: None, is_repeatable: false }
    }

    pub fn query(self, query: &impl Serialize) -> Self {
        Self { query: serde_json::to_value(query).unwrap_or_default(), ..self }
    }

    pub fn version(self, version: i64) -> Self {
        Self { version: Some(version), ..self }
    }

    pub fn repeatable(self) -> Self {
        Self { is_repeatable: true, ..self }
    }

    pub fn body(self, body: &impl Serialize) -> Self {
        self.with("application/json", body)
    }

    /// What is named changes, what is null goes, the rest stays (RFC 7396).
    pub fn patch(self, body: &impl Serialize) -> Self {
        self.with("application/merge-patch+json", body)
    }

    fn with(self, media_type: &'static str, body: &impl Serialize) -> Self {
        Self { body: Some((media_type, serde_json::to_value(body).unwrap_or_default())), ..self }
    }
}

/// A name as a part of an address.
pub fn segment(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for byte in name.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte.into());
        } else {
            // Writing to a text does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}
