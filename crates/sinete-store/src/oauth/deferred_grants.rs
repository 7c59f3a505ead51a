//! Deferred grants: requests that a user decides elsewhere, decided once, polled by their client and redeemed
//! once. Device authorizations and CIBA requests are stored in tables of their own with the same columns.

use crate::active_conditions::grant_is_alive;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, GrantId};
use sinete_core::oauth::grants::deferred::{DeferredGrantDigest, DeferredGrantKind};
use sinete_core::time::{Lifetime, Timestamp};

/// A deferred grant as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeferredGrantRow {
    /// Digest of the code that the client polls with.
    pub digest: DeferredGrantDigest,
    /// The requesting client.
    pub client: ClientId,
    /// Who may decide it.
    pub user: DeferredGrantUser,
    /// The authorization request.
    pub request: JsonDocument,
    /// The polling interval, in microseconds.
    pub poll_interval: i64,
    /// When the client last polled.
    pub polled_at: Option<Timestamp>,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it can no longer be answered or redeemed.
    pub expires_at: Timestamp,
    /// Whether it was answered and redeemed.
    pub state: DeferredGrantState,
}

/// Who may decide a deferred grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeferredGrantUser {
    /// Any user who knows the user code.
    Anyone,
    /// The user that the client named.
    Account(AccountId),
    /// The client named a user who does not exist.
    Unknown,
}

impl DeferredGrantUser {
    /// Whether this account may decide.
    pub fn matches_account(self, account: Option<AccountId>) -> bool {
        match self {
            Self::Anyone => true,
            Self::Account(expected_account) => account == Some(expected_account),
            Self::Unknown => false,
        }
    }
}

impl DeferredGrantRow {
    /// Whether it waits for a decision that a user can make.
    pub fn is_pending(&self, now: Timestamp) -> bool {
        self.state == DeferredGrantState::Pending
            && self.expires_at > now
            && self.user != DeferredGrantUser::Unknown
    }

    /// The account that must decide it, if the client named one.
    pub const fn named_account(&self) -> Option<AccountId> {
        match self.user {
            DeferredGrantUser::Account(account) => Some(account),
            DeferredGrantUser::Anyone | DeferredGrantUser::Unknown => None,
        }
    }
}

/// The state of a device authorization or CIBA request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeferredGrantState {
    /// Not answered yet.
    Pending,
    /// Approved, with this grant.
    Approved(GrantId),
    /// Denied.
    Denied,
    /// The grant was redeemed.
    Redeemed(GrantId),
}

/// Reads the state from four columns: the grant, and when it was approved, denied and redeemed.
fn read_deferred_state(row: &SqlRow) -> Result<DeferredGrantState, StoreFailure> {
    let grant = row.optional_id("grant_id")?;
    let [approved, denied, spent] =
        ["approved_at", "denied_at", "spent_at"].map(|name| row.optional_timestamp(name));
    match (grant, approved?.is_some(), denied?.is_some(), spent?.is_some()) {
        (None, false, false, false) => Ok(DeferredGrantState::Pending),
        (Some(grant), true, false, false) => Ok(DeferredGrantState::Approved(grant)),
        (None, false, true, false) => Ok(DeferredGrantState::Denied),
        (Some(grant), true, false, true) => Ok(DeferredGrantState::Redeemed(grant)),
        _ => Err(row.damaged_column("grant_id", "the state of a request")),
    }
}

/// Finds the request that a client polls for, in any state.
pub async fn find_deferred_grant(
    store: &Store,
    digest: impl Into<DeferredGrantDigest>,
) -> Result<Option<DeferredGrantRow>, StoreFailure> {
    let digest = digest.into();
    let row = match &digest {
        DeferredGrantDigest::DeviceCode(code) => store.read_first(&DEVICE.find, &[code.into()]).await?,
        DeferredGrantDigest::AuthReqId(id) => store.read_first(&CIBA.find, &[id.into()]).await?,
    };
    row.as_ref().map(|row| read_deferred_grant(row, digest.kind())).transpose()
}

/// Records a poll and sets the next interval, if the client has not polled since the request was read.
pub fn record_poll(request: &DeferredGrantRow, interval: Lifetime, now: Timestamp) -> GuardedStatement {
    let (before, interval) = (request.polled_at.into(), interval.micros().into());
    match &request.digest {
        DeferredGrantDigest::DeviceCode(code) => {
            GuardedStatement::exactly_one(&DEVICE.record_poll, [code.into(), before, now.into(), interval])
        }
        DeferredGrantDigest::AuthReqId(id) => {
            GuardedStatement::exactly_one(&CIBA.record_poll, [id.into(), before, now.into(), interval])
        }
    }
}

/// Approves the request with this grant, if it is unanswered and unexpired, and the grant is of its client and
/// of the user who may decide. The request parameters and the requesting address are deleted, as they are no
/// longer needed.
pub fn approve_deferred_grant(
    digest: impl Into<DeferredGrantDigest>,
    grant: GrantId,
    now: Timestamp,
) -> GuardedStatement {
    match digest.into() {
        DeferredGrantDigest::DeviceCode(code) => {
            GuardedStatement::exactly_one(&DEVICE.approve, [code.into(), now.into(), grant.into()])
        }
        DeferredGrantDigest::AuthReqId(id) => {
            GuardedStatement::exactly_one(&CIBA.approve, [id.into(), now.into(), grant.into()])
        }
    }
}

/// Denies the request, if it is unanswered and unexpired, and this account may decide it.
pub fn deny_deferred_grant(
    digest: impl Into<DeferredGrantDigest>,
    account: Option<AccountId>,
    now: Timestamp,
) -> GuardedStatement {
    match digest.into() {
        DeferredGrantDigest::DeviceCode(code) => {
            GuardedStatement::exactly_one(&DEVICE.deny, [code.into(), now.into()])
        }
        DeferredGrantDigest::AuthReqId(id) => {
            GuardedStatement::exactly_one(&CIBA.deny, [id.into(), now.into(), account.into()])
        }
    }
}

/// Redeems the request for its client, if it is approved, unexpired and unredeemed, and its grant and
/// everything that depends on is active.
pub fn redeem_deferred_grant(
    digest: impl Into<DeferredGrantDigest>,
    client: &ClientId,
    now: Timestamp,
) -> GuardedStatement {
    match digest.into() {
        DeferredGrantDigest::DeviceCode(code) => {
            GuardedStatement::exactly_one(&DEVICE.redeem, [code.into(), client.into(), now.into()])
        }
        DeferredGrantDigest::AuthReqId(id) => {
            GuardedStatement::exactly_one(&CIBA.redeem, [id.into(), client.into(), now.into()])
        }
    }
}

/// Reads a row with [`deferred_grant_columns`], and `account_id` for CIBA.
pub(super) fn read_deferred_grant(
    row: &SqlRow,
    kind: DeferredGrantKind,
) -> Result<DeferredGrantRow, StoreFailure> {
    let (digest, user) = match kind {
        DeferredGrantKind::DeviceAuthorization => {
            (DeferredGrantDigest::DeviceCode(row.digest("digest")?), DeferredGrantUser::Anyone)
        }
        DeferredGrantKind::Ciba => {
            let account = row.optional_id("account_id")?;
            let user = account.map_or(DeferredGrantUser::Unknown, DeferredGrantUser::Account);
            (DeferredGrantDigest::AuthReqId(row.digest("digest")?), user)
        }
    };
    Ok(DeferredGrantRow {
        digest,
        client: row.client_id("client_id")?,
        user,
        request: JsonDocument::from_row(row, "request")?,
        poll_interval: row.integer("poll_interval")?,
        polled_at: row.optional_timestamp("polled_at")?,
        created_at: row.timestamp("created_at")?,
        expires_at: row.timestamp("expires_at")?,
        state: read_deferred_state(row)?,
    })
}

/// The columns that [`read_deferred_grant`] expects of both tables.
macro_rules! deferred_grant_columns {
    () => {
        "digest, client_id, request, poll_interval, polled_at, created_at, expires_at, grant_id, approved_at, \
         denied_at, spent_at"
    };
}
pub(super) use deferred_grant_columns;

/// The statements of one kind.
struct DeferredGrantStatements {
    find: SqlStatement,
    record_poll: SqlStatement,
    approve: SqlStatement,
    deny: SqlStatement,
    redeem: SqlStatement,
}

/// The statements for a table, and what it adds to them: columns to read, changes when the request is decided
/// (`?2` is the time), approved (`?3` is the grant) and redeemed, and conditions of its approval and denial.
macro_rules! deferred_grant_statements {
    (
        $table:literal,
        grant: $grant:literal,
        columns: $columns:literal,
        decided: $decided:literal,
        approved: $approved:literal,
        redeemed: $redeemed:literal,
        if_approved: $if_approved:literal,
        if_denied: $if_denied:literal
    ) => {
        DeferredGrantStatements {
            find: SqlStatement::new(
                concat!($table, ".find"),
                concat!(
                    "SELECT ",
                    deferred_grant_columns!(),
                    $columns,
                    " FROM ",
                    $table,
                    " WHERE digest = ?1"
                ),
            ),
            record_poll: SqlStatement::new(
                concat!($table, ".polled"),
                concat!(
                    "UPDATE ",
                    $table,
                    " SET polled_at = ?3, poll_interval = ?4 \
                     WHERE digest = ?1 AND polled_at IS NOT DISTINCT FROM ?2"
                ),
            ),
            approve: SqlStatement::single_use(
                concat!($table, ".approve"),
                concat!(
                    "UPDATE ",
                    $table,
                    " SET approved_at = ?2, grant_id = ?3, request = '{}'",
                    $decided,
                    $approved,
                    " WHERE digest = ?1 AND approved_at IS NULL AND denied_at IS NULL AND expires_at > ?2 \
                     AND EXISTS (SELECT 1 FROM grants g WHERE g.id = ?3 AND g.client_id = ",
                    $table,
                    ".client_id",
                    $if_approved,
                    ")"
                ),
            ),
            deny: SqlStatement::single_use(
                concat!($table, ".deny"),
                concat!(
                    "UPDATE ",
                    $table,
                    " SET denied_at = ?2, request = '{}'",
                    $decided,
                    " WHERE digest = ?1 AND approved_at IS NULL AND denied_at IS NULL AND expires_at > ?2",
                    $if_denied
                ),
            ),
            redeem: SqlStatement::single_use(
                concat!($table, ".spend"),
                concat!(
                    "UPDATE ",
                    $table,
                    " SET spent_at = ?3",
                    $redeemed,
                    " WHERE digest = ?1 AND client_id = ?2 AND approved_at IS NOT NULL AND spent_at IS NULL \
                     AND expires_at > ?3 AND ",
                    grant_is_alive!($grant, "?3")
                ),
            ),
        }
    };
}

static DEVICE: DeferredGrantStatements = deferred_grant_statements!(
    "device_requests",
    grant: "device_requests.grant_id",
    columns: "",
    decided: "",
    approved: "",
    redeemed: "",
    if_approved: "",
    if_denied: ""
);
static CIBA: DeferredGrantStatements = deferred_grant_statements!(
    "approval_requests",
    grant: "approval_requests.grant_id",
    columns: ", account_id",
    decided: ", notice_due_at = CASE WHEN sealed_notice IS NULL THEN NULL ELSE ?2 END",
    approved: ", organization_id = (SELECT g.organization_id FROM grants g WHERE g.id = ?3)",
    redeemed: ", notice_due_at = NULL, sealed_notice = NULL",
    if_approved: " AND g.account_id = approval_requests.account_id",
    if_denied: " AND account_id = ?3"
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &DEVICE.find,
    &DEVICE.record_poll,
    &DEVICE.approve,
    &DEVICE.deny,
    &DEVICE.redeem,
    &CIBA.find,
    &CIBA.record_poll,
    &CIBA.approve,
    &CIBA.deny,
    &CIBA.redeem,
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::statement::SqlStatement;
    use crate::value::SqlValue;

    static STATES: SqlStatement =
        SqlStatement::new("states.find", "SELECT grant_id, approved_at, denied_at, spent_at FROM states");

    #[test]
    fn deferred_grant_state_is_one_of_four() {
        let grant = GrantId::from_bytes([1; 16]);
        let states = [
            (
                [SqlValue::Null, SqlValue::Null, SqlValue::Null, SqlValue::Null],
                Some(DeferredGrantState::Pending),
            ),
            (
                [grant.into(), 5_i64.into(), SqlValue::Null, SqlValue::Null],
                Some(DeferredGrantState::Approved(grant)),
            ),
            (
                [SqlValue::Null, SqlValue::Null, 5_i64.into(), SqlValue::Null],
                Some(DeferredGrantState::Denied),
            ),
            (
                [grant.into(), 5_i64.into(), SqlValue::Null, 6_i64.into()],
                Some(DeferredGrantState::Redeemed(grant)),
            ),
            ([SqlValue::Null, 5_i64.into(), SqlValue::Null, SqlValue::Null], None),
            ([grant.into(), 5_i64.into(), 5_i64.into(), SqlValue::Null], None),
            ([SqlValue::Null, SqlValue::Null, SqlValue::Null, 6_i64.into()], None),
        ];
        for (columns, expected) in states {
            let row = SqlRow::new(&STATES, columns.to_vec());
            assert_eq!(read_deferred_state(&row).ok(), expected, "{row:?}");
        }
    }
}
