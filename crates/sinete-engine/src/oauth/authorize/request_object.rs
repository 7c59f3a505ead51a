//! Requests that their client signed (RFC 9101), by value. None is fetched from anywhere.

use super::requesting_client::RequestingClient;
use crate::oauth::cache::client_jwks;
use crate::{Engine, Failure};
use sinete_core::oauth::authorize::raw_params::RawAuthorizationParams;
use sinete_core::oauth::authorize::response::{AuthorizationErrorCode, AuthorizationRefusal};
use sinete_core::oauth::security_profile::SecurityProfile;
use sinete_crypto::oauth::request_object::{RequestObjectExpectations, verify_request_object};

const INVALID_REQUEST_OBJECT: AuthorizationRefusal =
    (AuthorizationErrorCode::InvalidRequestObject, "the signed request does not count");

/// The parameters of a request together with those in the request object that it brings: what is inside counts
/// before what stands beside it. A client that registered how it signs its requests signs all of them, so that
/// nothing beside the object counts but the client's own name; of one that keeps to FAPI 2.0 neither.
pub(crate) async fn open_request_object(
    engine: &Engine,
    applicant: &RequestingClient,
    beside: &RawAuthorizationParams,
    object: &str,
) -> Result<Result<RawAuthorizationParams, AuthorizationRefusal>, Failure> {
    let (client, metadata) = (&applicant.cached.client, &applicant.cached.metadata);
    let registered = metadata.request_object_signing_alg;
    let Some(keys) = client_jwks::find_signing_keys(engine, &applicant.cached, object).await? else {
        return Ok(Err(INVALID_REQUEST_OBJECT));
    };
    let expected = RequestObjectExpectations {
        client: client.id.as_str(),
        issuer: &engine.settings().issuer,
        profile: metadata.security_profile,
        algorithm: registered,
        now: engine.now(),
    };
    let Ok(inside) = verify_request_object(object, &keys, &expected) else {
        return Ok(Err(INVALID_REQUEST_OBJECT));
    };
    // What was said twice beside it was not said clearly, whether or not it counts.
    let inside = RawAuthorizationParams::new(inside).with_default("client_id", client.id.as_str());
    let inside = inside.with_repeated(beside.repeated_names());
    // RFC 9101 §6.3 and FAPI 2.0 Message Signing: what is not signed does not count.
    if registered.is_some() || metadata.security_profile == SecurityProfile::Fapi2 {
        return Ok(Ok(inside));
    }
    Ok(Ok(beside.iter().fold(inside, |inside, (name, value)| inside.with_default(name, value))))
}

/// Refuses a request that is not signed from a client that signs all of them: what anybody could strip off would
/// protect nothing.
pub(crate) fn require_request_object(applicant: &RequestingClient) -> Result<(), AuthorizationRefusal> {
    match applicant.cached.metadata.request_object_signing_alg {
        Some(_) => Err((AuthorizationErrorCode::InvalidRequest, "this client signs its requests")),
        None => Ok(()),
    }
}
