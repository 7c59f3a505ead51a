//! Ping and push notifications that are due to clients. One node at a time delivers each; if it dies, another
//! takes over.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::id::ApprovalRequestId;
use sinete_core::time::Timestamp;

/// A notification to deliver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DueCibaNotification {
    /// The request that was answered.
    pub id: ApprovalRequestId,
    /// The client that made the request.
    pub client: ClientId,
    /// The notification, encrypted.
    pub ciphertext: Vec<u8>,
    /// Since when it is due, or until when another node has claimed it.
    pub due_at: Timestamp,
    /// Failed delivery attempts so far.
    pub attempts: i64,
    /// When the request expires, after which notifying is pointless.
    pub expires_at: Timestamp,
}

/// Lists the notifications due now, longest due first.
pub async fn list_due_notifications(
    store: &Store,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<DueCibaNotification>, StoreFailure> {
    store.read_list(&LIST_DUE, &[now.into(), limit.into()]).await?.iter().map(read).collect()
}

/// Claims the notification for this node until `until`, if no node has claimed it since it was read.
pub fn claim_notification(due: &DueCibaNotification, until: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&CLAIM, [due.id.into(), due.due_at.into(), until.into()])
}

/// Schedules the next attempt after a failed delivery.
pub fn postpone_notification(
    due: &DueCibaNotification,
    claimed_until: Timestamp,
    again_at: Timestamp,
) -> GuardedStatement {
    GuardedStatement::any_number(&POSTPONE, [due.id.into(), claimed_until.into(), again_at.into()])
}

/// Deletes the notification after delivery, or once it is given up.
pub fn delete_notification(due: &DueCibaNotification) -> GuardedStatement {
    GuardedStatement::any_number(&DELETE, [due.id.into()])
}

fn read(row: &SqlRow) -> Result<DueCibaNotification, StoreFailure> {
    Ok(DueCibaNotification {
        id: row.id("id")?,
        client: row.client_id("client_id")?,
        ciphertext: row.blob("sealed_notice")?.to_vec(),
        due_at: row.timestamp("notice_due_at")?,
        attempts: row.integer("notice_attempts")?,
        expires_at: row.timestamp("expires_at")?,
    })
}

static LIST_DUE: SqlStatement = SqlStatement::new(
    "approval_requests.due",
    "SELECT id, client_id, sealed_notice, notice_due_at, notice_attempts, expires_at FROM approval_requests \
     WHERE notice_due_at <= ?1 AND sealed_notice IS NOT NULL ORDER BY notice_due_at LIMIT ?2",
);
static CLAIM: SqlStatement = SqlStatement::single_use(
    "approval_requests.claim_notice",
    "UPDATE approval_requests SET notice_due_at = ?3, notice_attempts = notice_attempts + 1 \
     WHERE id = ?1 AND notice_due_at = ?2",
);
static POSTPONE: SqlStatement = SqlStatement::new(
    "approval_requests.postpone_notice",
    "UPDATE approval_requests SET notice_due_at = ?3 WHERE id = ?1 AND notice_due_at = ?2",
);
static DELETE: SqlStatement = SqlStatement::new(
    "approval_requests.notice_done",
    "UPDATE approval_requests SET notice_due_at = NULL, sealed_notice = NULL WHERE id = ?1",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&LIST_DUE, &CLAIM, &POSTPONE, &DELETE];
