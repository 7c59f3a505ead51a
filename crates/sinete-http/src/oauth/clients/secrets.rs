//! Handlers of client secrets.

use crate::management_api::idempotent_create::CreatedResource;
use crate::management_api::request::ManagementRequest;
use crate::state::HttpState;
use crate::state::RoutedRequest;
use axum::http::StatusCode;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sinete_core::client_id::ClientId;
use sinete_core::limits::CLIENT_SECRET_OVERLAP_MAX;
use sinete_core::time::Lifetime;
use sinete_engine::oauth::clients;
use sinete_engine::oauth::clients::{ClientSecretOverview, NewClientSecret};
use sinete_server::reply::HandlerResult;
use sinete_server::reply::json::{JsonTimestamp, json_response, no_content_response, serialize_json};
use sinete_server::schema::NamedSchema;

pub(crate) async fn list_client_secrets(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let id = management_request.parse_path_param("client")?;
    let secrets = clients::list_secrets(management_request.engine(), manager.admin_scope(), &id).await?;
    let items = secrets.iter().map(ClientSecretView::from_secret).collect();
    Ok(json_response(StatusCode::OK, serialize_json(&ClientSecretListView { items })?))
}

pub(crate) async fn add_client_secret(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let id: ClientId = management_request.parse_path_param("client")?;
    let overlap =
        management_request.parse_body::<ClientSecretInput>()?.overlap_seconds.map(Lifetime::from_seconds);
    management_request
        .create_once(
            async |claim| {
                let manager = manager.with_idempotency_claim(&management_request, claim);
                clients::add_secret(management_request.engine(), manager.admin_scope(), &id, overlap).await
            },
            |secret: NewClientSecret| {
                let location = management_request.child_location(&secret.id);
                Ok(CreatedResource::new(&IssuedClientSecretView::from_secret(secret), location)?
                    .with_secret())
            },
        )
        .await
}

pub(crate) async fn revoke_client_secret(state: HttpState, request: RoutedRequest) -> HandlerResult {
    let management_request = ManagementRequest::authenticate(state, request).await?;
    let manager = management_request.management_scope().await?;
    let (id, secret) =
        (management_request.parse_path_param("client")?, management_request.path_param("secret"));
    clients::revoke_secret(management_request.engine(), manager.admin_scope(), &id, secret).await?;
    Ok(no_content_response())
}

#[derive(Serialize, JsonSchema)]
struct ClientSecretListView<'a> {
    items: Vec<ClientSecretView<'a>>,
}

/// A secret, as returned.
#[derive(Serialize, JsonSchema)]
#[schemars(inline)]
struct ClientSecretView<'a> {
    /// The id of the secret. The secret cannot be derived from it.
    id: &'a str,
    created_at: JsonTimestamp,
    expires_at: Option<JsonTimestamp>,
}

impl<'a> ClientSecretView<'a> {
    fn from_secret(secret: &'a ClientSecretOverview) -> Self {
        Self {
            id: &secret.id,
            created_at: JsonTimestamp(secret.created_at),
            expires_at: secret.expires_at.map(JsonTimestamp),
        }
    }
}

/// A new secret, which is returned once.
#[derive(Serialize, JsonSchema)]
struct IssuedClientSecretView {
    id: String,
    /// The secret itself, which is returned only once.
    client_secret: String,
    /// When the earlier secrets expire.
    others_expire_at: JsonTimestamp,
}

impl IssuedClientSecretView {
    fn from_secret(secret: NewClientSecret) -> Self {
        Self {
            id: secret.id,
            client_secret: secret.secret.reveal(),
            others_expire_at: JsonTimestamp(secret.others_expire_at),
        }
    }
}

/// A secret to add.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ClientSecretInput {
    /// How long earlier secrets remain valid, so that the client can switch to the new one.
    #[schemars(range(max = CLIENT_SECRET_OVERLAP_MAX.seconds()), extend("default" = 86400))]
    overlap_seconds: Option<u32>,
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&CLIENT_SECRETS, &ISSUED_SECRET, &NEW_SECRET];

/// The schema of the resource.
pub(crate) const CLIENT_SECRETS: NamedSchema =
    NamedSchema::response::<ClientSecretListView<'_>>("ClientSecrets");

/// The schema of a new secret.
pub(crate) const ISSUED_SECRET: NamedSchema =
    NamedSchema::response::<IssuedClientSecretView>("IssuedClientSecret");

/// The schema for adding a secret.
pub(crate) const NEW_SECRET: NamedSchema =
    NamedSchema::request::<ClientSecretInput>("CreateClientSecretRequest")
        .with_example(r#"{"overlap_seconds": 3600}"#);
