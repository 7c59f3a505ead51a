//! Client secrets of confidential clients. Several are active at once during rotation.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::{GuardConflict, GuardedStatement};
use sinete_core::client_id::ClientId;
use sinete_core::limits::CLIENT_SECRETS_MAX;
use sinete_core::secret::{ClientSecret, Digest};
use sinete_core::time::Timestamp;

/// Adds a client secret, with or without an expiry, unless the client has the maximum number of active ones.
/// For an existing client, lock the client first: concurrent additions then count each other.
pub fn add_client_secret(
    digest: &Digest<ClientSecret>,
    client: &ClientId,
    now: Timestamp,
    expires_at: Option<Timestamp>,
) -> GuardedStatement {
    let limit = i64::try_from(CLIENT_SECRETS_MAX).unwrap_or(i64::MAX);
    GuardedStatement::exactly_one(
        &ADD,
        [digest.into(), client.into(), now.into(), expires_at.into(), limit.into()],
    )
}

/// Whether the batch was rejected because the secret to add exists already or exceeds the limit.
pub fn is_secret_conflict(conflict: &GuardConflict) -> bool {
    conflict.statement() == ADD.name()
}

/// Whether this is an active secret of this client.
pub async fn is_client_secret(
    store: &Store,
    client: &ClientId,
    digest: &Digest<ClientSecret>,
    now: Timestamp,
) -> Result<bool, StoreFailure> {
    let row = store.read_first(&IS_CLIENT_SECRET, &[digest.into(), client.into(), now.into()]).await?;
    Ok(row.is_some())
}

/// Sets an expiry on every other secret of the client, so that its holder has time to switch.
pub fn retire_other_secrets(
    client: &ClientId,
    digest: &Digest<ClientSecret>,
    expires_at: Timestamp,
) -> GuardedStatement {
    GuardedStatement::any_number(&RETIRE_OTHERS, [client.into(), digest.into(), expires_at.into()])
}

/// Revokes a secret of the client, if it is active.
pub fn revoke_client_secret(
    digest: &Digest<ClientSecret>,
    client: &ClientId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&REVOKE, [digest.into(), client.into(), now.into()])
}

/// Revokes every secret of the client, which uses another authentication method from now on.
pub fn revoke_client_secrets(client: &ClientId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&REVOKE_ALL, [client.into(), now.into()])
}

/// An active client secret, without the secret itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSecretRow {
    /// Digest, by which it can be revoked and exported.
    pub digest: Digest<ClientSecret>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it expires; `None` if it does not.
    pub expires_at: Option<Timestamp>,
}

/// Lists the active secrets of a client, oldest first.
pub async fn list_client_secrets(
    store: &Store,
    client: &ClientId,
    now: Timestamp,
) -> Result<Vec<ClientSecretRow>, StoreFailure> {
    let rows = store.read_all(&LIST_BY_CLIENT, &[client.into(), now.into()]).await?;
    let read_secret = |row: &SqlRow| {
        Ok(ClientSecretRow {
            digest: row.digest("z.digest")?,
            created_at: row.timestamp("z.created_at")?,
            expires_at: row.optional_timestamp("z.expires_at")?,
        })
    };
    rows.iter().map(read_secret).collect()
}

/// Whether a secret is active at a moment.
macro_rules! secret_counts {
    ($secret:literal, $now:literal) => {
        concat!(
            $secret,
            ".revoked_at IS NULL AND (",
            $secret,
            ".expires_at IS NULL OR ",
            $secret,
            ".expires_at > ",
            $now,
            ")"
        )
    };
}
pub(crate) use secret_counts;

static LIST_BY_CLIENT: SqlStatement = SqlStatement::new(
    "client_secrets.of_client",
    concat!(
        "SELECT z.digest, z.created_at, z.expires_at FROM client_secrets z WHERE z.client_id = ?1 AND ",
        secret_counts!("z", "?2"),
        " ORDER BY z.created_at, z.digest"
    ),
);
static ADD: SqlStatement = SqlStatement::new(
    "client_secrets.add",
    concat!(
        "INSERT INTO client_secrets (digest, client_id, created_at, expires_at) \
         SELECT ?1, ?2, ?3, ?4 WHERE (SELECT COUNT(*) FROM client_secrets z WHERE z.client_id = ?2 AND ",
        secret_counts!("z", "?3"),
        ") < ?5"
    ),
);
static IS_CLIENT_SECRET: SqlStatement = SqlStatement::new(
    "client_secrets.is_secret_of",
    concat!(
        "SELECT 1 FROM client_secrets z WHERE z.digest = ?1 AND z.client_id = ?2 AND ",
        secret_counts!("z", "?3")
    ),
);
static RETIRE_OTHERS: SqlStatement = SqlStatement::new(
    "client_secrets.retire_others",
    "UPDATE client_secrets SET expires_at = ?3 WHERE client_id = ?1 AND digest <> ?2 AND revoked_at IS NULL \
     AND (expires_at IS NULL OR expires_at > ?3)",
);
static REVOKE: SqlStatement = SqlStatement::new(
    "client_secrets.revoke",
    "UPDATE client_secrets SET revoked_at = ?3 WHERE digest = ?1 AND client_id = ?2 AND revoked_at IS NULL",
);
static REVOKE_ALL: SqlStatement = SqlStatement::new(
    "client_secrets.revoke_all",
    "UPDATE client_secrets SET revoked_at = ?2 WHERE client_id = ?1 AND revoked_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&ADD, &IS_CLIENT_SECRET, &RETIRE_OTHERS, &REVOKE, &REVOKE_ALL, &LIST_BY_CLIENT];
