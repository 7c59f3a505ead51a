//! JSON responses with their headers.

use super::{HandlerError, RetryOutlook, ServerFailure};
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, ETAG, HeaderValue, LOCATION};
use axum::response::Response;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;
use sinete_core::time::Timestamp;
use std::borrow::Cow;
use std::fmt;

/// Serializes a view.
pub fn serialize_json(view: &impl Serialize) -> Result<Vec<u8>, HandlerError> {
    // Views are plain values; a failure is a bug.
    serde_json::to_vec(view).map_err(|error| serialization_failure(&error))
}

/// A response with this JSON.
pub fn json_response(status: StatusCode, body: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A response without content.
pub fn no_content_response() -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::NO_CONTENT;
    response
}

/// Adds the version as `ETag`.
pub fn with_etag(mut response: Response, version: i64) -> Response {
    // Digits in quotes are a valid header value.
    if let Ok(tag) = HeaderValue::try_from(format!("\"{version}\"")) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// Adds the URL as `Location`.
pub fn with_location(mut response: Response, location: &str) -> Response {
    // Our paths consist of constants and ids.
    if let Ok(location) = HeaderValue::try_from(location) {
        response.headers_mut().insert(LOCATION, location);
    }
    response
}

/// A time in RFC 3339, in UTC.
#[derive(Clone, Copy, Debug)]
pub struct JsonTimestamp(pub Timestamp);

impl Serialize for JsonTimestamp {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl JsonSchema for JsonTimestamp {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "JsonTimestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({"type": "string", "format": "date-time"})
    }
}

fn serialization_failure(error: &dyn fmt::Display) -> HandlerError {
    HandlerError::Failed(ServerFailure { retry: RetryOutlook::Permanent, reason: error.to_string() })
}
