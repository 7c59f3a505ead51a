//! What clients sign and may use once, such as client assertions, and was seen. Each counts once, on whichever node it
//! arrives.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::{GuardConflict, GuardedStatement};
use sinete_core::client_id::ClientId;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;

/// What the `jti` of an assertion or a proof is remembered by: its SHA-256, with whatever else tells it apart.
#[derive(Debug)]
pub enum AssertionJti {}

/// Remembers the assertion until it would be refused for its age, if it was not seen before.
pub fn record_assertion(
    client: &ClientId,
    assertion: &Digest<AssertionJti>,
    expires_at: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&FIRST_SEEN, [client.into(), assertion.into(), expires_at.into()])
}

/// Whether an act came to nothing because what was to be [`first_seen`] had been seen.
pub fn is_replay(conflict: &GuardConflict) -> bool {
    conflict.statement() == FIRST_SEEN.name()
}

/// Whether the assertion was seen before.
pub async fn is_recorded(
    store: &Store,
    client: &ClientId,
    assertion: &Digest<AssertionJti>,
) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&WAS_SEEN, &[client.into(), assertion.into()]).await?.is_some())
}

/// Whether something is remembered that would have been refused for its age before this moment.
pub async fn has_expired_replays(store: &Store, before: Timestamp) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&IS_ANY_FORGOTTEN, &[before.into()]).await?.is_some())
}

static FIRST_SEEN: SqlStatement = SqlStatement::single_use(
    "assertion_replays.first_seen",
    "INSERT INTO assertion_replays (client_id, assertion, expires_at) VALUES (?1, ?2, ?3) \
     ON CONFLICT (client_id, assertion) DO NOTHING",
);

static WAS_SEEN: SqlStatement = SqlStatement::new(
    "assertion_replays.was_seen",
    "SELECT 1 FROM assertion_replays WHERE client_id = ?1 AND assertion = ?2",
);

static IS_ANY_FORGOTTEN: SqlStatement = SqlStatement::new(
    "assertion_replays.is_any_forgotten",
    "SELECT 1 FROM assertion_replays WHERE expires_at < ?1 ORDER BY expires_at LIMIT 1",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&FIRST_SEEN, &WAS_SEEN, &IS_ANY_FORGOTTEN];
