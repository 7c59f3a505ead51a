//! Problem documents (RFC 9457).

use axum::body::Body;
use axum::http::header::{CONTENT_TYPE, HeaderValue};
use axum::http::{StatusCode, response};
use axum::response::Response;
use serde::Serialize;
use sinete_core::id::RequestId;
use sinete_core::limits::SENSITIVE_ACTION_AGE_MAX;
use sinete_core::refusal::{Refusal, RefusalCode, RefusalReason};
use std::borrow::Cow;

/// The media type.
pub const PROBLEM_JSON: HeaderValue = HeaderValue::from_static("application/problem+json");

/// The problem document.
#[derive(Serialize)]
struct ProblemDocument<'a> {
    r#type: String,
    title: &'static str,
    status: u16,
    /// The general error code, which several types share.
    code: &'static str,
    detail: Cow<'static, str>,
    instance: String,
    /// The id of the affected resource.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a str>,
    /// The required authentication.
    #[serde(skip_serializing_if = "Option::is_none")]
    needs: Option<ProblemProof>,
    /// The validation errors of the body.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<ProblemField<'a>>,
    /// The flow in which the user must respond first.
    #[serde(skip_serializing_if = "Option::is_none")]
    flow: Option<ProblemFlow>,
}

/// A flow in which the user must respond first.
#[derive(Serialize)]
pub struct ProblemFlow {
    /// Its id.
    pub id: String,
    /// The URL of the flow.
    pub href: String,
    /// The flow token, shown once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<String>,
}

/// The required authentication.
#[derive(Serialize)]
struct ProblemProof {
    /// The kind of flow for it.
    flow: &'static str,
    acr_values: &'static str,
    max_age: i64,
}

/// A validation error.
#[derive(Serialize)]
struct ProblemField<'a> {
    pointer: &'a str,
    detail: &'a str,
}

/// The response to a refused request.
pub fn problem_response(refusal: &Refusal, id: RequestId) -> Response {
    problem_response_with_flow(refusal, id, None)
}

/// The same with the flow that leads on.
pub fn problem_response_with_flow(refusal: &Refusal, id: RequestId, flow: Option<ProblemFlow>) -> Response {
    let status = status_code(refusal.code());
    let errors = refusal
        .validation_errors()
        .iter()
        .map(|fault| ProblemField { pointer: &fault.pointer, detail: &fault.text })
        .collect();
    let needs = refusal.required_assurance().map(|needs| ProblemProof {
        flow: "step_up",
        acr_values: needs.acr(),
        max_age: SENSITIVE_ACTION_AGE_MAX.seconds(),
    });
    let plain = build_problem(refusal.reason(), id);
    let detail = refusal.public_text();
    let problem = ProblemDocument { detail, id: refusal.subject(), needs, errors, flow, ..plain };
    let body = serde_json::to_vec(&problem).unwrap_or_default();
    let (mut parts, body) = Response::new(Body::from(body)).into_parts();
    set_response_head(&mut parts, status, PROBLEM_JSON);
    Response::from_parts(parts, body)
}

/// The body alone, for early responses.
pub fn problem_body(reason: RefusalReason, id: RequestId) -> Vec<u8> {
    serde_json::to_vec(&build_problem(reason, id)).unwrap_or_default()
}

fn build_problem(reason: RefusalReason, id: RequestId) -> ProblemDocument<'static> {
    let code = reason.code();
    ProblemDocument {
        r#type: format!("urn:sinete:problem:{}", reason.name()),
        title: status_code(code).canonical_reason().unwrap_or("Error"),
        status: code.status(),
        code: code.name(),
        detail: reason.sentence(),
        instance: format!("urn:uuid:{id}"),
        id: None,
        needs: None,
        errors: Vec::new(),
        flow: None,
    }
}

/// The status of a code, always between 400 and 599.
pub fn status_code(code: RefusalCode) -> StatusCode {
    StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

pub(crate) fn set_response_head(parts: &mut response::Parts, status: StatusCode, content_type: HeaderValue) {
    parts.status = status;
    parts.headers.insert(CONTENT_TYPE, content_type);
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::BodyExt as _;
    use sinete_core::refusal::request::RequestRefusal;
    use sinete_core::validation::ValidationErrors;

    #[tokio::test]
    async fn problem_json_lists_every_fault_and_its_subject() {
        let mut errors = ValidationErrors::default();
        errors.add("/name", "is required");
        let response = problem_response(
            &Refusal::from_validation_errors(errors).with_subject("7"),
            RequestId::from_bytes([1; 16]),
        );
        assert_eq!(response.status(), 422);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let read: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(read["id"], "7");
        assert_eq!(read["errors"], serde_json::json!([{"pointer": "/name", "detail": "is required"}]));
    }

    #[test]
    fn problem_json_names_type_status_and_request_but_not_the_reason() {
        let id = RequestId::from_bytes([1; 16]);
        for reason in RefusalReason::all() {
            let (body, code) = (problem_body(reason, id), reason.code());
            let read: serde_json::Value = serde_json::from_slice(&body).unwrap();
            assert_eq!(read["type"], format!("urn:sinete:problem:{}", reason.name()));
            assert_eq!(read["code"], code.name());
            assert_eq!(read["status"], code.status());
            assert_eq!(read["detail"], *reason.sentence());
            assert_eq!(read["instance"], format!("urn:uuid:{id}"));
            assert_ne!(read["title"], "Error");
            assert_eq!(read.as_object().unwrap().len(), 6);
        }
        let refusal = Refusal::because(RequestRefusal::ConcurrentChange, "private reason");
        let response = problem_response(&refusal, id);
        assert_eq!(response.status(), 409);
        assert_eq!(response.headers()[CONTENT_TYPE], "application/problem+json");
    }
}
