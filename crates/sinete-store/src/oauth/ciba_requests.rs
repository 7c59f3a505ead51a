//! CIBA requests: answered once and redeemed once. A request for an unknown user is stored like any other and
//! never answered, so that it does not reveal whether the account exists.

pub mod notifications;

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
use sinete_core::id::{AccountId, ApprovalRequestId, GrantId};
use sinete_core::secret::{BackchannelRequest, Digest};
use sinete_core::time::{Lifetime, Timestamp};

/// The user a client's hint names, whether or not an account exists.
#[derive(Debug)]
pub enum HintedCibaUser {}

/// A CIBA request to store.
#[derive(Debug)]
pub struct NewCibaRequest<'a> {
    /// Digest of the `auth_req_id` that the client polls with.
    pub digest: &'a Digest<BackchannelRequest>,
    /// The id under which the user finds it.
    pub id: ApprovalRequestId,
    /// The requesting client.
    pub client: &'a ClientId,
    /// The user's account; `None` if the hint matches none.
    pub account: Option<AccountId>,
    /// Digest of the hinted user, to count pending requests.
    pub asked_of: &'a Digest<HintedCibaUser>,
    /// The authorization request.
    pub request: &'a JsonDocument,
    /// The ping or push notification to send once the user answers, encrypted.
    pub sealed_notice: Option<&'a [u8]>,
    /// The polling interval.
    pub poll_interval: Lifetime,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it can no longer be answered or redeemed.
    pub expires_at: Timestamp,
}

/// A CIBA request as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CibaRequestRow {
    /// Digest of the `auth_req_id` that the client polls with.
    pub digest: Digest<BackchannelRequest>,
    /// The id under which the user finds it.
    pub id: ApprovalRequestId,
    /// The requesting client.
    pub client: ClientId,
    /// The user's account; `None` if the hint matched none.
    pub account: Option<AccountId>,
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

/// Stores a CIBA request.
pub fn create_ciba_request(request: &NewCibaRequest<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &START,
        [
            request.digest.into(),
            request.id.into(),
            request.client.into(),
            request.account.into(),
            request.asked_of.into(),
            request.request.into(),
            request.sealed_notice.into(),
            request.poll_interval.micros().into(),
            request.created_at.into(),
            request.expires_at.into(),
        ],
    )
}

/// Finds the request that a client polls for, in any state.
pub async fn find_ciba_request(
    store: &Store,
    digest: &Digest<BackchannelRequest>,
) -> Result<Option<CibaRequestRow>, StoreFailure> {
    store.read_first(&FIND, &[digest.into()]).await?.as_ref().map(read).transpose()
}

/// Finds the request by its id, in any state and for any user.
pub async fn find_ciba_request_by_id(
    store: &Store,
    id: ApprovalRequestId,
) -> Result<Option<CibaRequestRow>, StoreFailure> {
    store.read_first(&FIND_BY_ID, &[id.into()]).await?.as_ref().map(read).transpose()
}

/// Lists the unexpired requests that wait for this user's answer, oldest first.
pub async fn list_pending_ciba_requests(
    store: &Store,
    account: AccountId,
    now: Timestamp,
) -> Result<Vec<CibaRequestRow>, StoreFailure> {
    store.read_all(&WAITING_FOR, &[account.into(), now.into()]).await?.iter().map(read).collect()
}

/// Counts the unexpired requests of this client that wait for the hinted user.
pub async fn count_pending_ciba_requests(
    store: &Store,
    client: &ClientId,
    asked_of: &Digest<HintedCibaUser>,
    now: Timestamp,
) -> Result<i64, StoreFailure> {
    let row = store.read_first(&PENDING, &[client.into(), asked_of.into(), now.into()]).await?;
    row.map_or(Ok(0), |row| row.integer("total"))
}

/// Records a poll and sets the next interval, if the client has not polled since the request was read.
pub fn record_ciba_poll(request: &CibaRequestRow, interval: Lifetime, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &POLLED,
        [request.digest.into(), request.polled_at.into(), now.into(), interval.micros().into()],
    )
}

/// Approves the request with this grant, if it is unanswered and unexpired. The request parameters and the
/// requesting address are deleted, as they are no longer needed.
pub fn approve_ciba_request(
    digest: &Digest<BackchannelRequest>,
    grant: GrantId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&APPROVE, [digest.into(), grant.into(), now.into()])
}

/// Denies the request for the user, if it is unanswered and unexpired.
pub fn deny_ciba_request(
    digest: &Digest<BackchannelRequest>,
    account: AccountId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&DENY, [digest.into(), account.into(), now.into()])
}

/// Redeems the request for its client, if it is approved, unexpired and unredeemed, and its grant and
/// everything that depends on is active.
pub fn spend_ciba_request(
    digest: &Digest<BackchannelRequest>,
    client: &ClientId,
    now: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(&SPEND, [digest.into(), client.into(), now.into()])
}

fn read(row: &SqlRow) -> Result<CibaRequestRow, StoreFailure> {
    Ok(CibaRequestRow {
        digest: row.digest("digest")?,
        id: row.id("id")?,
        client: row.client_id("client_id")?,
        account: row.optional_id("account_id")?,
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
        "SELECT digest, id, client_id, account_id, request, poll_interval, polled_at, created_at, expires_at, \
         grant_id, approved_at, denied_at, spent_at FROM approval_requests WHERE "
    };
}

static START: SqlStatement = SqlStatement::new(
    "approval_requests.start",
    "INSERT INTO approval_requests (digest, id, client_id, account_id, asked_of, request, sealed_notice, \
     poll_interval, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
);
static FIND: SqlStatement = SqlStatement::new("approval_requests.find", concat!(columns!(), "digest = ?1"));
static FIND_BY_ID: SqlStatement =
    SqlStatement::new("approval_requests.find_by_id", concat!(columns!(), "id = ?1"));
static WAITING_FOR: SqlStatement = SqlStatement::new(
    "approval_requests.waiting_for",
    concat!(
        columns!(),
        "account_id = ?1 AND expires_at > ?2 AND approved_at IS NULL AND denied_at IS NULL \
         ORDER BY created_at, id"
    ),
);
static PENDING: SqlStatement = SqlStatement::new(
    "approval_requests.pending",
    "SELECT count(*) AS total FROM approval_requests WHERE client_id = ?1 AND asked_of = ?2 AND expires_at > ?3 \
     AND approved_at IS NULL AND denied_at IS NULL",
);
static POLLED: SqlStatement = SqlStatement::new(
    "approval_requests.polled",
    "UPDATE approval_requests SET polled_at = ?3, poll_interval = ?4 \
     WHERE digest = ?1 AND polled_at IS NOT DISTINCT FROM ?2",
);
static APPROVE: SqlStatement = SqlStatement::single_use(
    "approval_requests.approve",
    "UPDATE approval_requests SET approved_at = ?3, grant_id = ?2, request = '{}', \
     notice_due_at = CASE WHEN sealed_notice IS NULL THEN NULL ELSE ?3 END \
     WHERE digest = ?1 AND approved_at IS NULL AND denied_at IS NULL AND expires_at > ?3 \
     AND EXISTS (SELECT 1 FROM grants g WHERE g.id = ?2 \
     AND g.account_id = approval_requests.account_id AND g.client_id = approval_requests.client_id)",
);
static DENY: SqlStatement = SqlStatement::single_use(
    "approval_requests.deny",
    "UPDATE approval_requests SET denied_at = ?3, request = '{}', \
     notice_due_at = CASE WHEN sealed_notice IS NULL THEN NULL ELSE ?3 END \
     WHERE digest = ?1 AND account_id = ?2 AND approved_at IS NULL AND denied_at IS NULL AND expires_at > ?3",
);
static SPEND: SqlStatement = SqlStatement::single_use(
    "approval_requests.spend",
    concat!(
        "UPDATE approval_requests SET spent_at = ?3, notice_due_at = NULL, sealed_notice = NULL \
         WHERE digest = ?1 AND client_id = ?2 AND approved_at IS NOT NULL AND spent_at IS NULL \
         AND expires_at > ?3 AND ",
        grant_is_alive!("approval_requests.grant_id", "?3")
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&START, &FIND, &FIND_BY_ID, &WAITING_FOR, &PENDING, &POLLED, &APPROVE, &DENY, &SPEND];
