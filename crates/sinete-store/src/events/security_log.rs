//! The security log: events are added in the act they belong to, and read. There is no other verb.

use crate::failure::StoreFailure;
use crate::oauth::client_authentication::DependencySnapshot;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardedStatement, WriteBatch};
use compact_str::CompactString;
use sinete_core::events::log_chain::{LogChainHash, LoggedEvent, PersonalEventData};
use sinete_core::events::security_event::SecurityEvent;
use sinete_core::id::{AccountId, EventId, OrganizationId};

/// Most events one page may hold.
pub const PAGE_EVENTS_MAX: u32 = 1000;

/// An event as it is stored, with what is left of where it came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityLogEntry {
    /// The event.
    pub event: LoggedEvent,
    /// Where the request came from; nothing if that was unknown or has been erased.
    pub personal: Option<PersonalEventData>,
}

impl WriteBatch {
    /// The same act, which also writes the event down, and where the request came from with it, which can be erased.
    pub fn with_event(self, event: &SecurityEvent) -> Self {
        self.with_statement(GuardedStatement::exactly_one(&APPEND, columns(event)))
    }

    /// The same act, which also writes the event down, if what a service's own token hangs on is at this version. If it
    /// is not, nothing of the act happens.
    pub fn with_event_at_version(self, event: &SecurityEvent, facts: DependencySnapshot) -> Self {
        let mut parameters = Vec::with_capacity(16);
        parameters.extend(columns(event));
        parameters.push(facts.version.into());
        self.with_statement(GuardedStatement::exactly_one(&APPEND_AT, parameters))
    }
}

/// The id of an event that the act records, where it records one. No other act writes a row of this id.
pub(crate) fn recorded_event_id(act: &WriteBatch) -> Option<&SqlValue> {
    let appends =
        |step: &&GuardedStatement| [APPEND.name(), APPEND_AT.name()].contains(&step.statement.name());
    act.statements().iter().find(appends).and_then(|step| step.parameters.first())
}

/// The events that follow this one, or the first ones, oldest first, `most` of them or
/// [`PAGE_EVENTS_MAX`], whichever is less.
pub async fn list_events(
    store: &Store,
    after: Option<EventId>,
    most: u32,
) -> Result<Vec<SecurityLogEntry>, StoreFailure> {
    let before_all = EventId::from_bytes([0; 16]);
    let parameters = [after.unwrap_or(before_all).into(), most.min(PAGE_EVENTS_MAX).into()];
    store.read_list(&PAGE, &parameters).await?.iter().map(entry).collect()
}

/// The event with this id.
pub async fn find_event(store: &Store, id: EventId) -> Result<Option<SecurityLogEntry>, StoreFailure> {
    store.read_first(&FIND, &[id.into()]).await?.as_ref().map(entry).transpose()
}

/// The events that this account did or that were done to it, after this one or from the first on, oldest first.
pub async fn list_account_events(
    store: &Store,
    account: AccountId,
    after: Option<EventId>,
    most: u32,
) -> Result<Vec<SecurityLogEntry>, StoreFailure> {
    let before_all = EventId::from_bytes([0; 16]);
    let account = account.to_string();
    let parameters = [account.into(), after.unwrap_or(before_all).into(), most.min(PAGE_EVENTS_MAX).into()];
    store.read_list(&OF_ACCOUNT, &parameters).await?.iter().map(entry).collect()
}

/// The events that concern this organization, after this one or from the first on, oldest first.
pub async fn list_organization_events(
    store: &Store,
    organization: OrganizationId,
    after: Option<EventId>,
    most: u32,
) -> Result<Vec<SecurityLogEntry>, StoreFailure> {
    let before_all = EventId::from_bytes([0; 16]);
    let parameters =
        [organization.into(), after.unwrap_or(before_all).into(), most.min(PAGE_EVENTS_MAX).into()];
    store.read_list(&OF_ORGANIZATION, &parameters).await?.iter().map(entry).collect()
}

/// The latest events that this account did or that were done to it, newest first.
pub async fn list_latest_account_events(
    store: &Store,
    account: AccountId,
    most: u32,
) -> Result<Vec<SecurityLogEntry>, StoreFailure> {
    let parameters = [account.to_string().into(), most.min(PAGE_EVENTS_MAX).into()];
    store.read_list(&LATEST_OF_ACCOUNT, &parameters).await?.iter().map(entry).collect()
}

fn columns(event: &SecurityEvent) -> [SqlValue; 15] {
    let (row, personal) = LoggedEvent::from_event(event);
    let (salt, address, user_agent) = match personal {
        Some(it) => (it.salt.into(), it.address.into(), it.user_agent.into()),
        None => (SqlValue::Null, SqlValue::Null, SqlValue::Null),
    };
    [
        row.id.into(),
        row.at.into(),
        row.kind.into(),
        row.actor_kind.into(),
        row.actor_id.into(),
        row.subject_kind.into(),
        row.subject_id.into(),
        row.organization.into(),
        row.client.into(),
        row.request.into(),
        row.detail.into(),
        row.personal_hash.map(|hash| *hash.as_bytes()).into(),
        salt,
        address,
        user_agent,
    ]
}

fn entry(row: &SqlRow) -> Result<SecurityLogEntry, StoreFailure> {
    let text = |column| row.optional_text(column).map(|text| text.map(CompactString::from));
    let personal_hash = match row.optional_blob(11)? {
        None => None,
        Some(bytes) => {
            let bytes = bytes.try_into().map_err(|_| row.damaged_column(11, "a SHA-256"))?;
            Some(LogChainHash::from_bytes(bytes))
        }
    };
    let event = LoggedEvent {
        id: row.id(0)?,
        at: row.timestamp(1)?,
        kind: row.text(2)?.into(),
        actor_kind: row.text(3)?.into(),
        actor_id: text(4)?,
        subject_kind: text(5)?,
        subject_id: text(6)?,
        organization: row.optional_id(7)?,
        client: text(8)?,
        request: row.optional_id(9)?,
        detail: row.text(10)?.into(),
        personal_hash,
    };
    Ok(SecurityLogEntry { event, personal: read_personal_data(row, 12)? })
}

/// The three columns that say where a request came from, from this one on; nothing if they are empty.
pub(crate) fn read_personal_data(
    row: &SqlRow,
    first: usize,
) -> Result<Option<PersonalEventData>, StoreFailure> {
    let Some(salt) = row.optional_blob(first)? else { return Ok(None) };
    let text = |column| row.optional_text(column).map(|text| text.map(CompactString::from));
    Ok(Some(PersonalEventData {
        salt: salt.to_vec(),
        address: text(first + 1)?,
        user_agent: text(first + 2)?,
    }))
}

static APPEND: SqlStatement = SqlStatement::new(
    "security_log.append",
    "INSERT INTO security_log (id, at, kind, actor_kind, actor_id, subject_kind, subject_id, organization_id, \
     client_id, request_id, detail, personal_hash, salt, address, user_agent) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
);
static APPEND_AT: SqlStatement = SqlStatement::conditional_row(
    "security_log.append_at",
    "INSERT INTO security_log (id, at, kind, actor_kind, actor_id, subject_kind, subject_id, organization_id, \
     client_id, request_id, detail, personal_hash, salt, address, user_agent) \
     SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15 \
     FROM service_facts f WHERE f.id = 1 AND f.version = ?16",
);
/// Whether there is an event of this id.
pub(crate) static EXISTS: SqlStatement =
    SqlStatement::new("security_log.exists", "SELECT 1 FROM security_log WHERE id = ?1");
static PAGE: SqlStatement = SqlStatement::new(
    "security_log.page",
    "SELECT l.id, l.at, l.kind, l.actor_kind, l.actor_id, l.subject_kind, l.subject_id, l.organization_id, \
     l.client_id, l.request_id, l.detail, l.personal_hash, l.salt, l.address, l.user_agent \
     FROM security_log l WHERE l.id > ?1 ORDER BY l.id LIMIT ?2",
);
static FIND: SqlStatement = SqlStatement::new(
    "security_log.find",
    "SELECT l.id, l.at, l.kind, l.actor_kind, l.actor_id, l.subject_kind, l.subject_id, l.organization_id, \
     l.client_id, l.request_id, l.detail, l.personal_hash, l.salt, l.address, l.user_agent \
     FROM security_log l WHERE l.id = ?1",
);

// People are named by their kind, too: the indexes hold nobody else.
static OF_ACCOUNT: SqlStatement = SqlStatement::new(
    "security_log.of_account",
    "SELECT l.id, l.at, l.kind, l.actor_kind, l.actor_id, l.subject_kind, l.subject_id, l.organization_id, \
     l.client_id, l.request_id, l.detail, l.personal_hash, l.salt, l.address, l.user_agent \
     FROM security_log l WHERE l.id > ?2 AND ((l.actor_id = ?1 AND l.actor_kind IN ('account', 'membership')) \
     OR (l.subject_id = ?1 AND l.subject_kind IN ('account', 'membership'))) ORDER BY l.id LIMIT ?3",
);

static OF_ORGANIZATION: SqlStatement = SqlStatement::new(
    "security_log.of_organization",
    "SELECT l.id, l.at, l.kind, l.actor_kind, l.actor_id, l.subject_kind, l.subject_id, l.organization_id, \
     l.client_id, l.request_id, l.detail, l.personal_hash, l.salt, l.address, l.user_agent \
     FROM security_log l WHERE l.organization_id = ?1 AND l.id > ?2 ORDER BY l.id LIMIT ?3",
);

static LATEST_OF_ACCOUNT: SqlStatement = SqlStatement::new(
    "security_log.latest_of_account",
    "SELECT l.id, l.at, l.kind, l.actor_kind, l.actor_id, l.subject_kind, l.subject_id, l.organization_id, \
     l.client_id, l.request_id, l.detail, l.personal_hash, l.salt, l.address, l.user_agent \
     FROM security_log l WHERE (l.actor_id = ?1 AND l.actor_kind IN ('account', 'membership')) \
     OR (l.subject_id = ?1 AND l.subject_kind IN ('account', 'membership')) ORDER BY l.id DESC LIMIT ?2",
);

pub(crate) static STATEMENTS: &[&SqlStatement] =
    &[&APPEND, &APPEND_AT, &EXISTS, &PAGE, &FIND, &OF_ACCOUNT, &OF_ORGANIZATION, &LATEST_OF_ACCOUNT];
