//! HTML responses.

use crate::security_headers::PAGE_CSP;
use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::{CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, VARY};
use axum::response::Response;

/// A response with this page.
pub fn html_response(status: StatusCode, page: String) -> Response {
    let mut response = Response::new(Body::from(page));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
    headers.insert(CONTENT_SECURITY_POLICY, PAGE_CSP);
    headers.insert(VARY, HeaderValue::from_static("accept, accept-language"));
    response
}
