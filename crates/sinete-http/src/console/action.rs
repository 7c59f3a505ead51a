//! The result of a console form: a redirect, or the error.

use axum::response::Response;
use sinete_core::refusal::Refusal;
use sinete_engine::{Error, Failure};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::reply::HandlerError;

/// A completed action, and where it leads.
pub(super) struct CompletedAction {
    pub(super) notice: ConsoleNotice,
    pub(super) return_path: String,
}

/// The outcome of a form.
pub(super) enum ActionOutcome {
    /// Done; the next page shows a notice.
    Redirect(CompletedAction),
    /// A secret was created, which is shown once in this response.
    Response(Response),
}

/// Why an action failed.
pub(super) enum ActionError {
    /// An input is invalid.
    ConsoleNotice(ConsoleNotice),
    /// Inputs of an operation are invalid: the names of the fields, and the sentence of the API.
    Fields { invalid_fields: Vec<&'static str>, detail: String },
    /// It was refused. The reason determines the text.
    Refused(Refusal),
    /// It cannot be shown on a page of the console.
    Handler(HandlerError),
}

impl From<HandlerError> for ActionError {
    fn from(error: HandlerError) -> Self {
        Self::Handler(error)
    }
}

impl From<Refusal> for ActionError {
    fn from(refusal: Refusal) -> Self {
        Self::Handler(refusal.into())
    }
}

impl From<Failure> for ActionError {
    fn from(failure: Failure) -> Self {
        Self::Handler(failure.into())
    }
}

impl From<Error> for ActionError {
    fn from(error: Error) -> Self {
        match error {
            Error::Refused(refusal) => Self::Refused(refusal),
            Error::Failed(failure) => failure.into(),
        }
    }
}

impl ActionError {
    /// The error of a use case; `show` converts a refusal to the message on the page.
    pub(super) fn from_engine(error: Error, show: impl FnOnce(Refusal) -> Self) -> Self {
        match error {
            Error::Refused(refusal) => show(refusal),
            Error::Failed(failure) => failure.into(),
        }
    }

    /// The error of a refusal: the notice of the first invalid field, or else the text of its reason.
    pub(super) fn from_fields(refusal: Refusal, notice: impl FnOnce(&str) -> ConsoleNotice) -> Self {
        let first = refusal.validation_errors().iter().next().map(|fault| notice(&fault.pointer));
        match first {
            Some(notice) => Self::ConsoleNotice(notice),
            None => Self::Refused(refusal),
        }
    }
}

/// The result of a form.
pub(super) type Outcome = Result<ActionOutcome, ActionError>;
