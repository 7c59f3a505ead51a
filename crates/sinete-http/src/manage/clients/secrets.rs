//! The secrets of a client.

use crate::call::RoutedRequest;
use crate::manage::errand::ManagementRequest;
use crate::manage::made::CreatedResource;
use crate::reply::HandlerResult;
use crate::reply::json::{JsonTimestamp, answer, nothing, written};
use crate::schema::NamedSchema;
use crate::state::HttpState;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use sinete_core::client::ClientId;
use sinete_core::time::Lifetime;
use sinete_engine::clients::{self, ClientSecretOverview, NewClientSecret};

pub(crate) async fn list_secrets(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let id = errand.named_as("client")?;
    let secrets = clients::list_secrets(errand.engine(), manager.managing(), &id).await??;
    let items = secrets.iter().map(ClientSecretView::of).collect();
    Ok(answer(StatusCode::OK, written(&ClientSecretListView { items })?))
}

pub(crate) async fn add_secret(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let id: ClientId = errand.named_as("client")?;
    let overlap = errand.body::<ClientSecretInput>()?.overlap_seconds.map(Lifetime::from_seconds);
    errand
        .make(
            async |claim| {
                let manager = manager.claiming(&errand, claim);
                clients::add_secret(errand.engine(), manager.managing(), &id, overlap).await
            },
            |made: NewClientSecret| {
                let location = errand.below(&made.id);
                Ok(CreatedResource::new(&IssuedClientSecretView::of(made), location)?.with_secret())
            },
        )
        .await
}

pub(crate) async fn revoke_secret(state: HttpState, call: RoutedRequest) -> HandlerResult {
    let errand = ManagementRequest::begin(state, call).await?;
    let manager = errand.manager().await?;
    let (id, secret) = (errand.named_as("client")?, errand.named("secret"));
    clients::revoke_secret(errand.engine(), manager.managing(), &id, secret).await??;
    Ok(nothing())
}

#[derive(Serialize)]
struct ClientSecretListView<'a> {
    items: Vec<ClientSecretView<'a>>,
}

/// A secret, as it is shown.
#[derive(Serialize)]
struct ClientSecretView<'a> {
    id: &'a str,
    created_at: JsonTimestamp,
    expires_at: Option<JsonTimestamp>,
}

impl<'a> ClientSecretView<'a> {
    fn of(secret: &'a ClientSecretOverview) -> Self {
        Self {
            id: &secret.id,
            created_at: JsonTimestamp(secret.created_at),
            expires_at: secret.expires_at.map(JsonTimestamp),
        }
    }
}

/// A secret that was just given, with what is never shown again.
#[derive(Serialize)]
struct IssuedClientSecretView {
    id: String,
    client_secret: String,
    others_expire_at: JsonTimestamp,
}

impl IssuedClientSecretView {
    fn of(secret: NewClientSecret) -> Self {
        Self {
            id: secret.id,
            client_secret: secret.secret.reveal(),
            others_expire_at: JsonTimestamp(secret.others_expire_at),
        }
    }
}

/// A secret, as it is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ClientSecretInput {
    overlap_seconds: Option<u32>,
}

pub(crate) const SCHEMAS: &[&NamedSchema] = &[&CLIENT_SECRETS, &ISSUED_SECRET, &NEW_SECRET];

/// What is shown.
pub(crate) const CLIENT_SECRETS: NamedSchema = NamedSchema {
    name: "ClientSecrets",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["items"],
        "properties": {
            "items": {
                "type": "array",
                "items": {
                    "type": "object", "additionalProperties": false, "required": ["id", "created_at", "expires_at"],
                    "properties": {
                        "id": {"type": "string", "description": "The name it goes by; the secret cannot be found from it."},
                        "created_at": {"type": "string", "format": "date-time"},
                        "expires_at": {"type": ["string", "null"], "format": "date-time"}
                    }
                }
            }
        }
    }"##,
};

/// What is shown once.
pub(crate) const ISSUED_SECRET: NamedSchema = NamedSchema {
    name: "IssuedClientSecret",
    json: r##"{
        "type": "object", "additionalProperties": false, "required": ["id", "client_secret", "others_expire_at"],
        "properties": {
            "id": {"type": "string"},
            "client_secret": {"type": "string", "description": "The secret itself. It is shown this once and never again."},
            "others_expire_at": {"type": "string", "format": "date-time", "description": "When the earlier secrets stop working."}
        }
    }"##,
};

/// What is sent to be given one.
pub(crate) const NEW_SECRET: NamedSchema = NamedSchema {
    name: "NewClientSecret",
    json: r##"{
        "type": "object", "additionalProperties": false,
        "properties": {
            "overlap_seconds": {
                "type": "integer", "minimum": 0, "maximum": 604800, "default": 86400,
                "description": "How long the earlier secrets keep working, so that the client can change over."
            }
        },
        "examples": [{"overlap_seconds": 3600}]
    }"##,
};
