//! Recovery codes, for users who have lost every other credential. Each works once.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::CredentialId;
use sinete_core::secret::Digest;
use sinete_core::time::Timestamp;

/// The stored form of a recovery code: its SHA-256, which suffices because a code has more than 128 bits.
#[derive(Debug)]
pub enum RecoveryCode {}

/// Adds a code to its set.
pub fn add_recovery_code(digest: &Digest<RecoveryCode>, set: CredentialId) -> GuardedStatement {
    GuardedStatement::exactly_one(&ADD, [digest.into(), set.into()])
}

/// Counts the unused codes of the set.
pub async fn count_unused_codes(store: &Store, set: CredentialId) -> Result<i64, StoreFailure> {
    store.read_first(&COUNT_UNREDEEMED, &[set.into()]).await?.map_or(Ok(0), |row| row.integer("total"))
}

/// Whether the code is an unused one of the set.
pub async fn is_code_unused(
    store: &Store,
    digest: &Digest<RecoveryCode>,
    set: CredentialId,
) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&IS_UNREDEEMED, &[digest.into(), set.into()]).await?.is_some())
}

/// Uses a code of the set, if it is unused and the set is active.
pub fn redeem_recovery_code(
    digest: &Digest<RecoveryCode>,
    set: CredentialId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&REDEEM, [digest.into(), set.into(), now.into()])
}

static ADD: SqlStatement = SqlStatement::new(
    "recovery_codes.add",
    "INSERT INTO recovery_codes (digest, credential_id) VALUES (?1, ?2)",
);
static COUNT_UNREDEEMED: SqlStatement = SqlStatement::new(
    "recovery_codes.left",
    "SELECT COUNT(*) AS total FROM recovery_codes WHERE credential_id = ?1 AND spent_at IS NULL",
);
static REDEEM: SqlStatement = SqlStatement::single_use(
    "recovery_codes.spend",
    "UPDATE recovery_codes SET spent_at = ?3 WHERE digest = ?1 AND credential_id = ?2 AND spent_at IS NULL \
     AND EXISTS (SELECT 1 FROM credentials c WHERE c.id = ?2 AND c.kind = 'recovery_codes' \
     AND c.disabled_at IS NULL AND c.removed_at IS NULL)",
);

static IS_UNREDEEMED: SqlStatement = SqlStatement::new(
    "recovery_codes.is_unspent",
    "SELECT 1 FROM recovery_codes WHERE digest = ?1 AND credential_id = ?2 AND spent_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&ADD, &COUNT_UNREDEEMED, &IS_UNREDEEMED, &REDEEM];
