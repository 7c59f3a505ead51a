//! Webhooks of organizations and of the instance: storage and management. [`delivery`] sends the events.

pub mod attempts;
pub mod delivery;

use crate::FIRST_VERSION;
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::events::webhooks::{EventKindFilter, WebhookPauseReason, WebhookUrl};
use sinete_core::id::{OrganizationId, WebhookId};
use sinete_core::limits::WEBHOOKS_MAX;
use sinete_core::time::Timestamp;

/// A webhook to create.
#[derive(Debug)]
pub struct NewWebhook<'a> {
    /// Its id.
    pub id: WebhookId,
    /// The organization that owns it; `None` for a webhook of the instance.
    pub organization: Option<OrganizationId>,
    /// The settings.
    pub settings: WebhookSettings<'a>,
    /// The signing secret, encrypted.
    pub sealed_secret: &'a [u8],
    /// When it is created.
    pub created_at: Timestamp,
}

/// The settings of a webhook.
#[derive(Clone, Copy, Debug)]
pub struct WebhookSettings<'a> {
    /// The URL.
    pub address: &'a WebhookUrl,
    /// The description its owner gave.
    pub description: &'a str,
    /// The event types it receives.
    pub kinds: &'a EventKindFilter,
}

/// A webhook as stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookRow {
    /// Its id.
    pub id: WebhookId,
    /// The organization that owns it; `None` for a webhook of the instance.
    pub organization: Option<OrganizationId>,
    /// The URL.
    pub address: String,
    /// The description its owner gave.
    pub description: String,
    /// The event types it receives; empty means all.
    pub kinds: Vec<String>,
    /// Failed deliveries in a row.
    pub failures: i64,
    /// Since when deliveries fail.
    pub failing_since: Option<Timestamp>,
    /// When the next attempt is due.
    pub next_attempt_at: Timestamp,
    /// Since when it is paused.
    pub paused_at: Option<Timestamp>,
    /// Why it is paused.
    pub pause_reason: Option<WebhookPauseReason>,
    /// Until when the previous secret signs too.
    pub previous_secret_until: Option<Timestamp>,
    /// How many positions of the log chain it is behind, at most.
    pub lag: i64,
    /// When it was created.
    pub created_at: Timestamp,
    /// Row version.
    pub version: i64,
}

impl NewWebhook<'_> {
    /// The row that [`create_webhook`] writes, so that callers need not read it back.
    pub fn to_row(&self) -> WebhookRow {
        let WebhookSettings { address, description, kinds } = self.settings;
        WebhookRow {
            id: self.id,
            organization: self.organization,
            address: address.as_str().to_owned(),
            description: description.to_owned(),
            kinds: kinds.names().map(ToString::to_string).collect(),
            failures: 0,
            failing_since: None,
            next_attempt_at: self.created_at,
            paused_at: None,
            pause_reason: None,
            previous_secret_until: None,
            lag: 0,
            created_at: self.created_at,
            version: FIRST_VERSION,
        }
    }
}

impl WebhookRow {
    /// The row that [`rotate_webhook_secret`] leaves.
    #[must_use]
    pub fn with_rotated_secret(self, previous_until: Timestamp) -> Self {
        Self { previous_secret_until: Some(previous_until), version: self.version + 1, ..self }
    }
}

/// Creates a webhook, if the limit is not reached. It receives events from then on.
pub fn create_webhook(webhook: &NewWebhook<'_>) -> Result<GuardedStatement, StoreFailure> {
    let WebhookSettings { address, description, kinds } = webhook.settings;
    Ok(GuardedStatement::exactly_one(
        &ADD,
        [
            webhook.id.into(),
            webhook.organization.into(),
            address.as_str().into(),
            description.into(),
            webhook.sealed_secret.into(),
            (&serialize_kinds(kinds)?).into(),
            webhook.created_at.into(),
            WEBHOOKS_MAX.into(),
        ],
    ))
}

/// Counts the webhooks of the organization, or of the instance.
pub async fn count_webhooks(
    store: &Store,
    organization: Option<OrganizationId>,
) -> Result<u32, StoreFailure> {
    let row = store.read_first(&COUNT, &[organization.into()]).await?;
    let count = row.map_or(Ok(0), |row| row.integer("total"))?;
    Ok(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Lists a page of the webhooks of the organization or of the instance, oldest first.
pub async fn list_webhooks(
    store: &Store,
    organization: Option<OrganizationId>,
    after: Option<WebhookId>,
    limit: u32,
) -> Result<Vec<WebhookRow>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    store.read_list(&PAGE, &[organization.into(), after, limit.into()]).await?.iter().map(read).collect()
}

/// Finds a webhook of the organization, or of the instance.
pub async fn find_webhook(
    store: &Store,
    organization: Option<OrganizationId>,
    id: WebhookId,
) -> Result<Option<WebhookRow>, StoreFailure> {
    store.read_first(&FIND, &[organization.into(), id.into()]).await?.as_ref().map(read).transpose()
}

/// The signing secret, encrypted.
pub async fn find_encrypted_secret(store: &Store, id: WebhookId) -> Result<Option<Vec<u8>>, StoreFailure> {
    store
        .read_first(&SECRET, &[id.into()])
        .await?
        .map(|row| Ok(row.blob("sealed_secret")?.to_vec()))
        .transpose()
}

/// Changes the settings, if they have not changed since they were read. A new URL starts with a failure count
/// of zero.
pub fn change_webhook(
    before: &WebhookRow,
    settings: &WebhookSettings<'_>,
    now: Timestamp,
) -> Result<GuardedStatement, StoreFailure> {
    let WebhookSettings { address, description, kinds } = settings;
    Ok(GuardedStatement::exactly_one(
        &CHANGE,
        [
            before.id.into(),
            before.version.into(),
            address.as_str().into(),
            (*description).into(),
            (&serialize_kinds(kinds)?).into(),
            now.into(),
        ],
    ))
}

/// Sets a new secret; the previous one signs too until a time.
pub fn rotate_webhook_secret(
    before: &WebhookRow,
    encrypted_secret: &[u8],
    previous_until: Timestamp,
) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &ROTATE,
        [before.id.into(), before.version.into(), encrypted_secret.into(), previous_until.into()],
    )
}

/// Pauses the webhook until it is resumed. A delivery in progress may finish.
pub fn pause_webhook(id: WebhookId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&PAUSE, [id.into(), now.into()])
}

/// Resumes deliveries from where they stopped.
pub fn resume_webhook(id: WebhookId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&RESUME, [id.into(), now.into()])
}

/// Delivers everything after a position of the chain again. A delivery in progress loses its claim and cannot
/// advance the position.
pub fn replay_webhook(id: WebhookId, after: i64, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&REPLAY, [id.into(), after.into(), now.into()])
}

/// Removes the webhook permanently.
pub fn remove_webhook(id: WebhookId, now: Timestamp) -> GuardedStatement {
    GuardedStatement::exactly_one(&REMOVE, [id.into(), now.into()])
}

fn serialize_kinds(kinds: &EventKindFilter) -> Result<JsonDocument, StoreFailure> {
    JsonDocument::from_value(&kinds.names().collect::<Vec<_>>())
}

fn read(row: &SqlRow) -> Result<WebhookRow, StoreFailure> {
    let pause_reason = match row.optional_text("pause_reason")? {
        None => None,
        Some("failing") => Some(WebhookPauseReason::Failing),
        Some("gone") => Some(WebhookPauseReason::Gone),
        Some("stopped") => Some(WebhookPauseReason::Stopped),
        Some(_) => return Err(row.damaged_column("pause_reason", "a reason for a pause")),
    };
    Ok(WebhookRow {
        id: row.id("id")?,
        organization: row.optional_id("organization_id")?,
        address: row.text("address")?.to_owned(),
        description: row.text("description")?.to_owned(),
        kinds: JsonDocument::from_row(row, "kinds")?.parse()?,
        failures: row.integer("failures")?,
        failing_since: row.optional_timestamp("failing_since")?,
        next_attempt_at: row.timestamp("next_attempt_at")?,
        paused_at: row.optional_timestamp("paused_at")?,
        pause_reason,
        previous_secret_until: row.optional_timestamp("previous_secret_until")?,
        lag: row.integer("waiting")?,
        created_at: row.timestamp("created_at")?,
        version: row.integer("version")?,
    })
}

/// Holds for webhooks of the organization, or of the instance if none is given.
macro_rules! belongs {
    ($organization:literal) => {
        concat!(
            "(organization_id = ",
            $organization,
            " OR (organization_id IS NULL AND ",
            $organization,
            " IS NULL))"
        )
    };
}

/// The columns that a webhook is read from.
macro_rules! webhook {
    ($rest:literal) => {
        concat!(
            "SELECT id, organization_id, address, description, kinds, failures, failing_since, next_attempt_at, \
             paused_at, pause_reason, previous_secret_until, wanted_position - position AS waiting, created_at, version \
             FROM webhooks WHERE removed_at IS NULL AND ",
            belongs!("?1"),
            $rest
        )
    };
}

static ADD: SqlStatement = SqlStatement::new(
    "webhooks.add",
    concat!(
        "INSERT INTO webhooks (id, organization_id, address, description, sealed_secret, kinds, position, \
         wanted_position, next_attempt_at, created_at) \
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, h.position, h.position, ?7, ?7 \
         FROM (SELECT COALESCE((SELECT MAX(position) FROM log_chain), 0) AS position) h \
         WHERE (SELECT COUNT(*) FROM webhooks WHERE removed_at IS NULL AND ",
        belongs!("?2"),
        ") < ?8"
    ),
);
static COUNT: SqlStatement = SqlStatement::new(
    "webhooks.count",
    concat!("SELECT COUNT(*) AS total FROM webhooks WHERE removed_at IS NULL AND ", belongs!("?1")),
);
static PAGE: SqlStatement = SqlStatement::new("webhooks.page", webhook!(" AND id > ?2 ORDER BY id LIMIT ?3"));
static FIND: SqlStatement = SqlStatement::new("webhooks.find", webhook!(" AND id = ?2"));
static SECRET: SqlStatement = SqlStatement::new(
    "webhooks.secret",
    "SELECT sealed_secret FROM webhooks WHERE id = ?1 AND removed_at IS NULL",
);
static CHANGE: SqlStatement = SqlStatement::new(
    "webhooks.change",
    "UPDATE webhooks SET failures = CASE WHEN address = ?3 THEN failures ELSE 0 END, \
     failing_since = CASE WHEN address = ?3 THEN failing_since ELSE NULL END, \
     next_attempt_at = CASE WHEN address = ?3 THEN next_attempt_at ELSE ?6 END, \
     address = ?3, description = ?4, kinds = ?5, version = version + 1 \
     WHERE id = ?1 AND version = ?2 AND removed_at IS NULL",
);
static ROTATE: SqlStatement = SqlStatement::new(
    "webhooks.rotate",
    "UPDATE webhooks SET sealed_previous_secret = sealed_secret, previous_secret_until = ?4, sealed_secret = ?3, \
     version = version + 1 WHERE id = ?1 AND version = ?2 AND removed_at IS NULL",
);
static PAUSE: SqlStatement = SqlStatement::new(
    "webhooks.stop",
    "UPDATE webhooks SET paused_at = ?2, pause_reason = 'stopped', version = version + 1 \
     WHERE id = ?1 AND paused_at IS NULL AND removed_at IS NULL",
);
static RESUME: SqlStatement = SqlStatement::new(
    "webhooks.resume",
    "UPDATE webhooks SET paused_at = NULL, pause_reason = NULL, failures = 0, failing_since = NULL, \
     next_attempt_at = ?2, version = version + 1 WHERE id = ?1 AND paused_at IS NOT NULL AND removed_at IS NULL",
);
static REPLAY: SqlStatement = SqlStatement::new(
    "webhooks.replay",
    "UPDATE webhooks SET position = ?2, wanted_position = (SELECT COALESCE(MAX(c.position), 0) FROM log_chain c), \
     next_attempt_at = ?3, claimed_until = 0, version = version + 1 WHERE id = ?1 AND removed_at IS NULL",
);
static REMOVE: SqlStatement = SqlStatement::new(
    "webhooks.remove",
    "UPDATE webhooks SET removed_at = ?2, version = version + 1 WHERE id = ?1 AND removed_at IS NULL",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&ADD, &COUNT, &PAGE, &FIND, &SECRET, &CHANGE, &ROTATE, &PAUSE, &RESUME, &REPLAY, &REMOVE];
