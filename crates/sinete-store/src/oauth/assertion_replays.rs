//! Replay protection for single-use client JWTs, such as client assertions and DPoP proofs: each `jti` is
//! accepted once, on any node.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::{GuardConflict, GuardedStatement};
use sinete_core::client_id::ClientId;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;

/// The stored form of the `jti` of an assertion or proof: its SHA-256, together with whatever scopes it.
#[derive(Debug)]
pub enum AssertionJti {}

/// Records the assertion until it would be rejected as too old. Fails if it was recorded before.
pub fn record_assertion(
    client: &ClientId,
    assertion: &Digest<AssertionJti>,
    expires_at: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&RECORD_ONCE, [client.into(), assertion.into(), expires_at.into()])
}

/// Whether the batch was rejected because [`record_assertion`] found the `jti` already recorded.
pub fn is_replay(conflict: &GuardConflict) -> bool {
    conflict.statement() == RECORD_ONCE.name()
}

/// Whether the assertion was recorded before.
pub async fn is_recorded(
    store: &Store,
    client: &ClientId,
    assertion: &Digest<AssertionJti>,
) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&IS_RECORDED, &[client.into(), assertion.into()]).await?.is_some())
}

/// Whether any record is older than the moment at which its assertion would be rejected for its age.
pub async fn has_expired_replays(store: &Store, before: Timestamp) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&HAS_EXPIRED, &[before.into()]).await?.is_some())
}

static RECORD_ONCE: SqlStatement = SqlStatement::single_use(
    "assertion_replays.first_seen",
    "INSERT INTO assertion_replays (client_id, assertion, expires_at) VALUES (?1, ?2, ?3) \
     ON CONFLICT (client_id, assertion) DO NOTHING",
);

static IS_RECORDED: SqlStatement = SqlStatement::new(
    "assertion_replays.was_seen",
    "SELECT 1 FROM assertion_replays WHERE client_id = ?1 AND assertion = ?2",
);

static HAS_EXPIRED: SqlStatement = SqlStatement::new(
    "assertion_replays.is_any_forgotten",
    "SELECT 1 FROM assertion_replays WHERE expires_at < ?1 ORDER BY expires_at LIMIT 1",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&RECORD_ONCE, &IS_RECORDED, &HAS_EXPIRED];
