//! Refusals as `application/problem+json` (RFC 9457).

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{StatusCode, response};
use axum::response::Response;
use serde::Serialize;
use sinete_core::id::RequestId;
use sinete_core::refusal::{Refusal, RefusalCode};

/// The type of such a body.
pub const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

/// What a problem body says.
#[derive(Serialize)]
struct Problem {
    r#type: String,
    title: &'static str,
    status: u16,
    detail: &'static str,
    instance: String,
}

/// The answer to a refused request.
pub fn answer(refusal: &Refusal, id: RequestId) -> Response {
    let status = status(refusal.code());
    let body = body(refusal.code(), refusal.public(), id);
    let (mut parts, body) = Response::new(Body::from(body)).into_parts();
    head(&mut parts, status, PROBLEM_JSON);
    Response::from_parts(parts, body)
}

/// The body alone, for an answer that is written by hand.
pub fn body(code: RefusalCode, detail: &'static str, id: RequestId) -> Vec<u8> {
    let problem = Problem {
        r#type: format!("urn:sinete:problem:{}", code.name()),
        title: status(code).canonical_reason().unwrap_or("Error"),
        status: code.status(),
        detail,
        instance: format!("urn:uuid:{id}"),
    };
    serde_json::to_vec(&problem).unwrap_or_default()
}

/// A code's status as the HTTP library knows it; each code has one between 400 and 599.
pub(crate) fn status(code: RefusalCode) -> StatusCode {
    StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

pub(crate) fn head(parts: &mut response::Parts, status: StatusCode, content_type: HeaderValue) {
    parts.status = status;
    parts.headers.insert(CONTENT_TYPE, content_type);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_names_its_kind_its_status_and_the_request_and_never_the_reason() {
        let id = RequestId::from_bytes([1; 16]);
        for &code in RefusalCode::ALL {
            let body = body(code, "what the outside reads", id);
            let read: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(read["type"], format!("urn:sinete:problem:{}", code.name()));
            assert_eq!(read["status"], code.status());
            assert_eq!(read["detail"], "what the outside reads");
            assert_eq!(read["instance"], format!("urn:uuid:{id}"));
            assert_ne!(read["title"], "Error");
            assert_eq!(read.as_object().unwrap().len(), 5);
        }
        let refusal = Refusal::new(RefusalCode::Conflict, "it changed", "private reason");
        let response = answer(&refusal, id);
        assert_eq!(response.status(), 409);
        assert_eq!(response.headers()[CONTENT_TYPE], "application/problem+json");
    }
}
