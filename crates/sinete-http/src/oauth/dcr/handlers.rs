//! Dynamic client registration (RFC 7591) and client configuration (RFC 7592).

use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use axum::http::header::AUTHORIZATION;
use axum::response::Response;
use serde_json::{Map, Value};
use sinete_core::access_control::built_in_permissions::CREATE_CLIENTS;
use sinete_core::events::security_event::SecurityEventActor;
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::oauth::dcr;
use sinete_core::oauth::dcr::ClientRegistrar;
use sinete_core::secret::Secret;
use sinete_engine::EventCause;
use sinete_engine::access_control::organization_access;
use sinete_engine::oauth::caller_authentication;
use sinete_engine::oauth::clients::{ClientOrigin, ClientRow};
use sinete_engine::oauth::dcr as engine_dcr;
use sinete_engine::oauth::dcr::management;
use sinete_engine::oauth::dcr::management::RegistrationTokenClient;
use sinete_engine::oauth::dcr::{RegisteredClient, RegistrationCaller};
use sinete_server::extract::params::FormParams;
use sinete_server::extract::{bearer, json};
use sinete_server::reply::json::{json_response, no_content_response, serialize_json};
use sinete_server::reply::{HandlerError, HandlerResult};

/// Registers a client: for the organization of a caller with a credential, else as an unverified one.
pub(crate) async fn create_registration(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let query = request.query_params()?;
    bearer::reject_token_in_query(&query)?;
    let document = parse_client_metadata(&request)?;
    let engine = state.engine();
    let registered = if request.headers().contains_key(AUTHORIZATION) {
        let bearer_credential = bearer::extract_credential(request.headers(), &query)?;
        let caller = caller_authentication::authenticate_caller(
            engine,
            request.bearer_credential(bearer_credential),
            request.origin(),
        )
        .await?;
        let organization = caller.organization.to_string();
        let access = organization_access::authorize_in_organization(engine, &caller, &organization).await?;
        access.require_change_permission(CREATE_CLIENTS)?;
        engine_dcr::register_client(engine, RegistrationCaller::Organization(&access), &document).await?
    } else {
        let cause = EventCause { actor: SecurityEventActor::Anonymous, origin: request.origin() };
        engine_dcr::count_new_client(engine, cause.origin.address)?;
        engine_dcr::register_client(engine, RegistrationCaller::Client(&cause), &document).await?
    };
    registration_response_with_secrets(&state, StatusCode::CREATED, registered)
}

/// Shows a client its registration, without secrets.
pub(crate) async fn read_registration(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let RegistrationTokenClient { client, metadata, .. } =
        authenticate_registration(&state, request).await?.0;
    let body = serialize_json(&registration_response(&state, &client, &metadata))?;
    Ok(json_response(StatusCode::OK, body))
}

/// Replaces a client's registration.
pub(crate) async fn replace_registration(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (registrant, request) = authenticate_registration(&state, request).await?;
    state.rate_limit(&request).check_registration_change(&registrant.client.id)?;
    let document = parse_client_metadata(&request)?;
    let changed = management::replace_registration(state.engine(), registrant, &document).await?;
    registration_response_with_secrets(&state, StatusCode::OK, changed)
}

/// Removes a client at its own request.
pub(crate) async fn delete_registration(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let (registrant, request) = authenticate_registration(&state, request).await?;
    state.rate_limit(&request).check_registration_change(&registrant.client.id)?;
    management::delete_registration(state.engine(), &registrant).await?;
    Ok(no_content_response())
}

/// Authenticates the registration access token of this client.
async fn authenticate_registration(
    state: &HttpState,
    mut request: RoutedRequest,
) -> Result<(RegistrationTokenClient, RoutedRequest), HandlerError> {
    let path = request.path_parameters().await?;
    let id = path.iter().find(|(name, _)| name == "client_id").map_or("", |(_, value)| value.as_str());
    let token = bearer::extract_bearer_token(request.headers(), &FormParams::default())?;
    let registrant =
        management::authenticate_registration_token(state.engine(), id, token, request.origin()).await?;
    Ok((registrant, request))
}

fn parse_client_metadata(request: &RoutedRequest) -> Result<Map<String, Value>, HandlerError> {
    match json::parse_json_value(request.body())? {
        Value::Object(members) => Ok(members),
        _ => Err(json::JsonBodyError::WrongShape.into()),
    }
}

/// The response with the secrets, which are returned once.
fn registration_response_with_secrets(
    state: &HttpState,
    status: StatusCode,
    registered: RegisteredClient,
) -> Result<Response, HandlerError> {
    let RegisteredClient { client, metadata, secret, token } = registered;
    let mut members = registration_response(state, &client, &metadata);
    members.insert("registration_access_token".to_owned(), token.reveal().into());
    if let Some(secret) = secret.map(Secret::reveal) {
        members.insert("client_secret".to_owned(), secret.into());
        // RFC 7591 §3.2.1: zero means that it does not expire.
        members.insert("client_secret_expires_at".to_owned(), 0.into());
    }
    Ok(json_response(status, serialize_json(&members)?))
}

fn registration_response(
    state: &HttpState,
    client: &ClientRow,
    metadata: &ClientMetadata,
) -> Map<String, Value> {
    let issuer = state.base_address().issuer();
    let registrar = match client.origin {
        ClientOrigin::DynamicRegistration => ClientRegistrar::Client,
        ClientOrigin::Organization(_) | ClientOrigin::Operator => ClientRegistrar::Organization,
    };
    let mut members = dcr::describe_metadata(metadata, registrar);
    members.insert("client_id".to_owned(), client.id.as_str().into());
    members.insert("client_id_issued_at".to_owned(), client.created_at.seconds().into());
    let address = format!("{issuer}/connect/register/{}", client.id);
    members.insert("registration_client_uri".to_owned(), address.into());
    members
}
