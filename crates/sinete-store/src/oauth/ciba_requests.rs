//! CIBA requests: how they are stored, and found and listed for their user. The rest of their life is that of
//! every [deferred grant](super::deferred_grants). A request for an unknown user is stored like any other and
//! never answered, so that it does not reveal whether the account exists.

pub mod notifications;
pub mod of_organization;

use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::oauth::deferred_grants::{DeferredGrantRow, deferred_grant_columns, read_deferred_grant};
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::id::{AccountId, ApprovalRequestId, OrganizationId};
use sinete_core::oauth::grants::deferred::DeferredGrantKind;
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
    /// The only organization in which it can be answered; `None` if there are several.
    pub organization: Option<OrganizationId>,
    /// Digest of the hinted user, to count pending requests.
    pub hinted_user: &'a Digest<HintedCibaUser>,
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
    /// The id under which the user finds it.
    pub id: ApprovalRequestId,
    /// What it has in common with every deferred grant.
    pub deferred: DeferredGrantRow,
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
            request.hinted_user.into(),
            request.request.into(),
            request.sealed_notice.into(),
            request.poll_interval.micros().into(),
            request.created_at.into(),
            request.expires_at.into(),
            request.organization.into(),
        ],
    )
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
    store.read_all(&LIST_PENDING, &[account.into(), now.into()]).await?.iter().map(read).collect()
}

/// Counts the unexpired requests of this client that wait for the hinted user.
pub async fn count_pending_ciba_requests(
    store: &Store,
    client: &ClientId,
    asked_of: &Digest<HintedCibaUser>,
    now: Timestamp,
) -> Result<i64, StoreFailure> {
    let row = store.read_first(&COUNT_PENDING, &[client.into(), asked_of.into(), now.into()]).await?;
    row.map_or(Ok(0), |row| row.integer("total"))
}

fn read(row: &SqlRow) -> Result<CibaRequestRow, StoreFailure> {
    Ok(CibaRequestRow { id: row.id("id")?, deferred: read_deferred_grant(row, DeferredGrantKind::Ciba)? })
}

/// The columns that [`read`] expects.
macro_rules! columns {
    () => {
        concat!("SELECT id, account_id, ", deferred_grant_columns!(), " FROM approval_requests WHERE ")
    };
}

static START: SqlStatement = SqlStatement::new(
    "approval_requests.start",
    "INSERT INTO approval_requests (digest, id, client_id, account_id, asked_of, request, sealed_notice, \
     poll_interval, created_at, expires_at, organization_id) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
);
static FIND_BY_ID: SqlStatement =
    SqlStatement::new("approval_requests.find_by_id", concat!(columns!(), "id = ?1"));
static LIST_PENDING: SqlStatement = SqlStatement::new(
    "approval_requests.waiting_for",
    concat!(
        columns!(),
        "account_id = ?1 AND expires_at > ?2 AND approved_at IS NULL AND denied_at IS NULL \
         ORDER BY created_at, id"
    ),
);
static COUNT_PENDING: SqlStatement = SqlStatement::new(
    "approval_requests.pending",
    "SELECT count(*) AS total FROM approval_requests WHERE client_id = ?1 AND asked_of = ?2 AND expires_at > ?3 \
     AND approved_at IS NULL AND denied_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&START, &FIND_BY_ID, &LIST_PENDING, &COUNT_PENDING];
