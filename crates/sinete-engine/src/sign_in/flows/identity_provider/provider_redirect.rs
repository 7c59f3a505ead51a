//! The redirect to an identity provider: the connection, the authentication request and the callback URL.

use super::refusals::{no_provider, provider_unreachable};
use super::request_state::ProviderRequestState;
use super::saml;
use crate::identity_providers;
use crate::identity_providers::callback_url;
use crate::platform::interaction::InteractionTarget;
use crate::sign_in::flows::{VerifiedInput, identity_resolution, verify};
use crate::{Engine, Error, Failure};
use sinete_core::accounts::email_address::EmailAddress;
use sinete_core::id::ConnectionId;
use sinete_core::identity_providers::connections::ConnectionProtocol;
use sinete_core::identity_providers::oidc::authorization_request;
use sinete_core::identity_providers::oidc::authorization_request::{OidcRelyingParty, is_loopback_url};
use sinete_core::refusal::Refusal;
use sinete_core::sign_in::flows::stage::{FlowStage, IdentityProviderRedirect};
use sinete_core::sign_in::flows::verified_input::VerifiedFlowInput;
use sinete_core::sign_in::flows::{AuthenticationFlow, FlowTokenTransport};
use sinete_core::validation::ValidationErrors;
use sinete_store::WriteBatch;
use sinete_store::identity_providers::connections;
use sinete_store::identity_providers::connections::ConnectionRow;

/// A request to sign in at an identity provider.
#[derive(Clone, Debug, Default)]
pub struct ProviderSignInRequest {
    /// An address whose domain is routed to a provider.
    pub email: Option<String>,
    /// The connection.
    pub connection: Option<String>,
    /// Where a program waits for the response.
    pub return_to: Option<String>,
}

/// The URL of the provider for a flow at this stage, while the connection is enabled.
pub(crate) async fn provider_redirect_url(
    engine: &Engine,
    flow: &AuthenticationFlow,
) -> Result<Option<String>, Failure> {
    let FlowStage::AtProvider(at) = flow.stage() else { return Ok(None) };
    let Some(connection) =
        connections::find_usable_connection(engine.store(), at.connection, engine.now()).await?
    else {
        return Ok(None);
    };
    let open_id = match &connection.settings.protocol {
        ConnectionProtocol::OpenId(open_id) => open_id,
        ConnectionProtocol::Saml(saml) => {
            return Ok(saml::authn_request_url(engine, flow, at, &connection, saml));
        }
    };
    let provider = match identity_providers::load_provider(engine, &connection).await {
        Ok(provider) => provider,
        Err(trouble) => {
            tracing::warn!(connection = %connection.id, %trouble, "an identity provider cannot be used");
            return Ok(None);
        }
    };
    let (request_state, back) =
        (ProviderRequestState::from_flow(engine, flow), callback_url(engine, connection.id));
    let us = OidcRelyingParty { client_id: &open_id.client_id, callback: &back };
    Ok(Some(authorization_request::build_authorization_url(
        &provider,
        us,
        &request_state.authorization_request(&open_id.scopes, at),
    )))
}

/// Starts a sign-in at a provider: the one that the domain of the address is routed to, or the one named. All
/// addresses of a domain get the same result.
pub(crate) async fn start_provider_sign_in(
    engine: &Engine,
    flow: &AuthenticationFlow,
    departure: &ProviderSignInRequest,
) -> Result<VerifiedInput, Error> {
    let return_to = check_return_to(engine, flow, departure.return_to.as_deref())?;
    let (connection, hint) = match (&departure.email, &departure.connection, flow.stage()) {
        (Some(email), None, FlowStage::SignIn) => find_connection_by_address(engine, email).await?,
        (None, Some(id), FlowStage::SignIn) => find_connection_by_id(engine, id).await?,
        (None, None, FlowStage::Reauthenticate { .. }) => {
            let account = flow.account().unwrap_or(verify::NO_ACCOUNT);
            let usable_identities = identity_resolution::list_usable_identities(engine, account).await?;
            usable_identities
                .into_iter()
                .next()
                .map(|(connection, _)| (connection, None))
                .ok_or_else(no_provider)?
        }
        _ => {
            let mut errors = ValidationErrors::default();
            errors.add("", "send email or connection to sign in, and neither to reauthenticate");
            return Err(Refusal::from_validation_errors(errors).into());
        }
    };
    // An unreachable provider is reported here, before the user is redirected.
    if let Err(trouble) = identity_providers::require_reachable(engine, &connection).await {
        tracing::warn!(connection = %connection.id, %trouble, "an identity provider cannot be used");
        return Err(provider_unreachable().into());
    }
    let at = IdentityProviderRedirect { connection: connection.id, from: None, hint, return_to };
    Ok(VerifiedInput { input: VerifiedFlowInput::RedirectedToProvider(at), batch: WriteBatch::new() })
}

async fn find_connection_by_address(
    engine: &Engine,
    email: &str,
) -> Result<(ConnectionRow, Option<String>), Error> {
    let mut errors = ValidationErrors::default();
    let Some(address) = errors.parse_text::<EmailAddress>("/email", email) else {
        return Err(Refusal::from_validation_errors(errors).into());
    };
    let connection =
        connections::find_connection_by_domain(engine.store(), address.domain(), engine.now()).await?;
    Ok(connection.map(|connection| (connection, Some(address.as_str().to_owned()))).ok_or_else(|| {
        errors.add("/email", "no organization has single sign-on for this e-mail address");
        Refusal::from_validation_errors(errors)
    })?)
}

async fn find_connection_by_id(engine: &Engine, id: &str) -> Result<(ConnectionRow, Option<String>), Error> {
    let Ok(id) = id.parse::<ConnectionId>() else { return Err(no_provider().into()) };
    let connection = connections::find_usable_connection(engine.store(), id, engine.now()).await?;
    Ok(connection.map(|connection| (connection, None)).ok_or_else(no_provider)?)
}

/// Checks where a program waits for the response: on a loopback URL or at the interaction URL. A browser with
/// cookies needs none: it returns to us.
pub(crate) fn check_return_to(
    engine: &Engine,
    flow: &AuthenticationFlow,
    requested_url: Option<&str>,
) -> Result<Option<String>, Refusal> {
    let fault = |text: &'static str| {
        let mut errors = ValidationErrors::default();
        errors.add("/return_to", text);
        Err(Refusal::from_validation_errors(errors))
    };
    match (flow.flow_token_transport(), requested_url, &engine.settings().flows.interaction) {
        (FlowTokenTransport::Cookie, None, _) => Ok(None),
        (FlowTokenTransport::Cookie, Some(_), _) => fault("must be omitted in a flow with cookies"),
        (FlowTokenTransport::Token, Some(url), _) if is_loopback_url(url) => Ok(Some(url.to_owned())),
        (FlowTokenTransport::Token, Some(_), _) => fault("must be an http URL with a loopback host"),
        (FlowTokenTransport::Token, None, InteractionTarget::External(address)) => Ok(Some(address.clone())),
        (FlowTokenTransport::Token, None, _) => {
            fault("is required: the loopback URL where the program waits for the response")
        }
    }
}
