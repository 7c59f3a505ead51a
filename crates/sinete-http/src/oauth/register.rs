//! Registration of clients (RFC 7591) and a client's own management of it (RFC 7592).

use crate::call::RoutedRequest;
use crate::extract::pairs::FormParams;
use crate::extract::{bearer, json};
use crate::reply::json::{answer, nothing, written};
use crate::reply::{HandlerError, HandlerResult};
use crate::state::HttpState;
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::response::Response;
use serde_json::{Map, Value};
use sinete_core::client::metadata::ClientMetadata;
use sinete_core::client::registration;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_core::secret::Secret;
use sinete_core::security::event::SecurityEventActor;
use sinete_engine::clients::ClientRow;
use sinete_engine::manage_client::{self, RegistrationHolder};
use sinete_engine::register_client::{self, RegisteredClient, RegistrationAuthority};
use sinete_engine::{EventCause, acting, caller};

/// Registers a client: for the organization of whoever shows a credential, else as one nobody vouches for.
pub(crate) async fn register(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let query = call.query()?;
    bearer::not_in_address(&query)?;
    let document = document(&call)?;
    let engine = state.engine();
    let registered = if call.headers().contains_key(AUTHORIZATION) {
        let shown = bearer::extract(call.headers(), &query)?;
        let caller = caller::identify(engine, call.credential(shown), call.origin()).await??;
        let organization = caller.organization.to_string();
        let acting = acting::step_into(engine, &caller, &organization).await??;
        acting.may_change("clients:create")?;
        register_client::register(engine, RegistrationAuthority::Organization(&acting), &document).await??
    } else {
        must_not_hurry(&state, &call)?;
        let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: call.origin() };
        register_client::register(engine, RegistrationAuthority::Itself(&cause), &document).await??
    };
    shown_once(&state, StatusCode::CREATED, registered)
}

/// Shows a client its own registration, without what is shown once.
pub(crate) async fn read(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let RegistrationHolder { client, metadata, .. } = identified(&state, call).await?.0;
    let body = written(&described(&state, &client, &metadata))?;
    Ok(answer(StatusCode::OK, body))
}

/// Puts another registration in the place of a client's own.
pub(crate) async fn replace(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (registrant, call) = identified(&state, call).await?;
    state.paced(&call).registering_again(&registrant.client.id)?;
    let document = document(&call)?;
    let changed = manage_client::change(state.engine(), registrant, &document).await??;
    shown_once(&state, StatusCode::OK, changed)
}

/// Ends a client, by itself.
pub(crate) async fn remove(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let (registrant, call) = identified(&state, call).await?;
    state.paced(&call).registering_again(&registrant.client.id)?;
    manage_client::remove(state.engine(), &registrant).await??;
    Ok(nothing())
}

/// The client whose registration it is, if the token says so.
async fn identified(
    state: &HttpState,
    mut call: RoutedRequest,
) -> Result<(RegistrationHolder, RoutedRequest), HandlerError> {
    let path = call.path_parameters().await?;
    let id = path.iter().find(|(name, _)| name == "client_id").map_or("", |(_, value)| value.as_str());
    let shown = bearer::of_bearer(call.headers(), &FormParams::default())?;
    let registrant = manage_client::identify(state.engine(), id, shown, call.origin()).await??;
    Ok((registrant, call))
}

/// Whoever registers without a credential does so at a bounded pace.
fn must_not_hurry(state: &HttpState, call: &RoutedRequest) -> Result<(), Refusal> {
    let waiting = state.registering().take(call.visit().client(), state.house().now());
    waiting.map_err(|wait| {
        let public = "too many clients are being registered from here: come back later";
        Refusal::new(RefusalCode::TooManyRequests, public, "registrations from one address").retry_after(wait)
    })
}

fn document(call: &RoutedRequest) -> Result<Map<String, Value>, HandlerError> {
    match json::value(call.body())? {
        Value::Object(members) => Ok(members),
        _ => Err(json::JsonBodyError::WrongShape.into()),
    }
}

/// A registration with everything that is shown this once.
fn shown_once(
    state: &HttpState,
    status: StatusCode,
    registered: RegisteredClient,
) -> Result<Response, HandlerError> {
    let RegisteredClient { client, metadata, secret, token } = registered;
    let mut members = described(state, &client, &metadata);
    members.insert("registration_access_token".to_owned(), token.reveal().into());
    if let Some(secret) = secret.map(Secret::reveal) {
        members.insert("client_secret".to_owned(), secret.into());
        // RFC 7591 §3.2.1: zero says that it does not expire.
        members.insert("client_secret_expires_at".to_owned(), 0.into());
    }
    Ok(answer(status, written(&members)?))
}

fn described(state: &HttpState, client: &ClientRow, metadata: &ClientMetadata) -> Map<String, Value> {
    let issuer = state.base_address().issuer();
    let mut members = registration::described(metadata);
    members.insert("client_id".to_owned(), client.id.as_str().into());
    members.insert("client_id_issued_at".to_owned(), client.created_at.seconds().into());
    let address = format!("{issuer}/connect/register/{}", client.id);
    members.insert("registration_client_uri".to_owned(), address.into());
    members
}
