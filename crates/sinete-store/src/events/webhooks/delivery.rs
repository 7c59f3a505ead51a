//! Webhook delivery: the chain of the security log is scanned once for the webhooks concerned, and each of
//! them then receives its events in the chain's order, from one node at a time.
//!
//! An event gets its position in the chain moments after it was committed, and positions never change, so the
//! progress of a webhook is one number. There is no separate queue that could lose events.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardedStatement, WriteBatch};
use sinete_core::events::webhooks::WebhookPauseReason;
use sinete_core::id::{EventId, OrganizationId, WebhookId};
use sinete_core::time::Timestamp;

/// Most positions scanned in one transaction, or for one webhook at a time.
pub const SCANNED_POSITIONS_MAX: i64 = 5_000;

/// How far the chain was scanned, and how long it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebhookDeliveryScan {
    /// Everything up to this position was scanned.
    pub scanned_position: i64,
    /// The last position of the chain.
    pub head: i64,
    /// Whether any webhook exists.
    pub has_listeners: bool,
}

/// A webhook with events to deliver.
#[derive(Clone, PartialEq, Eq)]
pub struct DueWebhookDelivery {
    /// Its id.
    pub id: WebhookId,
    /// The organization that owns it; `None` for a webhook of the instance.
    pub organization: Option<OrganizationId>,
    /// The URL.
    pub address: String,
    /// The event types it receives.
    pub kinds: Vec<String>,
    /// The signing secret, encrypted.
    pub sealed_secret: Vec<u8>,
    /// The previous secret, encrypted, while it signs too.
    pub sealed_previous_secret: Option<Vec<u8>>,
    /// The position up to which events were delivered.
    pub position: i64,
    /// The position up to which there may be events for it.
    pub target_position: i64,
    /// Failed deliveries in a row.
    pub failures: i64,
    /// Since when deliveries fail.
    pub failing_since: Option<Timestamp>,
}

/// One node's claim on a webhook until a time. The time identifies the claim: another node's claim has a
/// different one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WebhookClaim {
    /// The webhook.
    pub webhook: WebhookId,
    /// When the claim expires.
    pub until: Timestamp,
}

/// An event with its position, as delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChainedEvent {
    /// The position in the chain.
    pub position: i64,
    /// Its id.
    pub id: EventId,
    /// When it happened.
    pub at: Timestamp,
    /// The event kind.
    pub kind: String,
    /// The kind of actor.
    pub actor_kind: String,
    /// The actor's id, if it has one.
    pub actor_id: Option<String>,
    /// The kind of subject.
    pub subject_kind: Option<String>,
    /// The subject's id.
    pub subject_id: Option<String>,
    /// The organization it concerns.
    pub organization: Option<OrganizationId>,
    /// The reason given, if one was required.
    pub reason: String,
    /// Event details, as JSON.
    pub detail: String,
}

/// A range of chain positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChainPositionRange {
    /// After this position.
    pub after: i64,
    /// Up to and including this position.
    pub up_to: i64,
}

/// How far the chain was scanned.
pub async fn find_delivery_scan(store: &Store) -> Result<WebhookDeliveryScan, StoreFailure> {
    let row = store.read_first(&FIND_SCAN, &[]).await?;
    let row =
        row.ok_or_else(|| StoreFailure::Damaged("the scan position of webhooks is missing".to_owned()))?;
    Ok(WebhookDeliveryScan {
        scanned_position: row.integer("w.position")?,
        head: row.integer("last_position")?,
        has_listeners: row.flag("has_webhooks")?,
    })
}

/// Scans a range of the chain and marks the webhooks with events to deliver. A webhook without any skips the
/// range. If two nodes scan the same range, one of them gets a conflict.
pub fn advance_delivery_scan(from: i64, to: i64) -> WriteBatch {
    WriteBatch::new()
        .with_statement(GuardedStatement::exactly_one(&ADVANCE_SCAN, [from.into(), to.into()]))
        .with_statement(GuardedStatement::any_number(&MARK_DUE, [from.into(), to.into()]))
}

/// Lists the webhooks with events due now, longest waiting first.
pub async fn list_due_webhooks(
    store: &Store,
    now: Timestamp,
    limit: u32,
) -> Result<Vec<DueWebhookDelivery>, StoreFailure> {
    store.read_all(&LIST_DUE, &[now.into(), limit.into()]).await?.iter().map(read_due_delivery).collect()
}

/// Claims a webhook, if no node has claimed it and it still has events to deliver.
pub fn claim_webhook(claim: WebhookClaim, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&CLAIM, [claim.webhook.into(), claim.until.into(), now.into()])
}

/// Lists the events in this range that an organization may see, or all of them, in the chain's order.
pub async fn list_chained_events(
    store: &Store,
    organization: Option<OrganizationId>,
    places: ChainPositionRange,
    limit: u32,
) -> Result<Vec<ChainedEvent>, StoreFailure> {
    let mut parameters: Vec<SqlValue> = vec![places.after.into(), places.up_to.into(), limit.into()];
    let statement = match organization {
        None => &EVENTS,
        Some(organization) => {
            parameters.push(organization.into());
            &EVENTS_OF_ORGANIZATION
        }
    };
    store.read_list(statement, &parameters).await?.iter().map(read_chained_event).collect()
}

/// Finds an event that an organization may see, or any, whether or not it has a position yet; it is returned with
/// position 0.
pub async fn find_event(
    store: &Store,
    organization: Option<OrganizationId>,
    event: EventId,
) -> Result<Option<ChainedEvent>, StoreFailure> {
    let row = match organization {
        None => store.read_first(&EVENT, &[event.into()]).await?,
        Some(organization) => {
            store.read_first(&EVENT_OF_ORGANIZATION, &[event.into(), organization.into()]).await?
        }
    };
    row.map(|row| read_event(&row, 0)).transpose()
}

/// The encrypted secrets that sign now: the current one and, during an overlap, the previous one.
pub async fn find_signing_secrets(
    store: &Store,
    webhook: WebhookId,
    now: Timestamp,
) -> Result<Vec<Vec<u8>>, StoreFailure> {
    let Some(row) = store.read_first(&SIGNING_SECRETS, &[webhook.into(), now.into()]).await? else {
        return Ok(Vec::new());
    };
    let previous = row.optional_blob("previous_secret")?;
    Ok([Some(row.blob("w.sealed_secret")?), previous].into_iter().flatten().map(<[u8]>::to_vec).collect())
}

/// Lists the first positions of events that happened from this time on.
pub async fn list_positions_since(store: &Store, floor: EventId) -> Result<Vec<i64>, StoreFailure> {
    store
        .read_list(&LIST_POSITIONS_SINCE, &[floor.into()])
        .await?
        .iter()
        .map(|row| row.integer("c.position"))
        .collect()
}

/// The position of an event, if it has one.
pub async fn find_event_position(store: &Store, event: EventId) -> Result<Option<i64>, StoreFailure> {
    store.read_first(&FIND_POSITION, &[event.into()]).await?.map(|row| row.integer("position")).transpose()
}

/// Records that the event at this position was delivered, and extends the claim.
pub fn mark_event_delivered(claim: WebhookClaim, position: i64, until: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &MARK_DELIVERED,
        [claim.webhook.into(), claim.until.into(), position.into(), until.into()],
    )
}

/// Skips to this position, as there is nothing to deliver up to it, and releases the claim.
pub fn skip_to_position(claim: WebhookClaim, position: i64) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &SKIP_TO_POSITION,
        [claim.webhook.into(), claim.until.into(), position.into()],
    )
}

/// Records a failed delivery, to be retried at a later time.
pub fn schedule_retry(claim: WebhookClaim, now: Timestamp, again_at: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &SCHEDULE_RETRY,
        [claim.webhook.into(), claim.until.into(), now.into(), again_at.into()],
    )
}

/// Pauses the webhook after a failed delivery, until it is resumed.
pub fn pause_failing_webhook(
    claim: WebhookClaim,
    now: Timestamp,
    reason: WebhookPauseReason,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &PAUSE,
        [claim.webhook.into(), claim.until.into(), now.into(), reason.as_str().into()],
    )
}

fn read_due_delivery(row: &SqlRow) -> Result<DueWebhookDelivery, StoreFailure> {
    Ok(DueWebhookDelivery {
        id: row.id("w.id")?,
        organization: row.optional_id("w.organization_id")?,
        address: row.text("w.address")?.to_owned(),
        kinds: crate::JsonDocument::from_row(row, "w.kinds")?.parse()?,
        sealed_secret: row.blob("w.sealed_secret")?.to_vec(),
        sealed_previous_secret: row.optional_blob("previous_secret")?.map(<[u8]>::to_vec),
        position: row.integer("w.position")?,
        target_position: row.integer("w.wanted_position")?,
        failures: row.integer("w.failures")?,
        failing_since: row.optional_timestamp("w.failing_since")?,
    })
}

fn read_chained_event(row: &SqlRow) -> Result<ChainedEvent, StoreFailure> {
    read_event(row, row.integer("c.position")?)
}

fn read_event(row: &SqlRow, position: i64) -> Result<ChainedEvent, StoreFailure> {
    let text = |column| row.optional_text(column).map(|text| text.map(str::to_owned));
    Ok(ChainedEvent {
        position,
        id: row.id("e.id")?,
        at: row.timestamp("e.at")?,
        kind: row.text("e.kind")?.to_owned(),
        actor_kind: row.text("e.actor_kind")?.to_owned(),
        actor_id: text("e.actor_id")?,
        subject_kind: text("e.subject_kind")?,
        subject_id: text("e.subject_id")?,
        organization: row.optional_id("e.organization_id")?,
        reason: row.text("reason")?.to_owned(),
        detail: row.text("e.detail")?.to_owned(),
    })
}

impl std::fmt::Debug for DueWebhookDelivery {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "Behind({} at {} of {})", self.id, self.position, self.target_position)
    }
}

static FIND_SCAN: SqlStatement = SqlStatement::new(
    "webhook_walk.find",
    "SELECT w.position, COALESCE((SELECT MAX(c.position) FROM log_chain c), 0) AS last_position, \
     CASE WHEN EXISTS (SELECT 1 FROM webhooks h WHERE h.removed_at IS NULL) THEN 1 ELSE 0 END AS has_webhooks \
     FROM webhook_walk w WHERE w.id = 1",
);
static ADVANCE_SCAN: SqlStatement = SqlStatement::new(
    "webhook_walk.advance",
    "UPDATE webhook_walk SET position = ?2 WHERE id = 1 AND position = ?1",
);
// A webhook without pending events continues from the start of the scanned range: earlier events are not for
// it.
static MARK_DUE: SqlStatement = SqlStatement::new(
    "webhooks.wake",
    "UPDATE webhooks SET wanted_position = ?2, \
     position = CASE WHEN position >= wanted_position AND position < ?1 THEN ?1 ELSE position END \
     WHERE removed_at IS NULL AND wanted_position < ?2 AND (organization_id IS NULL OR organization_id IN \
     (SELECT a.organization_id FROM log_chain c JOIN audit a ON a.id = c.event_id \
     WHERE c.position > ?1 AND c.position <= ?2))",
);
static LIST_DUE: SqlStatement = SqlStatement::new(
    "webhooks.behind_now",
    "SELECT w.id, w.organization_id, w.address, w.kinds, w.sealed_secret, \
     CASE WHEN w.previous_secret_until > ?1 THEN w.sealed_previous_secret ELSE NULL END AS previous_secret, w.position, \
     w.wanted_position, w.failures, w.failing_since \
     FROM webhooks w LEFT JOIN organizations o ON o.id = w.organization_id \
     WHERE w.paused_at IS NULL AND w.removed_at IS NULL AND w.position < w.wanted_position \
     AND w.next_attempt_at <= ?1 AND w.claimed_until <= ?1 \
     AND (o.id IS NULL OR (o.condition <> 'ended' AND (o.ends_at IS NULL OR o.ends_at > ?1))) \
     ORDER BY w.next_attempt_at, w.id LIMIT ?2",
);
static CLAIM: SqlStatement = SqlStatement::single_use(
    "webhooks.claim",
    "UPDATE webhooks SET claimed_until = ?2 WHERE id = ?1 AND claimed_until <= ?3 AND next_attempt_at <= ?3 \
     AND paused_at IS NULL AND removed_at IS NULL AND position < wanted_position",
);

/// The events of the security log or of audit logs, as delivered.
macro_rules! events {
    ($organization:literal, $reason:literal, $from:literal, $more:literal) => {
        concat!(
            "SELECT c.position, e.id, e.at, e.kind, e.actor_kind, e.actor_id, e.subject_kind, e.subject_id, ",
            $organization,
            ", ",
            $reason,
            ", e.detail FROM log_chain c JOIN ",
            $from,
            " e ON e.id = c.event_id WHERE c.position > ?1 AND c.position <= ?2",
            $more,
            " ORDER BY c.position LIMIT ?3"
        )
    };
}

static EVENTS: SqlStatement =
    SqlStatement::new("webhooks.events", events!("e.organization_id", "'' AS reason", "security_log", ""));
static EVENTS_OF_ORGANIZATION: SqlStatement = SqlStatement::new(
    "webhooks.events_of_organization",
    events!("e.organization_id", "e.reason", "audit", " AND e.organization_id = ?4"),
);
static EVENT: SqlStatement = SqlStatement::new(
    "webhooks.event",
    "SELECT e.id, e.at, e.kind, e.actor_kind, e.actor_id, e.subject_kind, e.subject_id, e.organization_id, \
     '' AS reason, e.detail FROM security_log e WHERE e.id = ?1",
);
static EVENT_OF_ORGANIZATION: SqlStatement = SqlStatement::new(
    "webhooks.event_of_organization",
    "SELECT e.id, e.at, e.kind, e.actor_kind, e.actor_id, e.subject_kind, e.subject_id, e.organization_id, \
     e.reason, e.detail FROM audit e WHERE e.id = ?1 AND e.organization_id = ?2",
);
static SIGNING_SECRETS: SqlStatement = SqlStatement::new(
    "webhooks.signing_secrets",
    "SELECT w.sealed_secret, CASE WHEN w.previous_secret_until > ?2 THEN w.sealed_previous_secret ELSE NULL END \
     AS previous_secret FROM webhooks w WHERE w.id = ?1 AND w.removed_at IS NULL",
);
// Events commit in nearly the order of their ids; the first of a thousand is the first of all.
static LIST_POSITIONS_SINCE: SqlStatement = SqlStatement::new(
    "webhooks.places_since",
    "SELECT c.position FROM security_log l JOIN log_chain c ON c.event_id = l.id \
     WHERE l.id >= ?1 ORDER BY l.id LIMIT 1000",
);
static FIND_POSITION: SqlStatement =
    SqlStatement::new("webhooks.place_of", "SELECT position FROM log_chain WHERE event_id = ?1");
static MARK_DELIVERED: SqlStatement = SqlStatement::new(
    "webhooks.told",
    "UPDATE webhooks SET position = ?3, claimed_until = ?4, failures = 0, failing_since = NULL \
     WHERE id = ?1 AND claimed_until = ?2 AND paused_at IS NULL AND removed_at IS NULL",
);
static SKIP_TO_POSITION: SqlStatement = SqlStatement::new(
    "webhooks.passed",
    "UPDATE webhooks SET position = ?3, claimed_until = 0 WHERE id = ?1 AND claimed_until = ?2",
);
static SCHEDULE_RETRY: SqlStatement = SqlStatement::new(
    "webhooks.failed",
    "UPDATE webhooks SET failures = failures + 1, failing_since = COALESCE(failing_since, ?3), \
     next_attempt_at = ?4, claimed_until = 0 WHERE id = ?1 AND claimed_until = ?2",
);
static PAUSE: SqlStatement = SqlStatement::new(
    "webhooks.pause",
    "UPDATE webhooks SET failures = failures + 1, failing_since = COALESCE(failing_since, ?3), paused_at = ?3, \
     pause_reason = ?4, claimed_until = 0, version = version + 1 \
     WHERE id = ?1 AND claimed_until = ?2 AND paused_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &FIND_SCAN,
    &ADVANCE_SCAN,
    &MARK_DUE,
    &LIST_DUE,
    &CLAIM,
    &EVENTS,
    &EVENTS_OF_ORGANIZATION,
    &EVENT,
    &EVENT_OF_ORGANIZATION,
    &SIGNING_SECRETS,
    &LIST_POSITIONS_SINCE,
    &FIND_POSITION,
    &MARK_DELIVERED,
    &SKIP_TO_POSITION,
    &SCHEDULE_RETRY,
    &PAUSE,
];
