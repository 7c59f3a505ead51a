//! Back-channel logout notifications that are due to clients. One node at a time delivers each; if it dies,
//! another takes over.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::write_batch::GuardedStatement;
use sinete_core::client_id::ClientId;
use sinete_core::id::{MembershipId, SessionId};
use sinete_core::time::Timestamp;

/// A logout notification for one client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogoutDelivery {
    /// The session that ended.
    pub session: SessionId,
    /// The client.
    pub client: ClientId,
    /// The membership that was signed in there.
    pub membership: MembershipId,
    /// Since when it is due, or until when a node has claimed it.
    pub due_at: Timestamp,
    /// Failed delivery attempts so far.
    pub attempts: i64,
    /// When delivery is given up.
    pub expires_at: Timestamp,
}

/// When queued notifications are due and given up.
#[derive(Clone, Copy, Debug)]
pub struct DeliverySchedule {
    /// Until when the queueing node has claimed them; after that any node delivers.
    pub due_at: Timestamp,
    /// When delivery is given up.
    pub expires_at: Timestamp,
}

/// Queues a notification for every client with a grant of the session, in the transaction that ends it.
pub fn queue_logout_deliveries(
    session: SessionId,
    schedule: DeliverySchedule,
    limit: u32,
) -> GuardedStatement {
    let DeliverySchedule { due_at, expires_at } = schedule;
    GuardedStatement::any_number(&QUEUE, [session.into(), due_at.into(), expires_at.into(), limit.into()])
}

/// Queues notifications for all sessions that the same transaction ends at this moment.
pub fn queue_all_logout_deliveries(ended_at: Timestamp, schedule: DeliverySchedule) -> GuardedStatement {
    let DeliverySchedule { due_at, expires_at } = schedule;
    GuardedStatement::any_number(&QUEUE_ALL, [ended_at.into(), due_at.into(), expires_at.into()])
}

/// Lists the notifications of one session.
pub async fn list_session_logout_deliveries(
    store: &Store,
    session: SessionId,
) -> Result<Vec<LogoutDelivery>, StoreFailure> {
    store.read_all(&LIST_BY_SESSION, &[session.into()]).await?.iter().map(read).collect()
}

/// Lists the due notifications, longest due first.
pub async fn list_due_logout_deliveries(
    store: &Store,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<LogoutDelivery>, StoreFailure> {
    store.read_list(&LIST_DUE, &[now.into(), limit.into()]).await?.iter().map(read).collect()
}

/// Claims the notification for this node until `until`, if no node has claimed it since it was read.
pub fn claim_logout_delivery(delivery: &LogoutDelivery, until: Timestamp) -> GuardedStatement {
    let LogoutDelivery { session, client, membership, due_at, .. } = delivery;
    GuardedStatement::exactly_one(
        &CLAIM,
        [session.into(), client.into(), membership.into(), (*due_at).into(), until.into()],
    )
}

/// Schedules the next attempt after a failed delivery.
pub fn postpone_logout_delivery(delivery: &LogoutDelivery, again_at: Timestamp) -> GuardedStatement {
    let LogoutDelivery { session, client, membership, due_at, .. } = delivery;
    GuardedStatement::any_number(
        &POSTPONE,
        [session.into(), client.into(), membership.into(), (*due_at).into(), again_at.into()],
    )
}

/// Deletes the notification after delivery, or once it is given up.
pub fn delete_logout_delivery(delivery: &LogoutDelivery) -> GuardedStatement {
    let LogoutDelivery { session, client, membership, .. } = delivery;
    GuardedStatement::any_number(&DELETE, [session.into(), client.into(), membership.into()])
}

fn read(row: &SqlRow) -> Result<LogoutDelivery, StoreFailure> {
    Ok(LogoutDelivery {
        session: row.id("session_id")?,
        client: row.client_id("client_id")?,
        membership: row.id("membership_id")?,
        due_at: row.timestamp("due_at")?,
        attempts: row.integer("attempts")?,
        expires_at: row.timestamp("expires_at")?,
    })
}

// A session that ended earlier may be queued already.
static QUEUE: SqlStatement = SqlStatement::new(
    "logout_deliveries.queue",
    "INSERT INTO logout_deliveries (session_id, client_id, membership_id, due_at, expires_at) \
     SELECT g.given_in, g.client_id, g.membership_id, ?2, ?3 FROM grants g WHERE g.given_in = ?1 \
     GROUP BY g.given_in, g.client_id, g.membership_id ORDER BY g.client_id LIMIT ?4 \
     ON CONFLICT (session_id, client_id, membership_id) DO NOTHING",
);
static QUEUE_ALL: SqlStatement = SqlStatement::new(
    "logout_deliveries.queue_everybodys",
    "INSERT INTO logout_deliveries (session_id, client_id, membership_id, due_at, expires_at) \
     SELECT l.given_in, l.client_id, l.membership_id, ?2, ?3 FROM (SELECT DISTINCT g.given_in, g.client_id, \
     g.membership_id FROM sessions s JOIN accounts a ON a.id = s.account_id JOIN grants g ON g.given_in = s.id \
     WHERE s.ended_at = ?1 AND s.idle_expires_at > ?1 AND s.expires_at > ?1 AND a.condition = 'enabled' \
     AND s.account_epoch = a.epoch) l WHERE TRUE \
     ON CONFLICT (session_id, client_id, membership_id) DO NOTHING",
);
static LIST_BY_SESSION: SqlStatement = SqlStatement::new(
    "logout_deliveries.of_session",
    "SELECT session_id, client_id, membership_id, due_at, attempts, expires_at FROM logout_deliveries \
     WHERE session_id = ?1 ORDER BY client_id",
);
static LIST_DUE: SqlStatement = SqlStatement::new(
    "logout_deliveries.due",
    "SELECT session_id, client_id, membership_id, due_at, attempts, expires_at FROM logout_deliveries \
     WHERE due_at <= ?1 ORDER BY due_at LIMIT ?2",
);
static CLAIM: SqlStatement = SqlStatement::new(
    "logout_deliveries.claim",
    "UPDATE logout_deliveries SET due_at = ?5 \
     WHERE session_id = ?1 AND client_id = ?2 AND membership_id = ?3 AND due_at = ?4",
);
static POSTPONE: SqlStatement = SqlStatement::new(
    "logout_deliveries.postpone",
    "UPDATE logout_deliveries SET due_at = ?5, attempts = attempts + 1 \
     WHERE session_id = ?1 AND client_id = ?2 AND membership_id = ?3 AND due_at = ?4",
);
static DELETE: SqlStatement = SqlStatement::new(
    "logout_deliveries.done",
    "DELETE FROM logout_deliveries WHERE session_id = ?1 AND client_id = ?2 AND membership_id = ?3",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&QUEUE, &QUEUE_ALL, &LIST_BY_SESSION, &LIST_DUE, &CLAIM, &POSTPONE, &DELETE];
