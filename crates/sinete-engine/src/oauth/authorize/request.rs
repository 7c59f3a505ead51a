//! Receives authorization requests: resolves `request` and `request_uri`, and validates the client and
//! redirect URI before anything else.

use super::error::AuthorizationError;
use super::requesting_client::ActiveClient;
use super::{
    AuthorizationChannel, AuthorizeContext, PendingAuthorization, RefusedAuthorization, request_object,
};
use crate::{Engine, Failure};
use sinete_core::access_control::subject::SignInStatus;
use sinete_core::limits::PAR_LIFETIME;
use sinete_core::oauth::authorize::raw_params::{ParameterMap, RawAuthorizationParams, UnredirectableError};
use sinete_core::oauth::authorize::response::{
    AuthorizationErrorCode, AuthorizationRefusal, RedirectedError,
};
use sinete_core::secret::{PushedRequest, Secret};
use sinete_store::oauth::par;

/// The prefix of a PAR `request_uri` (RFC 9126 §2.2).
pub(crate) const REQUEST_URI_PREFIX: &str = "urn:ietf:params:oauth:request_uri:";

/// The result of receiving a request.
#[derive(Debug)]
pub enum ReceivedRequest {
    /// Client and redirect URI are valid; [`super::next_step()`] evaluates the rest.
    Valid(PendingAuthorization),
    /// The client receives an error response.
    Refused(Box<RefusedAuthorization>),
    /// Only the user sees the error.
    ShowError(UnredirectableError),
}

/// Receives a request. `context` is used if it contains the client.
pub async fn receive_request(
    engine: &Engine,
    parameters: RawAuthorizationParams,
    context: Option<&AuthorizeContext>,
) -> Result<ReceivedRequest, Failure> {
    let client = match parameters.client_id() {
        Ok(client) => client,
        Err(error) => return Ok(ReceivedRequest::ShowError(error)),
    };
    let requesting_client = match context.filter(|context| context.client.client.client.id == client) {
        Some(context) => context.client.clone(),
        None => match ActiveClient::find(engine, &client).await? {
            Some(client) => client,
            None => return Ok(ReceivedRequest::ShowError(UnredirectableError::ClientUnknown)),
        },
    };
    if ["request", "request_uri"].iter().any(|name| parameters.is_repeated(name)) {
        return Ok(ReceivedRequest::ShowError(UnredirectableError::Repeated));
    }
    let (parameters, arrival) = match resolve_request(engine, &requesting_client, &parameters).await {
        Ok(opened) => opened,
        Err(AuthorizationError::Refused(error)) => {
            return Ok(refuse_request(&requesting_client, parameters, error));
        }
        Err(AuthorizationError::Failed(failed)) => return Err(failed),
    };
    Ok(match parameters.clone().verify_redirect_uri(&requesting_client.redirect_target()) {
        Ok(_) => ReceivedRequest::Valid(PendingAuthorization::new(client, &parameters, arrival)),
        Err(error) => ReceivedRequest::ShowError(error),
    })
}

/// Resolves `request` and `request_uri`.
async fn resolve_request(
    engine: &Engine,
    client: &ActiveClient,
    parameters: &RawAuthorizationParams,
) -> Result<(RawAuthorizationParams, AuthorizationChannel), AuthorizationError> {
    let unknown = (
        AuthorizationErrorCode::InvalidRequestUri,
        "The request_uri is unknown, expired or was used before. Push the request again (RFC 9126).",
    );
    let object = match (parameters.get("request"), parameters.get("request_uri")) {
        (None, None) => {
            request_object::require_request_object(client)?;
            return Ok((parameters.clone(), AuthorizationChannel::Browser));
        }
        // OpenID Connect Core §6.1: not both.
        (Some(_), Some(_)) => {
            return Err((
                AuthorizationErrorCode::InvalidRequest,
                "The parameters request and request_uri exclude each other. Send one of them.",
            )
                .into());
        }
        (None, Some(handle)) if handle.starts_with(REQUEST_URI_PREFIX) => {
            return Ok(find_pushed_request(engine, client, handle).await?.ok_or(unknown)?);
        }
        (Some(object), None) => object.to_owned(),
        // OpenID Connect Core §6.2 would require fetching a client-supplied URL.
        (None, Some(_)) => {
            let text = "The request_uri is not one of a pushed authorization request, and others are not \
                        fetched. Push the request (RFC 9126).";
            return Err((AuthorizationErrorCode::RequestUriNotSupported, text).into());
        }
    };
    let opened = request_object::open_request_object(engine, client, parameters, &object).await?;
    Ok((opened, AuthorizationChannel::Browser))
}

/// The error response for an invalid `request` or `request_uri`: to the client if the other parameters
/// contain a valid redirect URI, otherwise only to the user.
fn refuse_request(
    client: &ActiveClient,
    parameters: RawAuthorizationParams,
    refusal: AuthorizationRefusal,
) -> ReceivedRequest {
    let (error, description) = refusal;
    let is_silent = parameters.get("prompt") == Some("none");
    let Ok(addressed) = parameters.verify_redirect_uri(&client.redirect_target()) else {
        return ReceivedRequest::ShowError(match error {
            AuthorizationErrorCode::InvalidRequestObject => UnredirectableError::RequestObjectInvalid,
            _ => UnredirectableError::RequestUnknown,
        });
    };
    let redirected = RedirectedError { reply_to: addressed.response_target().clone(), error, description };
    let delivery = redirected.choose_delivery(client.trust, SignInStatus::SignedOut, is_silent);
    let client_name = client.client.client.name.clone();
    ReceivedRequest::Refused(Box::new(RefusedAuthorization { response: redirected, delivery, client_name }))
}

/// Finds the unused, unexpired parameters that this client pushed. All other parameters of the request are
/// ignored.
async fn find_pushed_request(
    engine: &Engine,
    client: &ActiveClient,
    handle: &str,
) -> Result<Option<(RawAuthorizationParams, AuthorizationChannel)>, Failure> {
    let secret = handle.strip_prefix(REQUEST_URI_PREFIX).map(Secret::<PushedRequest>::parse);
    let Some(Ok(secret)) = secret else { return Ok(None) };
    let digest = secret.digest();
    let Some(request) = par::find_pushed_request(engine.store(), &digest).await? else {
        return Ok(None);
    };
    let is_fresh = engine.now() < request.created_at.plus(PAR_LIFETIME);
    if request.client != client.client.client.id || request.used_at.is_some() || !is_fresh {
        return Ok(None);
    }
    let parameter_map: ParameterMap = request.request.parse()?;
    Ok(Some((RawAuthorizationParams::new(parameter_map), AuthorizationChannel::Pushed(*digest.as_bytes()))))
}
