//! The single row of the instance.

use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::InstanceId;
use sinete_core::time::Timestamp;

/// The instance as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceRow {
    /// Its id, which never changes.
    pub id: InstanceId,
    /// When the database was initialized.
    pub created_at: Timestamp,
    /// A known value encrypted with the instance key, to detect a wrong key.
    pub key_check: Vec<u8>,
    /// The relying party id of passkeys, once it is fixed.
    pub passkey_domain: Option<String>,
    /// Row version.
    pub version: i64,
}

/// Finds the instance; `None` if the database was not initialized.
pub async fn find_instance(store: &Store) -> Result<Option<InstanceRow>, StoreFailure> {
    let Some(row) = store.read_first(&FIND, &[]).await? else { return Ok(None) };
    Ok(Some(InstanceRow {
        id: row.id("instance_id")?,
        created_at: row.timestamp("created_at")?,
        key_check: row.blob("key_check")?.to_vec(),
        passkey_domain: row.optional_text("passkey_domain")?.map(str::to_owned),
        version: row.integer("version")?,
    }))
}

/// Initializes the database. Fails with a conflict if that was done already.
pub fn create_instance(id: InstanceId, created_at: Timestamp, key_check: &[u8]) -> GuardedStatement {
    GuardedStatement::exactly_one(&CREATE, [id.into(), created_at.into(), key_check.into()])
}

/// Replaces the key check value, if the instance has not changed since it was read.
pub fn replace_key_check(instance: &InstanceRow, key_check: &[u8]) -> GuardedStatement {
    GuardedStatement::exactly_one(&REPLACE_KEY_CHECK, [instance.version.into(), key_check.into()])
}

/// Fixes the relying party id of passkeys, unless another one is fixed already.
pub fn fix_passkey_domain(domain: &str) -> GuardedStatement {
    GuardedStatement::exactly_one(&FIX_PASSKEY_DOMAIN, [domain.into()])
}

/// Locks the instance row until the transaction ends, so that transactions whose guards span organizations
/// run one after another. Each guard that follows sees what the previous transaction committed; unrelated
/// transactions wait without a conflict.
pub fn lock_instance_row() -> GuardedStatement {
    GuardedStatement::exactly_one(&LOCK, [])
}

static LOCK: SqlStatement =
    SqlStatement::new("instance.lock", "UPDATE instance SET version = version WHERE id = 1");
static FIND: SqlStatement = SqlStatement::new(
    "instance.find",
    "SELECT instance_id, created_at, key_check, passkey_domain, version FROM instance WHERE id = 1",
);
static CREATE: SqlStatement = SqlStatement::new(
    "instance.create",
    "INSERT INTO instance (id, instance_id, created_at, key_check) VALUES (1, ?1, ?2, ?3)",
);
static REPLACE_KEY_CHECK: SqlStatement = SqlStatement::new(
    "instance.replace_key_check",
    "UPDATE instance SET key_check = ?2, version = version + 1 WHERE id = 1 AND version = ?1",
);

static FIX_PASSKEY_DOMAIN: SqlStatement = SqlStatement::new(
    "instance.fix_passkey_domain",
    "UPDATE instance SET passkey_domain = ?1 WHERE id = 1 AND (passkey_domain IS NULL OR NOT EXISTS \
     (SELECT 1 FROM credentials WHERE kind = 'passkey' AND removed_at IS NULL))",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&FIND, &CREATE, &REPLACE_KEY_CHECK, &FIX_PASSKEY_DOMAIN, &LOCK];
