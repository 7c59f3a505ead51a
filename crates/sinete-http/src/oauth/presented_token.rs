//! Requests of an authenticated client about a token: introspection and revocation.

use crate::state::HttpState;
use crate::state::RoutedRequest;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_engine::EventCause;
use sinete_engine::oauth::client_authentication;
use sinete_engine::oauth::client_authentication::{AuthenticatedClient, ClientAuthRequest};
use sinete_server::extract::params::FormParams;
use sinete_server::reply::HandlerError;

/// An authenticated client with a token.
pub(super) struct ClientTokenRequest {
    /// The client.
    pub(super) client: AuthenticatedClient,
    /// The token, as sent.
    pub(super) token: String,
    /// The actor and origin for events.
    pub(super) cause: EventCause,
}

/// Parses the form and the client authentication.
pub(super) fn parse_token_form(
    request: &RoutedRequest,
) -> Result<(FormParams, ClientAuthRequest), HandlerError> {
    let form = request.form_params()?;
    let auth_request = request.client_auth(&form)?;
    Ok((form, auth_request))
}

/// Authenticates the client and reads the token. `token_type_hint` is ignored: a token shows its own type.
pub(super) async fn authenticate_token_request(
    state: &HttpState,
    request: &RoutedRequest,
    form: &FormParams,
    auth_request: &ClientAuthRequest,
) -> Result<ClientTokenRequest, HandlerError> {
    let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: request.origin() };
    let client = client_authentication::authenticate_client(state.engine(), auth_request, &cause).await?;
    let Some(token) = form.get("token") else {
        return Err(Refusal::because(OAuthRefusal::TokenParameterMissing, "").into());
    };
    Ok(ClientTokenRequest { client, token: token.to_owned(), cause })
}
