//! Webhook delivery attempts: one row each, kept for a limited time.

use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{AttemptId, EventId, WebhookId};
use sinete_core::limits::WEBHOOK_ATTEMPT_RETENTION;
use sinete_core::time::Timestamp;

/// A delivery attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookAttemptRow {
    /// Its id.
    pub id: AttemptId,
    /// The event.
    pub event: EventId,
    /// The event kind.
    pub kind: String,
    /// The HTTP status; `None` if the endpoint was not reached.
    pub status: Option<u16>,
    /// The result.
    pub outcome: WebhookAttemptOutcome,
    /// When it was made.
    pub at: Timestamp,
}

/// The result of a delivery attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookAttemptOutcome {
    /// Delivered.
    Delivered,
    /// It will be retried.
    Retrying,
    /// The webhook was paused.
    Paused,
}

impl WebhookAttemptOutcome {
    /// The name, as stored and shown.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Delivered => "told",
            Self::Retrying => "again",
            Self::Paused => "paused",
        }
    }
}

/// Records an attempt.
pub fn record_attempt(webhook: WebhookId, attempted: &WebhookAttemptRow) -> GuardedStatement {
    let status = attempted.status.map(i64::from);
    GuardedStatement::exactly_one(
        &WRITE,
        [
            attempted.id.into(),
            webhook.into(),
            attempted.event.into(),
            attempted.kind.as_str().into(),
            status.into(),
            attempted.outcome.as_str().into(),
            attempted.at.into(),
            attempted.at.plus(WEBHOOK_ATTEMPT_RETENTION).into(),
        ],
    )
}

/// Lists a page of a webhook's attempts, oldest first.
pub async fn list_attempts(
    store: &Store,
    webhook: WebhookId,
    after: Option<AttemptId>,
    limit: u32,
) -> Result<Vec<WebhookAttemptRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store.read_list(&PAGE, &[webhook.into(), after, limit.into()]).await?.iter().map(read).collect()
}

/// Lists the latest attempts of a webhook, newest first; those before `before` if given.
pub async fn list_latest_attempts(
    store: &Store,
    webhook: WebhookId,
    before: Option<AttemptId>,
    limit: u32,
) -> Result<Vec<WebhookAttemptRow>, StoreFailure> {
    // Seventeen bytes of 0xff sort after every id.
    let before = before.map_or_else(|| SqlValue::from([u8::MAX; 17]), SqlValue::from);
    store.read_list(&LATEST, &[webhook.into(), before, limit.into()]).await?.iter().map(read).collect()
}

fn read(row: &SqlRow) -> Result<WebhookAttemptRow, StoreFailure> {
    let outcome = match row.text("outcome")? {
        "told" => WebhookAttemptOutcome::Delivered,
        "again" => WebhookAttemptOutcome::Retrying,
        "paused" => WebhookAttemptOutcome::Paused,
        _ => return Err(row.damaged_column("outcome", "the result of an attempt")),
    };
    let status = row.optional_integer("status")?.map(u16::try_from).transpose();
    Ok(WebhookAttemptRow {
        id: row.id("id")?,
        event: row.id("event_id")?,
        kind: row.text("kind")?.to_owned(),
        status: status.map_err(|_| row.damaged_column("status", "a status"))?,
        outcome,
        at: row.timestamp("attempted_at")?,
    })
}

static WRITE: SqlStatement = SqlStatement::new(
    "webhook_attempts.write",
    "INSERT INTO webhook_attempts (id, webhook_id, event_id, kind, status, outcome, attempted_at, expires_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
);
static PAGE: SqlStatement = SqlStatement::new(
    "webhook_attempts.page",
    "SELECT id, event_id, kind, status, outcome, attempted_at FROM webhook_attempts \
     WHERE webhook_id = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);
static LATEST: SqlStatement = SqlStatement::new(
    "webhook_attempts.latest",
    "SELECT id, event_id, kind, status, outcome, attempted_at FROM webhook_attempts \
     WHERE webhook_id = ?1 AND id < ?2 ORDER BY id DESC LIMIT ?3",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&WRITE, &PAGE, &LATEST];
