//! Refused authorization requests, remembered for the page of the application on the console.

use crate::oauth::authorize::response::local_refusal;
use crate::state::{HttpState, RoutedRequest};
use sinete_core::client_id::ClientId;
use sinete_core::oauth::authorize::raw_params::UnredirectableError;
use sinete_core::oauth::authorize::response::AuthorizationErrorCode;
use sinete_core::refusal::RefusalReason;
use sinete_engine::Failure;
use sinete_engine::oauth::authorize::{
    RefusedAuthorization, RefusedRequestCause, find_refused_client, record_refused_request,
};

/// Remembers an error that the client receives, if the request itself is wrong.
pub(crate) fn record_refusal(
    state: &HttpState,
    call: &RoutedRequest,
    client: &ClientId,
    refused: &RefusedAuthorization,
) {
    let (error, description) = (refused.response.error, &refused.response.description);
    if !error.is_invalid_request() {
        return;
    }
    let sent = call.query_params_with_repeats().unwrap_or_default();
    let value = refused_parameter(error)
        .and_then(|name| sent.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str()));
    let reference = call.context().id().to_string();
    let refusal = RefusedRequestCause { reason: error.as_str(), description, value, reference };
    record_refused_request(state.engine(), client, refusal);
}

/// Remembers an error that only the user sees, if the client exists.
pub(crate) async fn record_local_error(
    state: &HttpState,
    call: &RoutedRequest,
    why: UnredirectableError,
    client: Option<&str>,
    redirect_uri: Option<&str>,
) -> Result<(), Failure> {
    let Some(client) = client else { return Ok(()) };
    let Some(client) = find_refused_client(state.engine(), client).await? else { return Ok(()) };
    let reason = RefusalReason::from(local_refusal(why));
    let value = redirect_uri.filter(|_| matches!(why, UnredirectableError::RedirectUnknown));
    let reference = call.context().id().to_string();
    let refusal =
        RefusedRequestCause { reason: reason.name(), description: &reason.sentence(), value, reference };
    record_refused_request(state.engine(), &client, refusal);
    Ok(())
}

/// The parameter that an error is about, if it is one.
const fn refused_parameter(error: AuthorizationErrorCode) -> Option<&'static str> {
    match error {
        AuthorizationErrorCode::InvalidScope => Some("scope"),
        AuthorizationErrorCode::InvalidTarget => Some("resource"),
        AuthorizationErrorCode::UnsupportedResponseType => Some("response_type"),
        _ => None,
    }
}
