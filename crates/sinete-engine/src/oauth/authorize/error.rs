//! The error of an authorization request: a refusal for the client, or an internal failure.

use crate::oauth::par::authorization_refusal;
use crate::{Error, Failure};
use sinete_core::oauth::authorize::response::{AuthorizationErrorCode, AuthorizationRefusal};

/// The error of the validation of an authorization request. The refusal keeps the error code of the authorization
/// endpoint, so that it can be sent to the redirect URI; an endpoint that responds directly converts it with `?`.
#[derive(Debug)]
pub(crate) enum AuthorizationError {
    /// The refusal for the client.
    Refused(AuthorizationRefusal),
    /// An internal failure.
    Failed(Failure),
}

impl From<AuthorizationRefusal> for AuthorizationError {
    fn from(refusal: AuthorizationRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<(AuthorizationErrorCode, &'static str)> for AuthorizationError {
    fn from(refusal: (AuthorizationErrorCode, &'static str)) -> Self {
        let (code, description) = refusal;
        Self::Refused((code, description.into()))
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
