//! The result of a console form: a redirect, or the error.

use super::members;
use axum::response::Response;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::{Error, Failure};
use sinete_screens::console::notices::ConsoleNotice;
use sinete_server::extract::params::FormParams;
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
    Fields { wrong: Vec<&'static str>, detail: String },
    /// It was refused; with the notice to use for a conflict.
    Refused(Refusal, ConsoleNotice),
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

/// The error of a use case whose refusal needs no message of its own.
pub(super) fn not_possible(error: Error) -> ActionError {
    ActionError::from_engine(error, |refusal| ActionError::Refused(refusal, ConsoleNotice::NotPossible))
}

impl ActionError {
    /// The same with another message for a conflict.
    pub(super) fn refused_as(conflict: ConsoleNotice) -> impl FnOnce(Error) -> Self {
        move |error| Self::from_engine(error, |refusal| Self::Refused(refusal, conflict))
    }

    /// The error of a use case; `show` converts a refusal to the message on the page.
    pub(super) fn from_engine(error: Error, show: impl FnOnce(Refusal) -> Self) -> Self {
        match error {
            Error::Refused(refusal) => show(refusal),
            Error::Failed(failure) => failure.into(),
        }
    }

    /// The error of a form with roles: either none was selected, or one of them no longer exists.
    pub(super) fn from_role_refusal(refusal: Refusal, conflict: ConsoleNotice, form: &FormParams) -> Self {
        match refusal.code() {
            RefusalCode::Unprocessable if !members::parse_chosen_roles(form).is_empty() => {
                Self::ConsoleNotice(ConsoleNotice::RoleGone)
            }
            _ => Self::Refused(refusal, conflict),
        }
    }
}

/// The result of a form.
pub(super) type Outcome = Result<ActionOutcome, ActionError>;
