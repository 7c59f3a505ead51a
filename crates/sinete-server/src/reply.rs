//! Responses: success, refusals in the format of their route, and failures.

pub(crate) mod content;
pub mod document;
pub mod json;
pub mod oauth_error;
pub mod page;
pub mod problem;
pub mod scim_error;
pub mod stream;

use crate::route::{CallerKind, ErrorFormat};
use axum::response::Response;
use sinete_core::limits;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::limit_kind::LimitKind;
use sinete_core::refusal::request::RequestRefusal;

/// The result of a handler.
pub type HandlerResult = Result<Response, HandlerError>;

/// Why a handler has no response of its own. Both kinds convert with `?`, so a handler can use
/// `engine.redeem(..).await?`.
#[derive(Debug)]
pub enum HandlerError {
    /// The request was refused; the consequences are already committed.
    Refused(Refusal),
    /// An internal failure.
    Failed(ServerFailure),
}

/// An internal failure. The cause is only logged; clients only learn whether to retry.
#[derive(Debug)]
pub struct ServerFailure {
    /// Whether a retry may help.
    pub retry: RetryOutlook,
    /// The reason, for the log.
    pub reason: String,
}

/// Whether a retry may help.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryOutlook {
    /// Unavailable, locked or full: 503 with `Retry-After`.
    Temporary,
    /// More work waits for the database than it can do in time: 503 with `Retry-After`.
    Overloaded,
    /// Broken: 500.
    Permanent,
    /// The outcome is unknown: 504, without an invitation to retry.
    Unknown,
    /// The facts kept changing. Callers that can read again get 409; others, whose protocol has no such
    /// response, get 503.
    Contended,
}

impl From<Refusal> for HandlerError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<ServerFailure> for HandlerError {
    fn from(failure: ServerFailure) -> Self {
        Self::Failed(failure)
    }
}

impl From<sinete_engine::Failure> for HandlerError {
    fn from(failed: sinete_engine::Failure) -> Self {
        // Only user input contains such text. If no rule of the use case rejected it, the store did.
        if failed.is_unstorable() {
            return Self::Refused(Refusal::because(RequestRefusal::NulCharacter, failed.to_string()));
        }
        let outlook = match failed {
            sinete_engine::Failure::Contended => RetryOutlook::Contended,
            _ if failed.is_outcome_unknown() => RetryOutlook::Unknown,
            _ if failed.is_overloaded() => RetryOutlook::Overloaded,
            _ if failed.is_temporary() => RetryOutlook::Temporary,
            _ => RetryOutlook::Permanent,
        };
        Self::Failed(ServerFailure { retry: outlook, reason: failed.to_string() })
    }
}

impl From<sinete_engine::Error> for HandlerError {
    fn from(error: sinete_engine::Error) -> Self {
        match error {
            sinete_engine::Error::Refused(refusal) => Self::Refused(refusal),
            sinete_engine::Error::Failed(failure) => failure.into(),
        }
    }
}

impl From<crate::extract::params::FormParamsError> for HandlerError {
    fn from(bad: crate::extract::params::FormParamsError) -> Self {
        Self::Refused(bad.into())
    }
}

impl From<crate::extract::json::JsonBodyFault> for HandlerError {
    fn from(bad: crate::extract::json::JsonBodyFault) -> Self {
        Self::Refused(bad.into())
    }
}

impl From<crate::extract::json::JsonBodyError> for HandlerError {
    fn from(bad: crate::extract::json::JsonBodyError) -> Self {
        Self::Refused(bad.into())
    }
}

impl HandlerError {
    /// Converts it to a refusal of this route; a failure does not reveal its cause.
    pub fn into_refusal(self, error_format: ErrorFormat, caller: CallerKind) -> Refusal {
        let is_protocol = error_format == ErrorFormat::OAuth || caller == CallerKind::Browser;
        match self {
            Self::Refused(refusal) => refusal,
            Self::Failed(ServerFailure { retry: RetryOutlook::Contended, reason }) if !is_protocol => {
                Refusal::because(RequestRefusal::ConcurrentChange, reason)
            }
            Self::Failed(ServerFailure {
                retry: RetryOutlook::Temporary | RetryOutlook::Contended,
                reason,
            }) => temporarily_unavailable(reason),
            Self::Failed(ServerFailure { retry: RetryOutlook::Overloaded, reason }) => {
                temporarily_unavailable(reason).with_limit(LimitKind::DatabaseQueue)
            }
            Self::Failed(ServerFailure { retry: RetryOutlook::Unknown, reason }) => outcome_unknown(reason),
            Self::Failed(ServerFailure { retry: RetryOutlook::Permanent, reason }) => {
                Refusal::because(RequestRefusal::ServerError, reason)
            }
        }
    }
}

/// The change may or may not have been made. A retry could make it twice or replay something used, so there
/// is no `Retry-After` (docs/contribute/decisions/0238-postgresql-commits-with-unknown-outcome.md).
pub fn outcome_unknown(reason: impl Into<String>) -> Refusal {
    Refusal::because(RequestRefusal::OutcomeUnknown, reason)
}

/// Temporarily unavailable; nothing was changed or used up, and a retry may help.
pub fn temporarily_unavailable(reason: impl Into<String>) -> Refusal {
    Refusal::because(RequestRefusal::Unavailable, reason).with_retry_after(limits::RETRY_AFTER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinete_core::refusal::RefusalCode;
    use sinete_engine::Failure;

    #[test]
    fn retry_after_is_sent_for_temporary_failures_only() {
        let (format, caller) = (ErrorFormat::Problem, CallerKind::Anyone);
        let away = HandlerError::from(Failure::Store(sinete_store::StoreFailure::Unreachable))
            .into_refusal(format, caller);
        assert_eq!((away.code().status(), away.retry_after()), (503, Some(limits::RETRY_AFTER)));
        let overloaded = HandlerError::from(Failure::Store(sinete_store::StoreFailure::Overloaded))
            .into_refusal(format, caller);
        assert_eq!((overloaded.code(), overloaded.retry_after()), (away.code(), away.retry_after()));
        assert_eq!((overloaded.limit(), away.limit()), (Some(LimitKind::DatabaseQueue), None));
        let unknown = HandlerError::from(Failure::Store(sinete_store::StoreFailure::OutcomeUnknown))
            .into_refusal(format, caller);
        assert_eq!((unknown.code(), unknown.retry_after()), (RefusalCode::OutcomeUnknown, None));
        let damaged = Failure::Store(sinete_store::StoreFailure::Damaged("row 7 of accounts".to_owned()));
        let damaged = HandlerError::from(damaged).into_refusal(format, caller);
        assert_eq!((damaged.code().status(), damaged.retry_after()), (500, None));
        assert!(damaged.detail().contains("row 7") && !damaged.public_text().contains("row 7"));
    }
}
