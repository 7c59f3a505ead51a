//! Device authorization requests (RFC 8628): how they are stored and found by their user code. The rest of
//! their life is that of every [deferred grant](super::deferred_grants).

use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::oauth::deferred_grants::{DeferredGrantRow, deferred_grant_columns, read_deferred_grant};
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::oauth::grants::deferred::DeferredGrantKind;
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

/// Finds the request with this user code, in any state.
pub async fn find_by_user_code_digest(
    store: &Store,
    user_code: &Digest<UserCode>,
) -> Result<Option<DeferredGrantRow>, StoreFailure> {
    let row = store.read_first(&FIND_BY_USER_CODE, &[user_code.into()]).await?;
    row.as_ref().map(|row| read_deferred_grant(row, DeferredGrantKind::DeviceAuthorization)).transpose()
}

static START: SqlStatement = SqlStatement::new(
    "device_requests.start",
    "INSERT INTO device_requests (digest, user_code_digest, client_id, request, poll_interval, created_at, \
     expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
);
static FIND_BY_USER_CODE: SqlStatement = SqlStatement::new(
    "device_requests.find_by_user_code",
    concat!("SELECT ", deferred_grant_columns!(), " FROM device_requests WHERE user_code_digest = ?1"),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&START, &FIND_BY_USER_CODE];
