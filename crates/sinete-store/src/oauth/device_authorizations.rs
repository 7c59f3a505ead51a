//! Device authorization requests (RFC 8628): answered once by a user, redeemed once.

use crate::active_conditions::grant_is_alive;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::oauth::deferred_grants;
use crate::oauth::deferred_grants::DeferredGrantState;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::id::GrantId;
use sinete_core::oauth::user_code::UserCode;
use sinete_core::secret::{DeviceCode, Digest};
use sinete_core::time::{Lifetime, Timestamp};

/// A device authorization request to store.
#[derive(Debug)]
pub struct NewDeviceAuthorization<'a> {
    /// Digest of the device code.
    pub digest: &'a Digest<DeviceCode>,
    /// Digest of the user code, keyed with the instance's key.
    pub user_code: &'a Digest<UserCode>,
    /// The client on the device.
    pub client: &'a ClientId,
    /// The authorization request.
    pub request: &'a JsonDocument,
    /// The polling interval.
    pub poll_interval: Lifetime,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it can no longer be answered or redeemed.
    pub expires_at: Timestamp,
}

/// A device authorization request as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceAuthorizationRow {
    /// Digest of the device code.
    pub digest: Digest<DeviceCode>,
    /// The client on the device.
    pub client: ClientId,
    /// The authorization request.
    pub request: JsonDocument,
    /// The polling interval, in microseconds.
    pub poll_interval: i64,
    /// When the device last polled.
    pub polled_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it can no longer be answered or redeemed.
    pub expires_at: Timestamp,
    /// Whether it was answered and redeemed.
    pub state: DeferredGrantState,
}

/// Stores a request, unless the user code is in use.
pub fn create_device_authorization(request: &NewDeviceAuthorization<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &START,
        [
            request.digest.into(),
            request.user_code.into(),
            request.client.into(),
            request.request.into(),
            request.poll_interval.micros().into(),
            request.created_at.into(),
            request.expires_at.into(),
        ],
    )
}

/// Finds the request that a device polls for, in any state.
pub async fn find_device_authorization(
    store: &Store,
    digest: &Digest<DeviceCode>,
) -> Result<Option<DeviceAuthorizationRow>, StoreFailure> {
    store.read_first(&FIND, &[digest.into()]).await?.as_ref().map(read).transpose()
}

/// Finds the request with this user code, in any state.
pub async fn find_by_user_code_digest(
    store: &Store,
    user_code: &Digest<UserCode>,
) -> Result<Option<DeviceAuthorizationRow>, StoreFailure> {
    store.read_first(&FIND_BY_USER_CODE, &[user_code.into()]).await?.as_ref().map(read).transpose()
}

/// Records a poll and sets the next interval, if the device has not polled since the request was read.
pub fn record_device_poll(
    request: &DeviceAuthorizationRow,
    interval: Lifetime,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &POLLED,
        [request.digest.into(), request.polled_at.into(), now.into(), interval.micros().into()],
    )
}

/// Approves the request with this grant, if it is unanswered and unexpired. The request parameters and the
/// requesting address are deleted, as they are no longer needed.
pub fn approve_device_authorization(
    digest: &Digest<DeviceCode>,
    grant: GrantId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&APPROVE, [digest.into(), grant.into(), now.into()])
}

/// Denies the request, if it is unanswered and unexpired.
pub fn deny_device_authorization(digest: &Digest<DeviceCode>, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&DENY, [digest.into(), now.into()])
}

/// Redeems the request for its client, if it is approved, unexpired and unredeemed, and its grant and
/// everything that depends on is active.
pub fn spend_device_authorization(
    digest: &Digest<DeviceCode>,
    client: &ClientId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&SPEND, [digest.into(), client.into(), now.into()])
}

fn read(row: &SqlRow) -> Result<DeviceAuthorizationRow, StoreFailure> {
    Ok(DeviceAuthorizationRow {
        digest: row.digest("digest")?,
        client: row.client_id("client_id")?,
        request: JsonDocument::from_row(row, "request")?,
        poll_interval: row.integer("poll_interval")?,
        polled_at: row.optional_timestamp("polled_at")?,
        created_at: row.timestamp("created_at")?,
        expires_at: row.timestamp("expires_at")?,
        state: deferred_grants::read_deferred_state(row)?,
    })
}

/// The columns that [`read`] expects.
macro_rules! columns {
    () => {
        "SELECT digest, client_id, request, poll_interval, polled_at, created_at, expires_at, grant_id, \
         approved_at, denied_at, spent_at FROM device_requests WHERE "
    };
}

static START: SqlStatement = SqlStatement::new(
    "device_requests.start",
    "INSERT INTO device_requests (digest, user_code_digest, client_id, request, poll_interval, created_at, \
     expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
);
static FIND: SqlStatement = SqlStatement::new("device_requests.find", concat!(columns!(), "digest = ?1"));
static FIND_BY_USER_CODE: SqlStatement =
    SqlStatement::new("device_requests.find_by_user_code", concat!(columns!(), "user_code_digest = ?1"));
static POLLED: SqlStatement = SqlStatement::new(
    "device_requests.polled",
    "UPDATE device_requests SET polled_at = ?3, poll_interval = ?4 \
     WHERE digest = ?1 AND polled_at IS NOT DISTINCT FROM ?2",
);
static APPROVE: SqlStatement = SqlStatement::single_use(
    "device_requests.approve",
    "UPDATE device_requests SET approved_at = ?3, grant_id = ?2, request = '{}' \
     WHERE digest = ?1 AND approved_at IS NULL AND denied_at IS NULL AND expires_at > ?3 \
     AND EXISTS (SELECT 1 FROM grants g WHERE g.id = ?2 AND g.client_id = device_requests.client_id)",
);
static DENY: SqlStatement = SqlStatement::single_use(
    "device_requests.deny",
    "UPDATE device_requests SET denied_at = ?2, request = '{}' \
     WHERE digest = ?1 AND approved_at IS NULL AND denied_at IS NULL AND expires_at > ?2",
);
static SPEND: SqlStatement = SqlStatement::single_use(
    "device_requests.spend",
    concat!(
        "UPDATE device_requests SET spent_at = ?3 \
         WHERE digest = ?1 AND client_id = ?2 AND approved_at IS NOT NULL AND spent_at IS NULL \
         AND expires_at > ?3 AND ",
        grant_is_alive!("device_requests.grant_id", "?3")
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&START, &FIND, &FIND_BY_USER_CODE, &POLLED, &APPROVE, &DENY, &SPEND];
