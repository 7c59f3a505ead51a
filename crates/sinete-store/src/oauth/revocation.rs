//! Individually revoked access tokens, stored until they would have expired.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::time::Timestamp;

/// Revokes one access token. Idempotent.
pub fn revoke_access_token(jti: &str, expires_at: Timestamp, now: Timestamp) -> GuardedStatement {
    GuardedStatement::any_number(&REVOKE, [jti.into(), now.into(), expires_at.into()])
}

/// Whether the access token was revoked.
pub async fn is_token_revoked(store: &Store, jti: &str) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&IS_REVOKED, &[jti.into()]).await?.is_some())
}

static REVOKE: SqlStatement = SqlStatement::new(
    "revoked_jtis.revoke",
    "INSERT INTO revoked_jtis (jti, revoked_at, expires_at) VALUES (?1, ?2, ?3) ON CONFLICT (jti) DO NOTHING",
);
static IS_REVOKED: SqlStatement =
    SqlStatement::new("revoked_jtis.is_revoked", "SELECT 1 FROM revoked_jtis WHERE jti = ?1");

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&REVOKE, &IS_REVOKED];
