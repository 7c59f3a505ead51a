//! Requests that their client signed (RFC 9101), by value or at an address that it registered.

use super::applicant::Applicant;
use crate::client_authentication::keys;
use crate::{Engine, Failed};
use sinete_core::authorize::response::{AuthorizationError, Wrong};
use sinete_core::authorize::unvalidated::Unvalidated;
use sinete_core::limits::TOKEN_BYTES_MAX;
use sinete_crypto::request_object::{Expected, verify};

const NOT_SIGNED: Wrong = (AuthorizationError::InvalidRequestObject, "the signed request does not count");
const NOT_THERE: Wrong = (AuthorizationError::InvalidRequestUri, "the address of the request does not count");

/// The parameters of a request together with those in the request object that it brings: what is inside counts
/// before what stands beside it. A client that registered how it signs its requests signs all of them, so that
/// nothing beside the object counts but the client's own name.
pub(crate) async fn open(
    engine: &Engine,
    applicant: &Applicant,
    beside: &Unvalidated,
    object: &str,
) -> Result<Result<Unvalidated, Wrong>, Failed> {
    let (client, metadata) = (&applicant.known.client, &applicant.known.metadata);
    let registered = metadata.request_object_signing_alg;
    let Some(keys) = keys::of(engine, &applicant.known, object).await else { return Ok(Err(NOT_SIGNED)) };
    let issuer = &engine.settings().issuer;
    let expected = Expected { client: client.id.as_str(), issuer, algorithm: registered, now: engine.now() };
    let Ok(inside) = verify(object, &keys, &expected) else { return Ok(Err(NOT_SIGNED)) };
    let inside = Unvalidated::new(inside).with_default("client_id", client.id.as_str());
    if registered.is_some() {
        return Ok(Ok(inside));
    }
    Ok(Ok(beside.iter().fold(inside, |inside, (name, value)| inside.with_default(name, value))))
}

/// The request object at an address, if the client registered the address and something answers there.
pub(super) async fn fetch(
    engine: &Engine,
    applicant: &Applicant,
    address: &str,
) -> Result<Result<String, Wrong>, Failed> {
    if !applicant.known.metadata.request_uris.iter().any(|registered| registered == address) {
        return Ok(Err(NOT_THERE));
    }
    // A fragment is the client's way of telling its own copies apart; it is not sent.
    let address = address.split('#').next().unwrap_or_default();
    let fetched = match engine.web().get(address).await {
        Ok(fetched) => fetched,
        Err(not_reached) => {
            tracing::info!(reason = not_reached.reason(), "a request object could not be fetched");
            return Ok(Err(NOT_THERE));
        }
    };
    let text = String::from_utf8(fetched).ok().filter(|text| text.len() <= TOKEN_BYTES_MAX);
    Ok(text.map(|text| text.trim().to_owned()).ok_or(NOT_SIGNED))
}
