//! Refused authorization requests, pushed or not, remembered for the page of the application on the console.

use crate::oauth::authorize::response::local_refusal;
use crate::state::{HttpState, RoutedRequest};
use sinete_core::client_id::ClientId;
use sinete_core::oauth::authorize::raw_params::UnredirectableError;
use sinete_core::refusal::{Refusal, RefusalReason};
use sinete_engine::Failure;
use sinete_engine::oauth::authorize::{
    RefusedAuthorization, RefusedRequestCause, find_refused_client, record_refused_request,
};
use sinete_server::extract::params::FormParams;

/// Remembers an error that the client receives, if the request itself is wrong.
pub(crate) fn record_refusal(
    state: &HttpState,
    request: &RoutedRequest,
    client: &ClientId,
    refused: &RefusedAuthorization,
) {
    let (error, description) = (refused.response.error, &refused.response.description);
    if !error.is_invalid_request() {
        return;
    }
    let parameters = request.query_params_with_repeats().unwrap_or_default();
    let value = refused_parameter(error.as_str())
        .and_then(|name| parameters.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str()));
    let reference = request.context().id().to_string();
    let refusal = RefusedRequestCause { reason: error.as_str(), description, value, reference };
    record_refused_request(state.engine(), client, refusal);
}

/// Remembers an error that only the user sees, if the client exists.
pub(crate) async fn record_local_error(
    state: &HttpState,
    request: &RoutedRequest,
    error: UnredirectableError,
    client: Option<&str>,
    redirect_uri: Option<&str>,
) -> Result<(), Failure> {
    let Some(client) = client else { return Ok(()) };
    let Some(client) = find_refused_client(state.engine(), client).await? else { return Ok(()) };
    let reason = RefusalReason::from(local_refusal(error));
    let value = redirect_uri.filter(|_| matches!(error, UnredirectableError::RedirectUnknown));
    let reference = request.context().id().to_string();
    let refusal =
        RefusedRequestCause { reason: reason.name(), description: &reason.sentence(), value, reference };
    record_refused_request(state.engine(), &client, refusal);
    Ok(())
}

/// Remembers a pushed request that was refused (RFC 9126 §2.3).
pub(crate) fn record_pushed_refusal(
    state: &HttpState,
    request: &RoutedRequest,
    client: &ClientId,
    refusal: &Refusal,
    form: &FormParams,
) {
    let (code, description) = (refusal.code().name(), refusal.public_text());
    // The error of a redirect URI has no code of its own.
    let of_redirect = || description.contains("redirect_uri").then_some("redirect_uri");
    let value = refused_parameter(code).or_else(of_redirect).and_then(|name| form.get(name));
    let reference = request.context().id().to_string();
    let cause = RefusedRequestCause { reason: code, description: &description, value, reference };
    record_refused_request(state.engine(), client, cause);
}

/// The parameter that an error is about, by its code, if it is one.
fn refused_parameter(code: &str) -> Option<&'static str> {
    match code {
        "invalid_scope" => Some("scope"),
        "invalid_target" => Some("resource"),
        "unsupported_response_type" => Some("response_type"),
        _ => None,
    }
}
