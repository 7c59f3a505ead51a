//! Errors of the management API.

use crate::encoding::get_text;
use crate::issuer_client::IssuerResponse;
use crate::token_client::TokenRequestError;
use serde_json::Value;

/// A call of the management API failed (RFC 9457).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{problem_type}: {detail}")]
pub struct ManagementApiError {
    /// The status of the response, if there was one.
    pub status: Option<u16>,
    /// The last part of the problem `type`: `not_found`, `insufficient_scope`, `already_created`, … `no_response` and
    /// `token_request_failed` are the library's own: the server did not decide on the call.
    pub problem_type: String,
    /// What went wrong, for developers.
    pub detail: String,
    /// The id of the request, as in the server's log.
    pub request_id: Option<Box<str>>,
    /// What is wrong with the body, and where.
    pub errors: Vec<FieldError>,
    /// For `already_created`: the id of what an earlier request created.
    pub id: Option<Box<str>>,
    /// In how many seconds to retry, if the server says so.
    pub retry_after: Option<u32>,
}

/// An invalid member of a request body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FieldError {
    /// Where it is (JSON Pointer).
    pub pointer: String,
    /// What is wrong with it.
    pub detail: String,
}

const PREFIX: &str = "urn:sinete:problem:";

impl ManagementApiError {
    pub(super) fn no_response(detail: impl Into<String>) -> Self {
        Self {
            status: None,
            problem_type: "no_response".to_owned(),
            detail: detail.into(),
            request_id: None,
            errors: Vec::new(),
            id: None,
            retry_after: None,
        }
    }

    pub(super) fn from_response(response: IssuerResponse) -> Self {
        let document = response.json.unwrap_or_default();
        let header = |name: &str| response.headers.get(name).and_then(|value| value.to_str().ok());
        let text = |name: &str| get_text(&document, name).map(str::to_owned);
        let problem_type = text("type").and_then(|name| name.strip_prefix(PREFIX).map(str::to_owned));
        let fault = |fault: &Value| {
            let fault = fault.as_object()?;
            let part = |name| fault.get(name).and_then(Value::as_str).map(str::to_owned);
            Some(FieldError { pointer: part("pointer")?, detail: part("detail")? })
        };
        let errors = document.get("errors").and_then(Value::as_array);
        Self {
            status: Some(response.status),
            problem_type: problem_type.unwrap_or_else(|| "no_response".to_owned()),
            detail: text("detail").unwrap_or_else(|| format!("the response was {}", response.status)),
            request_id: header("x-request-id").map(Into::into),
            errors: errors.into_iter().flatten().filter_map(fault).collect(),
            id: get_text(&document, "id").map(Into::into),
            retry_after: header("retry-after").and_then(|seconds| seconds.parse().ok()),
        }
    }
}

impl From<TokenRequestError> for ManagementApiError {
    fn from(error: TokenRequestError) -> Self {
        let detail = error.description.clone().unwrap_or_else(|| error.to_string());
        let retry_after = error.retry_after.and_then(|seconds| u32::try_from(seconds).ok());
        let status = error.status;
        Self {
            status,
            problem_type: "token_request_failed".to_owned(),
            retry_after,
            ..Self::no_response(detail)
        }
    }
}
