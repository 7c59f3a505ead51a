//! The browsers and devices that an account has signed in on.

use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::id::AccountId;
use sinete_core::limits::KNOWN_DEVICE_RETENTION;
use sinete_core::secret::{DeviceCookie, Digest};
use sinete_core::time::Timestamp;

/// Whether the account has signed in on this device, while its cookie is recognised.
pub async fn is_known_device(
    store: &Store,
    account: AccountId,
    device: &Digest<DeviceCookie>,
    now: Timestamp,
) -> Result<bool, StoreFailure> {
    let since = now.minus(KNOWN_DEVICE_RETENTION);
    Ok(store.read_first(&IS_KNOWN, &[account.into(), device.into(), since.into()]).await?.is_some())
}

/// Whether the owner of the account used a credential of their own on this device, while its cookie is
/// recognised.
pub async fn is_authenticated_device(
    store: &Store,
    account: AccountId,
    device: &Digest<DeviceCookie>,
    now: Timestamp,
) -> Result<bool, StoreFailure> {
    let since = now.minus(KNOWN_DEVICE_RETENTION);
    Ok(store.read_first(&IS_PROVEN, &[account.into(), device.into(), since.into()]).await?.is_some())
}

/// Whether the account has signed in on any device before.
pub async fn has_known_device(store: &Store, account: AccountId) -> Result<bool, StoreFailure> {
    Ok(store.read_first(&HAS_ANY, &[account.into()]).await?.is_some())
}

/// A known device, as its owner sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownDeviceRow {
    /// The description shown to the user.
    pub description: JsonDocument,
    /// When the account first signed in on it.
    pub first_seen_at: Timestamp,
    /// When the account last signed in on it.
    pub last_seen_at: Timestamp,
}

/// Lists the account's devices, oldest first.
pub async fn list_account_devices(
    store: &Store,
    account: AccountId,
) -> Result<Vec<KnownDeviceRow>, StoreFailure> {
    let device = |row: &SqlRow| {
        Ok(KnownDeviceRow {
            description: JsonDocument::from_row(row, "description")?,
            first_seen_at: row.timestamp("first_seen_at")?,
            last_seen_at: row.timestamp("last_seen_at")?,
        })
    };
    store.read_all(&LIST_BY_ACCOUNT, &[account.into()]).await?.iter().map(device).collect()
}

/// Records a sign-in on this device with the owner's own credential.
pub fn record_device(
    account: AccountId,
    device: &Digest<DeviceCookie>,
    description: &JsonDocument,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &RECORD,
        [account.into(), device.into(), description.into(), now.into(), 1_i64.into()],
    )
}

/// Records a sign-in on this device through an identity provider only. An earlier sign-in with the owner's
/// own credential still counts.
pub fn record_provider_device(
    account: AccountId,
    device: &Digest<DeviceCookie>,
    description: &JsonDocument,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &RECORD,
        [account.into(), device.into(), description.into(), now.into(), 0_i64.into()],
    )
}

/// Deletes every device of the account.
pub fn delete_account_devices(account: AccountId) -> GuardedStatement {
    GuardedStatement::any_number(&DELETE_BY_ACCOUNT, [account.into()])
}

static IS_KNOWN: SqlStatement = SqlStatement::new(
    "devices.is_known",
    "SELECT 1 FROM devices WHERE account_id = ?1 AND digest = ?2 AND last_seen_at >= ?3",
);
static IS_PROVEN: SqlStatement = SqlStatement::new(
    "devices.is_proven",
    "SELECT 1 FROM devices WHERE account_id = ?1 AND digest = ?2 AND is_proven = 1 AND last_seen_at >= ?3",
);
static HAS_ANY: SqlStatement =
    SqlStatement::new("devices.has_any", "SELECT 1 FROM devices WHERE account_id = ?1 LIMIT 1");
static RECORD: SqlStatement = SqlStatement::new(
    "devices.seen",
    "INSERT INTO devices (account_id, digest, description, first_seen_at, last_seen_at, is_proven) \
     VALUES (?1, ?2, ?3, ?4, ?4, ?5) \
     ON CONFLICT (account_id, digest) DO UPDATE SET description = excluded.description, \
     last_seen_at = excluded.last_seen_at, \
     is_proven = CASE WHEN excluded.is_proven = 1 THEN 1 ELSE devices.is_proven END",
);

static LIST_BY_ACCOUNT: SqlStatement = SqlStatement::new(
    "devices.of_account",
    "SELECT description, first_seen_at, last_seen_at FROM devices WHERE account_id = ?1 ORDER BY first_seen_at, digest",
);
static DELETE_BY_ACCOUNT: SqlStatement =
    SqlStatement::new("devices.forget_all", "DELETE FROM devices WHERE account_id = ?1");

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&IS_KNOWN, &IS_PROVEN, &HAS_ANY, &RECORD, &LIST_BY_ACCOUNT, &DELETE_BY_ACCOUNT];
