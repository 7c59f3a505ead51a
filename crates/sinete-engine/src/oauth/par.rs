//! Pushed authorization requests (RFC 9126).

use crate::oauth::authorize::{
    ActiveClient, REQUEST_URI_PREFIX, check_client_request, open_request_object, require_request_object,
};
use crate::oauth::client_authentication::AuthenticatedClient;
use crate::{Engine, Error, Failure};
use sinete_core::access_control::subject::SignInStatus;
use sinete_core::limits::{FLOW_LIFETIME, PAR_LIFETIME};
use sinete_core::oauth::authorize::pending_authorization::{AuthorizationChannel, PendingAuthorization};
use sinete_core::oauth::authorize::raw_params::RawAuthorizationParams;
use sinete_core::oauth::authorize::response::{AuthorizationErrorCode, AuthorizationRefusal};
use sinete_core::oauth::client_metadata::GrantType;
use sinete_core::oauth::confirmation::ConfirmationClaim;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::secret::{PushedRequest, Secret};
use sinete_core::time::Lifetime;
use sinete_store::oauth::par;
use sinete_store::oauth::par::NewPushedRequest;
use sinete_store::{JsonDocument, WriteBatch};
use std::borrow::Cow;

/// A pushed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PushedAuthorization {
    /// The `request_uri`, for single use by this client.
    pub request_uri: String,
    /// The lifetime.
    pub lifetime: Lifetime,
}

/// Stores the request, if everything that does not depend on the user is valid.
pub async fn push_authorization_request(
    engine: &Engine,
    client: &AuthenticatedClient,
    parameters: RawAuthorizationParams,
) -> Result<PushedAuthorization, Error> {
    let requesting_client = ActiveClient::from_client(client.client.clone());
    if parameters.get("request_uri").is_some() {
        // RFC 9126 §2.1: `request_uri` is not allowed here.
        return Err(authorization_refusal((
            AuthorizationErrorCode::InvalidRequest,
            "The parameter request_uri cannot be pushed. Send the parameters themselves, or request.".into(),
        ))
        .into());
    }
    let parameters = match parameters.get("request") {
        None => {
            require_request_object(&requesting_client).map_err(authorization_refusal)?;
            parameters
        }
        Some(object) => open_request_object(engine, &requesting_client, &parameters, object).await?,
    };
    let parameters = parameters.with_default("client_id", client.id().as_str());
    let parameters = bind_to_dpop_key(client, parameters)?;
    let addressed = match parameters.clone().verify_redirect_uri(&requesting_client.redirect_target()) {
        Ok(addressed) => addressed,
        Err(_) => {
            let wrong = (
                AuthorizationErrorCode::InvalidRequest,
                "The client_id or redirect_uri is not one of this client. Send its client_id and a registered \
                 redirect URI.".into(),
            );
            return Err(authorization_refusal(wrong).into());
        }
    };
    let request = addressed
        .validate(SignInStatus::SignedIn)
        .map_err(|redirected| authorization_refusal((redirected.error, redirected.description)))?;
    check_client_request(engine, &requesting_client, &request.params, GrantType::AuthorizationCode).await?;
    let pending = PendingAuthorization::new(client.id().clone(), &parameters, AuthorizationChannel::Browser);
    Ok(store_request(engine, client, &pending).await?)
}

/// Binds the request to the key of the client's DPoP proof (RFC 9449 §10.1).
fn bind_to_dpop_key(
    client: &AuthenticatedClient,
    parameters: RawAuthorizationParams,
) -> Result<RawAuthorizationParams, Refusal> {
    let Some(key) = client.presented_confirmation.as_ref().and_then(ConfirmationClaim::key) else {
        return Ok(parameters);
    };
    if parameters.get("dpop_jkt").is_some_and(|thumbprint| thumbprint.parse() != Ok(key)) {
        return Err(Refusal::because(OAuthRefusal::DpopKeyMismatch, ""));
    }
    Ok(parameters.with_default("dpop_jkt", &key.to_string()))
}

async fn store_request(
    engine: &Engine,
    client: &AuthenticatedClient,
    pending: &PendingAuthorization,
) -> Result<PushedAuthorization, Failure> {
    let (now, secret) = (engine.now(), Secret::<PushedRequest>::mint(engine.entropy()));
    let (digest, request) = (secret.digest(), JsonDocument::from_value(pending.stored_params())?);
    let pushed = NewPushedRequest {
        digest: &digest,
        client: client.id(),
        request: &request,
        created_at: now,
        // After the `request_uri` was presented in time, signing in may take as long as a flow.
        expires_at: now.plus(PAR_LIFETIME).plus(FLOW_LIFETIME),
    };
    let committed =
        engine.store().commit(WriteBatch::new().with_statement(par::store_pushed_request(&pushed))).await?;
    committed.into_result().map_err(|_| Failure::Contended)?;
    Ok(PushedAuthorization {
        request_uri: format!("{REQUEST_URI_PREFIX}{}", secret.reveal()),
        lifetime: PAR_LIFETIME,
    })
}

/// Converts an authorization error to a direct response to the client (RFC 9126 §2.3).
pub(crate) fn authorization_refusal(refusal: AuthorizationRefusal) -> Refusal {
    let (error, description) = refusal;
    let detail = format!("asked directly: {}", error.as_str());
    match description {
        Cow::Borrowed(text) => Refusal::because(error.direct_refusal(text), detail),
        // Only a refused scope is named.
        Cow::Owned(text) => {
            Refusal::because(error.direct_refusal("the scope is not accepted"), detail).with_public_text(text)
        }
    }
}
