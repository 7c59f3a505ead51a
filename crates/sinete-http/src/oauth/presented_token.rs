//! A token that a client shows about itself, beside the proof of which client it is.

use crate::call::RoutedRequest;
use crate::extract::client_proof;
use crate::extract::pairs::FormParams;
use crate::reply::HandlerError;
use crate::state::HttpState;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_engine::EventCause;
use sinete_engine::oauth::client_authentication;
use sinete_engine::oauth::client_authentication::{AuthenticatedClient, ClientAuthRequest};

/// A client that proved who it is, and a token it asks something about.
pub(super) struct ClientTokenRequest {
    /// The client.
    pub(super) client: AuthenticatedClient,
    /// The token, as it was sent.
    pub(super) token: String,
    /// Where the request came from.
    pub(super) cause: EventCause,
}

/// What the request says: its form, and how the client proves who it is.
pub(super) fn parse_token_form(
    call: &RoutedRequest,
) -> Result<(FormParams, ClientAuthRequest), HandlerError> {
    let form = call.form_params()?;
    let presented = client_proof::extract_client_auth(call, &form)?;
    Ok((form, presented))
}

/// What the form holds. Which kind of token it is said to be helps nobody: a token says that itself.
pub(super) async fn authenticate_token_request(
    state: &HttpState,
    call: &RoutedRequest,
    (form, presented): &(FormParams, ClientAuthRequest),
) -> Result<ClientTokenRequest, HandlerError> {
    let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: call.origin() };
    let client = client_authentication::authenticate_client(state.engine(), presented, &cause).await??;
    let Some(token) = form.get("token") else {
        let public = "the parameter token is missing";
        return Err(Refusal::new(RefusalCode::InvalidRequest, public, public).into());
    };
    Ok(ClientTokenRequest { client, token: token.to_owned(), cause })
}
