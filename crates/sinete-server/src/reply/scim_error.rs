//! SCIM error responses (RFC 7644 §3.12).

use super::problem::set_response_head;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::HeaderValue;
use axum::response::Response;
use sinete_core::refusal::Refusal;
use sinete_core::scim::error;

/// The SCIM media type.
pub const SCIM_JSON: HeaderValue = HeaderValue::from_static("application/scim+json");

/// The error response.
pub fn scim_error_response(refusal: &Refusal) -> Response {
    let status =
        StatusCode::from_u16(error::scim_status(refusal.code())).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let (mut parts, body) =
        Response::new(Body::from(error::build_error_body(refusal).to_string())).into_parts();
    set_response_head(&mut parts, status, SCIM_JSON);
    Response::from_parts(parts, body)
}
