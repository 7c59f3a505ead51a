//! Client secrets: each shown once, with an overlap of earlier ones.

use super::{ClientRow, READ_PERMISSION, client_id_taken, conflict_refusal, find_manageable, validation};
use crate::access_control::admin_scope::AdminScope;
use crate::organizations::precondition_failed;
use crate::{Engine, Error};
use sinete_core::client_id::ClientId;
use sinete_core::events::security_event::EventKind;
use sinete_core::limits::{CLIENT_SECRET_OVERLAP, CLIENT_SECRET_OVERLAP_MAX, CLIENT_SECRETS_MAX};
use sinete_core::oauth::client_metadata::ClientMetadata;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::oauth::OAuthRefusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_core::secret::{ClientSecret, Digest, Secret};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_store::oauth::client_secrets;
use sinete_store::oauth::client_secrets::ClientSecretRow;
use sinete_store::oauth::clients;
use sinete_store::{BatchOutcome, WriteBatch};
use std::fmt::Write as _;

/// A new secret, shown once.
pub struct NewClientSecret {
    /// The id of the secret.
    pub id: String,
    /// The secret itself.
    pub secret: Secret<ClientSecret>,
    /// The client after the change.
    pub client: ClientRow,
    /// When the earlier secrets expire.
    pub others_expire_at: Timestamp,
}

/// A secret without its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSecretOverview {
    /// The id: the beginning of the digest.
    pub id: String,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it expires, if it does.
    pub expires_at: Option<Timestamp>,
}

/// Lists the valid secrets, oldest first.
pub async fn list_secrets(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
) -> Result<Vec<ClientSecretOverview>, Error> {
    admin_scope.require_read_permission(READ_PERMISSION)?;
    admin_scope.record_read_by_non_member(engine, "clients").await?;
    super::find(engine, admin_scope, id).await?;
    let secrets = client_secrets::list_client_secrets(engine.store(), id, admin_scope.now()).await?;
    Ok(secrets.iter().map(ClientSecretOverview::from_stored).collect())
}

/// Adds a secret. Earlier ones stay valid for a while, so that the client can change over.
pub async fn add_secret(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
    overlap: Option<Lifetime>,
) -> Result<NewClientSecret, Error> {
    let overlap = overlap.unwrap_or(CLIENT_SECRET_OVERLAP);
    let secret = Secret::<ClientSecret>::mint(engine.entropy());
    let digest = secret.digest();
    let (client, others_expire_at) = store_secret(engine, admin_scope, id, &digest, overlap).await?;
    Ok(NewClientSecret { id: secret_name(&digest), secret, client, others_expire_at })
}

/// Adds an existing secret, if the client does not have it. Only for the command line.
pub async fn adopt_secret(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
    digest: &Digest<ClientSecret>,
    overlap: Lifetime,
) -> Result<(), Error> {
    if !admin_scope.is_command_line() {
        return Err(Refusal::because(OAuthRefusal::ClientSecretNotAllowed, "not the command line").into());
    }
    let secrets = client_secrets::list_client_secrets(engine.store(), id, admin_scope.now()).await?;
    if secrets.iter().any(|secret| secret.digest == *digest && secret.expires_at.is_none()) {
        return Ok(());
    }
    store_secret(engine, admin_scope, id, digest, overlap).await.map(drop)
}

async fn store_secret(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
    digest: &Digest<ClientSecret>,
    overlap: Lifetime,
) -> Result<(ClientRow, Timestamp), Error> {
    let overview = find_manageable(engine, admin_scope, id).await?;
    let metadata: ClientMetadata = overview.client.metadata.parse()?;
    let now = admin_scope.now();
    let live = client_secrets::list_client_secrets(engine.store(), id, now).await?;
    let refused = if overlap > CLIENT_SECRET_OVERLAP_MAX {
        Some(OAuthRefusal::ClientSecretOverlapTooLong)
    } else if !metadata.token_endpoint_auth_method.needs_secret() {
        Some(OAuthRefusal::ClientHasNoSecret)
    } else if live.len() >= CLIENT_SECRETS_MAX {
        return Err(too_many_secrets().into());
    } else {
        None
    };
    if let Some(reason) = refused {
        return Err(Refusal::because(reason, "").into());
    }
    validation::check_takeover(engine, admin_scope, overview.member.as_ref()).await?;
    let others_expire_at = now.plus(overlap);
    let batch = admin_scope
        .guarded_batch()
        .with_statement(clients::lock_client_row(id, overview.client.version))
        .with_statement(client_secrets::add_client_secret(digest, id, now, None))
        .with_statement(client_secrets::retire_other_secrets(id, digest, others_expire_at));
    let event = admin_scope
        .event(engine, EventKind::ClientSecretAdded)
        .with_subject("client_secret", secret_name(digest))
        .with_detail("client", id.as_str())
        .with_detail("others_expire_at", others_expire_at.to_string());
    match engine.store().commit(admin_scope.record(batch, &event)?).await? {
        BatchOutcome::Committed(_) => Ok((overview.client, others_expire_at)),
        BatchOutcome::Conflict(conflict) if client_secrets::is_secret_conflict(&conflict) => {
            // A concurrent request may have reached the limit.
            let live = client_secrets::list_client_secrets(engine.store(), id, now).await?;
            Err(if live.len() >= CLIENT_SECRETS_MAX { too_many_secrets() } else { client_id_taken() }.into())
        }
        // The client was changed or removed concurrently.
        BatchOutcome::Conflict(conflict) => Err(conflict_refusal(&conflict, precondition_failed).into()),
    }
}

/// Revokes a secret by its id. The permanent one cannot be revoked: a compromised client is disabled, or gets
/// another secret without overlap.
pub async fn revoke_secret(
    engine: &Engine,
    admin_scope: AdminScope<'_>,
    id: &ClientId,
    secret: &str,
) -> Result<(), Error> {
    let overview = find_manageable(engine, admin_scope, id).await?;
    let live = client_secrets::list_client_secrets(engine.store(), id, admin_scope.now()).await?;
    let Some(client_secret) = live.iter().find(|it| secret_name(&it.digest) == secret) else {
        return Err(no_such_secret().into());
    };
    let others_stay = live.iter().any(|it| it.digest != client_secret.digest && it.expires_at.is_none());
    if client_secret.expires_at.is_none() && !others_stay {
        return Err(Refusal::because(OAuthRefusal::ClientSecretInUse, "the only permanent secret").into());
    }
    let batch: WriteBatch = admin_scope
        .guarded_batch()
        .with_statement(clients::lock_client_row(id, overview.client.version))
        .with_statement(client_secrets::revoke_client_secret(&client_secret.digest, id, admin_scope.now()));
    let event = admin_scope
        .event(engine, EventKind::ClientSecretRevoked)
        .with_subject("client_secret", secret)
        .with_detail("client", id.as_str());
    let committed = engine.store().commit(admin_scope.record(batch, &event)?).await?;
    committed.into_result().map_err(|conflict| conflict_refusal(&conflict, precondition_failed))?;
    Ok(())
}

impl ClientSecretOverview {
    fn from_stored(stored: &ClientSecretRow) -> Self {
        Self { id: secret_name(&stored.digest), created_at: stored.created_at, expires_at: stored.expires_at }
    }
}

/// The first eight bytes of the digest: enough to distinguish a client's secrets, but not to find one.
fn secret_name(digest: &Digest<ClientSecret>) -> String {
    digest.as_bytes().iter().take(8).fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn too_many_secrets() -> Refusal {
    Refusal::because(OAuthRefusal::ClientSecretLimit, "the maximum number of secrets")
}

fn no_such_secret() -> Refusal {
    Refusal::because(RequestRefusal::NotFound, "no such secret")
}
