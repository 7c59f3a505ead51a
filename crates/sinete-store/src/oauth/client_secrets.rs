//! The secrets of confidential clients. Several count at once while one replaces another.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::{GuardConflict, GuardedStatement};
use sinete_core::client_id::ClientId;
use sinete_core::limits::CLIENT_SECRETS_MAX;
use sinete_core::secret::{ClientSecret, Digest};
use sinete_core::time::Timestamp;

/// Gives the client one more secret, for good or until a time, unless it has as many that count as it may. Whoever gives one to
/// a client that is there holds the client first: of those who do so at the same moment each then counts the others'.
pub fn add_client_secret(
    digest: &Digest<ClientSecret>,
    client: &ClientId,
    now: Timestamp,
    expires_at: Option<Timestamp>,
) -> GuardedStatement {
    let most = i64::try_from(CLIENT_SECRETS_MAX).unwrap_or(i64::MAX);
    GuardedStatement::exactly_one(
        &ADD,
        [digest.into(), client.into(), now.into(), expires_at.into(), most.into()],
    )
}

/// Whether an act came to nothing because the secret it was to [`add`] is somebody's already, or one too many.
pub fn is_secret_conflict(conflict: &GuardConflict) -> bool {
    conflict.statement() == ADD.name()
}

/// Whether this is a secret of this client that counts now.
pub async fn is_client_secret(
    store: &Store,
    client: &ClientId,
    digest: &Digest<ClientSecret>,
    now: Timestamp,
) -> Result<bool, StoreFailure> {
    let row = store.read_first(&IS_SECRET_OF, &[digest.into(), client.into(), now.into()]).await?;
    Ok(row.is_some())
}

/// Lets every other secret of the client count until a time and no longer, so that its holder can change over.
pub fn retire_other_secrets(
    client: &ClientId,
    kept: &Digest<ClientSecret>,
    expires_at: Timestamp,
) -> GuardedStatement {
    GuardedStatement::any_number(&RETIRE_OTHERS, [client.into(), kept.into(), expires_at.into()])
}

/// Ends a secret of the client at once, if it has not ended.
pub fn revoke_client_secret(
    digest: &Digest<ClientSecret>,
    client: &ClientId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&REVOKE, [digest.into(), client.into(), now.into()])
}

/// Ends every secret of the client at once: it proves itself otherwise from now on.
pub fn revoke_client_secrets(client: &ClientId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&REVOKE_ALL, [client.into(), now.into()])
}

/// What is shown of a secret that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientSecretRow {
    /// Its digest, by which it can be revoked and exported.
    pub digest: Digest<ClientSecret>,
    /// When it was given.
    pub created_at: Timestamp,
    /// When it stops counting, if it does.
    pub expires_at: Option<Timestamp>,
}

/// The secrets of a client that count now, oldest first.
pub async fn list_client_secrets(
    store: &Store,
    client: &ClientId,
    now: Timestamp,
) -> Result<Vec<ClientSecretRow>, StoreFailure> {
    let rows = store.read_all(&OF_CLIENT, &[client.into(), now.into()]).await?;
    let shown = |row: &SqlRow| {
        Ok(ClientSecretRow {
            digest: row.digest(0)?,
            created_at: row.timestamp(1)?,
            expires_at: row.optional_timestamp(2)?,
        })
    };
    rows.iter().map(shown).collect()
}

/// Whether a secret counts at a moment.
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

static OF_CLIENT: SqlStatement = SqlStatement::new(
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
static IS_SECRET_OF: SqlStatement = SqlStatement::new(
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
    &[&ADD, &IS_SECRET_OF, &RETIRE_OTHERS, &REVOKE, &REVOKE_ALL, &OF_CLIENT];
