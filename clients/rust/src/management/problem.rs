//! Why a call came to nothing.

use crate::encoding::text_in;
use crate::service::Answered;
use crate::tokens::TokenRefused;
use serde_json::Value;

/// Why a call came to nothing (RFC 9457).
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{kind}: {detail}")]
pub struct Problem {
    /// What the instance answered with, if it did.
    pub status: Option<u16>,
    /// What kind it is: `not_found`, `insufficient_scope`, `already_created`, … `unanswered` where there was no answer that
    /// could be read, `token_refused` where no token was to be had.
    pub kind: String,
    /// One sentence for whoever writes the program.
    pub detail: String,
    /// The id of the request, as the server's log names it.
    pub request: Option<Box<str>>,
    /// What is wrong with the body, and where.
    pub faults: Vec<Fault>,
    /// The id of what an earlier request made, for `already_created`.
    pub id: Option<Box<str>>,
    /// In how many seconds it makes sense to ask again, where the instance says so.
    pub retry_after: Option<u32>,
}

/// Something wrong with a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where: a JSON pointer.
    pub pointer: String,
    /// What.
    pub detail: String,
}

const PREFIX: &str = "urn:sinete:problem:";

impl Problem {
    pub(super) fn unanswered(detail: impl Into<String>) -> Self {
        Self {
            status: None,
            kind: "unanswered".to_owned(),
            detail: detail.into(),
            request: None,
            faults: Vec::new(),
            id: None,
            retry_after: None,
        }
    }

    pub(super) fn of(answered: Answered) -> Self {
        let document = answered.json.unwrap_or_default();
        let header = |name: &str| answered.headers.get(name).and_then(|value| value.to_str().ok());
        let text = |name: &str| text_in(&document, name).map(str::to_owned);
        let kind = text("type").and_then(|kind| kind.strip_prefix(PREFIX).map(str::to_owned));
        let fault = |fault: &Value| {
            let fault = fault.as_object()?;
            let part = |name| fault.get(name).and_then(Value::as_str).map(str::to_owned);
            Some(Fault { pointer: part("pointer")?, detail: part("detail")? })
        };
        let faults = document.get("errors").and_then(Value::as_array);
        Self {
            status: Some(answered.status),
            kind: kind.unwrap_or_else(|| "unanswered".to_owned()),
            detail: text("detail").unwrap_or_else(|| format!("the answer was {}", answered.status)),
            request: header("x-request-id").map(Into::into),
            faults: faults.into_iter().flatten().filter_map(fault).collect(),
            id: text_in(&document, "id").map(Into::into),
            retry_after: header("retry-after").and_then(|seconds| seconds.parse().ok()),
        }
    }
}

impl From<TokenRefused> for Problem {
    fn from(refused: TokenRefused) -> Self {
        let detail = refused.description.clone().unwrap_or_else(|| refused.to_string());
        let retry_after = refused.retry_after.and_then(|seconds| u32::try_from(seconds).ok());
        let status = refused.status;
        Self { status, kind: "token_refused".to_owned(), retry_after, ..Self::unanswered(detail) }
    }
}
