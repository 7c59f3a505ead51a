//! Why a use case gives no result: it refuses the request, or it fails.

use crate::Failure;
use sinete_core::refusal::Refusal;

/// The error of every use case. A refusal and a failure share this type only so that `?` passes both on; neither ever becomes
/// the other.
#[derive(Debug)]
pub enum Error {
    /// The request was understood and turned down. The consequences of the refusal are already committed.
    Refused(Refusal),
    /// Something went wrong on our side.
    Failed(Failure),
}

impl Error {
    /// The refusal, where it is one.
    pub const fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refused(refusal) => Some(refusal),
            Self::Failed(_) => None,
        }
    }

    /// The refusal by itself, for a caller that handles it and passes a failure on.
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

/// What a caller does with the result of a use case besides passing it on with `?`.
pub trait UseCaseResult<T> {
    /// The result, or nothing where the request was refused, for a caller to whom every refusal means the same.
    fn unless_refused(self) -> Result<Option<T>, Failure>;
}

impl<T> UseCaseResult<T> for Result<T, Error> {
    fn unless_refused(self) -> Result<Option<T>, Failure> {
        match self {
            Ok(done) => Ok(Some(done)),
            Err(Error::Refused(_)) => Ok(None),
            Err(Error::Failed(failure)) => Err(failure),
        }
    }
}
