//! The error of a use case: a refusal of the request, or an internal failure.

use crate::Failure;
use sinete_core::refusal::Refusal;

/// The error of every use case. A refusal and a failure share this type only so that `?` returns both; neither is
/// ever converted to the other.
#[derive(Debug)]
pub enum Error {
    /// The request was refused. The consequences of the refusal are already committed.
    Refused(Refusal),
    /// An internal failure.
    Failed(Failure),
}

impl Error {
    /// The refusal, if the error is one.
    pub const fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Failed(_) => None,
        }
    }

    /// Separates the refusal, for a caller that handles it and returns a failure as an error.
    pub fn into_refusal(self) -> Result<Refusal, Failure> {
        match self {
            Self::Refused(refusal) => Ok(refusal),
            Self::Failed(failure) => Err(failure),
        }
    }
}

impl From<Refusal> for Error {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

impl<E: Into<Failure>> From<E> for Error {
    fn from(failure: E) -> Self {
        Self::Failed(failure.into())
    }
}

/// Conversions of the result of a use case.
pub trait UseCaseResult<T> {
    /// The result, or `None` if the request was refused, for a caller that treats all refusals alike.
    fn unless_refused(self) -> Result<Option<T>, Failure>;
}

impl<T> UseCaseResult<T> for Result<T, Error> {
    fn unless_refused(self) -> Result<Option<T>, Failure> {
        match self {
            Ok(value) => Ok(Some(value)),
            Err(Error::Refused(_)) => Ok(None),
            Err(Error::Failed(failure)) => Err(failure),
        }
    }
}
