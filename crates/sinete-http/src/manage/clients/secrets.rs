//! The secrets of a client.

use crate::call::Call;
use crate::manage::errand::Errand;
use crate::manage::made::Made;
use crate::reply::Answer;
use crate::reply::json::{At, answer, nothing, written};
use crate::schema::Schema;
use crate::state::State;
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use sinete_core::client::ClientId;
use sinete_core::time::Lifetime;
use sinete_engine::clients::{self, NewSecret, ShownSecret};

pub(crate) async fn list_secrets(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let manager = errand.manager().await?;
    let id = errand.named_as("client")?;
    let secrets = clients::list_secrets(errand.engine(), manager.managing(), &id).await??;
    let items = secrets.iter().map(SecretView::of).collect();
    Ok(answer(StatusCode::OK, written(&SecretsView { items })?))
}

pub(crate) async fn add_secret(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let manager = errand.manager().await?;
    let id: ClientId = errand.named_as("client")?;
    let overlap = errand.body::<SecretText>()?.overlap_seconds.map(Lifetime::from_seconds);
    errand
        .make(
            async |claim| {
                let manager = manager.claiming(&errand, claim);
                clients::add_secret(errand.engine(), manager.managing(), &id, overlap).await
            },
            |made: NewSecret| {
                let location = errand.below(&made.id);
                Ok(Made::new(&IssuedView::of(made), location)?.with_secret())
            },
        )
        .await
}

pub(crate) async fn revoke_secret(state: State, call: Call) -> Answer {
    let errand = Errand::begin(state, call).await?;
    let manager = errand.manager().await?;
    let (id, secret) = (errand.named_as("client")?, errand.named("secret"));
    clients::revoke_secret(errand.engine(), manager.managing(), &id, secret).await??;
    Ok(nothing())
}

#[derive(Serialize)]
struct SecretsView<'a> {
    items: Vec<SecretView<'a>>,
}

/// A secret, as it is shown.
#[derive(Serialize)]
struct SecretView<'a> {
    id: &'a str,
    created_at: At,
    expires_at: Option<At>,
}

impl<'a> SecretView<'a> {
    fn of(secret: &'a ShownSecret) -> Self {
        Self { id: &secret.id, created_at: At(secret.created_at), expires_at: secret.expires_at.map(At) }
    }
}

/// A secret that was just given, with what is never shown again.
#[derive(Serialize)]
struct IssuedView {
    id: String,
    client_secret: String,
    others_expire_at: At,
}

impl IssuedView {
    fn of(secret: NewSecret) -> Self {
        Self {
            id: secret.id,
            client_secret: secret.secret.reveal(),
            others_expire_at: At(secret.others_expire_at),
        }
    }
}

/// A secret, as it is asked for.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SecretText {
    overlap_seconds: Option<u32>,
}

pub(crate) const SCHEMAS: &[&Schema] = &[&CLIENT_SECRETS, &ISSUED_SECRET, &NEW_SECRET];

/// What is shown.
pub(crate) const CLIENT_SECRETS: Schema = Schema {
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
pub(crate) const ISSUED_SECRET: Schema = Schema {
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
pub(crate) const NEW_SECRET: Schema = Schema {
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
