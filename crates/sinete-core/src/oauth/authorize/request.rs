//! The authorization request, after its redirect URI was verified.

use super::params;
use super::params::{AuthorizationParams, PromptParameter};
use super::raw_params::RawAuthorizationParams;
use super::redirectable_request::{AuthorizationResponseTarget, RedirectableRequest, ResponseMode};
use super::response::{AuthorizationErrorCode, AuthorizationRefusal, RedirectedError};
use crate::access_control::subject::SignInStatus;
use crate::client_id::ClientId;
use crate::limits::STATE_BYTES_MAX;
use crate::oauth::pkce::S256Challenge;

/// A complete, well-formed request. It may still be rejected.
///
/// The PKCE challenge is not optional: a request without one cannot become this type.
#[derive(Clone, Debug, PartialEq)]
pub struct AuthorizationRequest {
    /// The requesting client.
    pub client: ClientId,
    /// Where and how the response is sent.
    pub reply_to: AuthorizationResponseTarget,
    /// The PKCE code challenge.
    pub challenge: S256Challenge,
    /// The requested authorization.
    pub params: AuthorizationParams,
}

impl RedirectableRequest {
    /// Validates the request or returns the error for the client.
    ///
    /// With `prompt=none` and no user signed in, `login_required` takes precedence over a missing PKCE
    /// challenge: no code is issued either way, and such clients expect this error. Other errors are still
    /// reported, because an invalid request must not be answered without the user seeing it (RFC 9700
    /// §4.11.2).
    pub fn validate(self, signed_in: SignInStatus) -> Result<AuthorizationRequest, RedirectedError> {
        match parse_request(&self, signed_in) {
            Ok(request) => Ok(request),
            Err((error, description)) => Err(RedirectedError { reply_to: self.reply_to, error, description }),
        }
    }
}

fn parse_request(
    request: &RedirectableRequest,
    signed_in: SignInStatus,
) -> Result<AuthorizationRequest, AuthorizationRefusal> {
    let parameters = &request.parameters;
    if !parameters.repeated_names().is_empty() {
        return Err((
            AuthorizationErrorCode::InvalidRequest,
            "A parameter is repeated. Send each parameter \
            once."
                .into(),
        ));
    }
    parameters.check_size()?;
    check_response_type(parameters)?;
    let prompt = params::parse_prompt(parameters)?;
    let may_lack_challenge = prompt == PromptParameter::Silent && signed_in == SignInStatus::SignedOut;
    let params = AuthorizationParams::parse(parameters, prompt)?;
    if may_lack_challenge && parameters.get("code_challenge").is_none() {
        return Err((
            AuthorizationErrorCode::LoginRequired,
            "No user is signed in, and prompt=none does not \
            allow to sign in. Send the request without prompt=none."
                .into(),
        ));
    }
    Ok(AuthorizationRequest {
        client: request.client.clone(),
        reply_to: request.reply_to.clone(),
        challenge: parse_challenge(parameters)?,
        params,
    })
}

fn check_response_type(parameters: &RawAuthorizationParams) -> Result<(), AuthorizationRefusal> {
    if parameters.get("state").is_some_and(|state| state.len() > STATE_BYTES_MAX) {
        return Err((
            AuthorizationErrorCode::InvalidRequest,
            "The parameter state is too long. Send at most \
            1024 characters."
                .into(),
        ));
    }
    let modes = ResponseMode::ALL.map(ResponseMode::as_str);
    if parameters.get("response_mode").is_some_and(|mode| !modes.contains(&mode)) {
        return Err((
            AuthorizationErrorCode::InvalidRequest,
            "The response_mode is not supported. Send query \
            or form_post."
                .into(),
        ));
    }
    match parameters.get("response_type") {
        Some("code") => Ok(()),
        Some(_) => Err((
            AuthorizationErrorCode::UnsupportedResponseType,
            "The response_type is not supported. Send \
                code."
                .into(),
        )),
        None => Err((
            AuthorizationErrorCode::InvalidRequest,
            "The parameter response_type is missing. Send \
            code."
                .into(),
        )),
    }
}

fn parse_challenge(parameters: &RawAuthorizationParams) -> Result<S256Challenge, AuthorizationRefusal> {
    let invalid = AuthorizationErrorCode::InvalidRequest;
    let challenge = parameters.get("code_challenge").ok_or((
        invalid,
        "The parameter code_challenge is \
        required. Send an S256 challenge (RFC 7636)."
            .into(),
    ))?;
    // RFC 7636 §4.3: a missing method means `plain`, which is not supported.
    if parameters.get("code_challenge_method") != Some("S256") {
        return Err((
            invalid,
            "The code_challenge_method must be S256. Send S256; plain is not supported.".into(),
        ));
    }
    challenge.parse().map_err(|_| {
        (
            invalid,
            "The parameter code_challenge is not valid. Send 43 characters of \
        base64url, as S256 makes them."
                .into(),
        )
    })
}

#[cfg(test)]
pub(super) mod tests;
