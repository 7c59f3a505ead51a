//! Request objects (RFC 9101) by value. None is fetched.

use super::error::AuthorizationError;
use super::requesting_client::ActiveClient;
use crate::Engine;
use crate::oauth::client_keys;
use sinete_core::oauth::authorize::raw_params::RawAuthorizationParams;
use sinete_core::oauth::authorize::response::{AuthorizationErrorCode, AuthorizationRefusal};
use sinete_core::oauth::security_profile::SecurityProfile;
use sinete_crypto::oauth::request_object::{RequestObjectExpectations, verify_request_object};
use std::borrow::Cow;

const INVALID_REQUEST_OBJECT: AuthorizationRefusal = (
    AuthorizationErrorCode::InvalidRequestObject,
    Cow::Borrowed(
        "The request object is not valid: its \
        signature, issuer, audience or lifetime is wrong. Sign it with a registered key, iss as the \
        client_id and aud as the issuer.",
    ),
);

/// Merges the parameters with those of the request object, which take precedence. If the client registered a
/// request object algorithm, or has the profile `fapi2`, parameters outside the object are ignored, except
/// `client_id`.
pub(crate) async fn open_request_object(
    engine: &Engine,
    requesting_client: &ActiveClient,
    params: &RawAuthorizationParams,
    object: &str,
) -> Result<RawAuthorizationParams, AuthorizationError> {
    let (client, metadata) = (&requesting_client.client.client, &requesting_client.client.metadata);
    let registered = metadata.request_object_signing_alg;
    let Some(keys) = client_keys::find_signing_keys(engine, &requesting_client.client, object).await? else {
        return Err(INVALID_REQUEST_OBJECT.into());
    };
    let expected = RequestObjectExpectations {
        client: client.id.as_str(),
        issuer: &engine.settings().issuer,
        profile: metadata.security_profile,
        algorithm: registered,
        now: engine.now(),
    };
    let Ok(inside) = verify_request_object(object, &keys, &expected) else {
        return Err(INVALID_REQUEST_OBJECT.into());
    };
    // Duplicate parameters outside the object are an error, whether or not they are used.
    let inside = RawAuthorizationParams::new(inside).with_default("client_id", client.id.as_str());
    let inside = inside.with_repeated(params.repeated_names());
    // RFC 9101 §6.3 and FAPI 2.0 Message Signing: unsigned parameters are ignored.
    if registered.is_some() || metadata.security_profile == SecurityProfile::Fapi2 {
        return Ok(inside);
    }
    Ok(params.iter().fold(inside, |inside, (name, value)| inside.with_default(name, value)))
}

/// Rejects an unsigned request of a client that signs all its requests; otherwise an attacker could remove
/// the signature.
pub(crate) fn require_request_object(client: &ActiveClient) -> Result<(), AuthorizationRefusal> {
    match client.client.metadata.request_object_signing_alg {
        Some(_) => Err((
            AuthorizationErrorCode::InvalidRequest,
            "The client is registered for signed \
            requests. Send a request object in the parameter request."
                .into(),
        )),
        None => Ok(()),
    }
}
