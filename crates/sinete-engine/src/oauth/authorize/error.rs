//! Why an authorization request has no result: the client is told what is wrong with it, or we failed.

use crate::oauth::par::authorization_refusal;
use crate::{Error, Failure};
use sinete_core::oauth::authorize::response::AuthorizationRefusal;

/// What ends the validation of an authorization request. The refusal keeps the words of the authorization endpoint, so that
/// it can be sent to the redirect URI; an endpoint that answers the client itself converts it with `?`.
#[derive(Debug)]
pub(crate) enum AuthorizationError {
    /// The client is told this.
    Refused(AuthorizationRefusal),
    /// We failed.
    Failed(Failure),
}

impl From<AuthorizationRefusal> for AuthorizationError {
    fn from(refusal: AuthorizationRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl<E: Into<Failure>> From<E> for AuthorizationError {
    fn from(failure: E) -> Self {
        Self::Failed(failure.into())
    }
}

impl From<AuthorizationError> for Error {
    fn from(error: AuthorizationError) -> Self {
        match error {
            AuthorizationError::Refused(refusal) => Self::Refused(authorization_refusal(refusal)),
            AuthorizationError::Failed(failure) => Self::Failed(failure),
        }
    }
}
