//! The security log: events are added in the batch that causes them, and read. No other operation exists.

use crate::dependency_snapshot::DependencySnapshot;
use crate::failure::StoreFailure;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardedStatement, WriteBatch};
use compact_str::CompactString;
use sinete_core::events::log_chain::{LogChainHash, LoggedEvent, PersonalEventData};
use sinete_core::events::security_event::SecurityEvent;
use sinete_core::id::{AccountId, EventId, OrganizationId};

/// Most events on one page.
pub const PAGE_EVENTS_MAX: u32 = 1000;

/// An event as stored, with the origin of its request unless erased.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecurityLogEntry {
    /// The event.
    pub event: LoggedEvent,
    /// The origin of the request; `None` if it was unknown or has been erased.
    pub personal: Option<PersonalEventData>,
}

impl WriteBatch {
    /// Adds the event to the batch, with the origin of the request, which can be erased later.
    pub fn with_event(self, event: &SecurityEvent) -> Self {
        self.with_event_statement(GuardedStatement::exactly_one(&APPEND, event_columns(event)))
    }

    /// Adds the event to the batch, if the dependencies of a service's own token are at this version.
    /// Otherwise nothing of the batch happens.
    pub fn with_event_at_version(self, event: &SecurityEvent, facts: DependencySnapshot) -> Self {
        let mut parameters = Vec::with_capacity(16);
        parameters.extend(event_columns(event));
        parameters.push(facts.version.into());
        self.with_event_statement(GuardedStatement::exactly_one(&APPEND_AT, parameters))
    }
}

/// Lists the events after this one, or the first ones, oldest first: at most `limit` or [`PAGE_EVENTS_MAX`],
/// whichever is less.
pub async fn list_events(
    store: &Store,
    after: Option<EventId>,
    limit: u32,
) -> Result<Vec<SecurityLogEntry>, StoreFailure> {
    let before_all = EventId::from_bytes([0; 16]);
    let parameters = [after.unwrap_or(before_all).into(), limit.min(PAGE_EVENTS_MAX).into()];
    store.read_list(&PAGE, &parameters).await?.iter().map(read_entry).collect()
}

/// Finds the event of this id.
pub async fn find_event(store: &Store, id: EventId) -> Result<Option<SecurityLogEntry>, StoreFailure> {
    store.read_first(&FIND, &[id.into()]).await?.as_ref().map(read_entry).transpose()
}

/// Lists events with this account as actor or subject, after this one or from the first on, oldest first.
pub async fn list_account_events(
    store: &Store,
    account: AccountId,
    after: Option<EventId>,
    limit: u32,
) -> Result<Vec<SecurityLogEntry>, StoreFailure> {
    let before_all = EventId::from_bytes([0; 16]);
    let account = account.to_string();
    let parameters = [account.into(), after.unwrap_or(before_all).into(), limit.min(PAGE_EVENTS_MAX).into()];
    store.read_list(&PAGE_OF_ACCOUNT, &parameters).await?.iter().map(read_entry).collect()
}

/// Lists events of this organization, after this one or from the first on, oldest first.
pub async fn list_organization_events(
    store: &Store,
    organization: OrganizationId,
    after: Option<EventId>,
    limit: u32,
) -> Result<Vec<SecurityLogEntry>, StoreFailure> {
    let before_all = EventId::from_bytes([0; 16]);
    let parameters =
        [organization.into(), after.unwrap_or(before_all).into(), limit.min(PAGE_EVENTS_MAX).into()];
    store.read_list(&PAGE_OF_ORGANIZATION, &parameters).await?.iter().map(read_entry).collect()
}

/// Which events a list of the newest contains.
#[derive(Clone, Copy, Debug)]
pub enum NewestEventsOf {
    /// All.
    All,
    /// Those of an organization.
    Organization(OrganizationId),
    /// Those with an account as actor or subject, in one organization if it is given.
    Account(AccountId, Option<OrganizationId>),
}

/// A list of the newest events.
#[derive(Clone, Copy, Debug)]
pub struct NewestEvents<'a> {
    /// Whose events.
    pub scope: NewestEventsOf,
    /// Only events of this kind.
    pub kind: Option<&'a str>,
    /// Only events of requests from this network address. Events that are written with every token have none of their
    /// own in this list, unless it is of an account.
    pub address: Option<&'a str>,
    /// Only events older than this one.
    pub before: Option<EventId>,
    /// Only events newer than this one.
    pub since: Option<EventId>,
}

/// The kinds of events that are written with every token. The indexes of addresses and kinds leave them out: as the most
/// frequent ones, they are found by reading the log backwards.
const TOKEN_KINDS: [&str; 5] =
    ["token.issued", "token.exchanged", "code.redeemed", "refresh_token.rotated", "refresh_token.used"];

/// The condition on the column `kind` that leaves them out: as in the definition of SQLite's indexes, or they could not be
/// used.
macro_rules! without_token_kinds {
    ($kind:literal) => {
        concat!(
            " AND ",
            $kind,
            " <> 'token.issued' AND ",
            $kind,
            " <> 'token.exchanged' AND ",
            $kind,
            " <> 'code.redeemed' AND ",
            $kind,
            " <> 'refresh_token.rotated' AND ",
            $kind,
            " <> 'refresh_token.used'"
        )
    };
}
pub(super) use without_token_kinds;

/// Lists events newest first.
pub async fn list_newest_events(
    store: &Store,
    list: NewestEvents<'_>,
    limit: u32,
) -> Result<Vec<SecurityLogEntry>, StoreFailure> {
    let NewestEvents { scope: of, kind, address, before, since } = list;
    let before = before.unwrap_or(EventId::from_bytes([0xff; 16]));
    let since = since.unwrap_or(EventId::from_bytes([0; 16]));
    let mut parameters: Vec<SqlValue> = vec![before.into(), since.into(), limit.min(PAGE_EVENTS_MAX).into()];
    let statement = match (of, address, kind) {
        (NewestEventsOf::All, Some(address), kind) => {
            parameters.extend([kind.into(), address.into()]);
            &NEWEST_OF_ADDRESS
        }
        (NewestEventsOf::All, None, Some(kind)) if !TOKEN_KINDS.contains(&kind) => {
            parameters.push(kind.into());
            &NEWEST_OF_KIND
        }
        (NewestEventsOf::All, None, kind) => {
            parameters.push(kind.into());
            &NEWEST
        }
        (NewestEventsOf::Organization(organization), Some(address), kind) => {
            parameters.extend([kind.into(), organization.into(), address.into()]);
            &NEWEST_OF_ORGANIZATION_ADDRESS
        }
        (NewestEventsOf::Organization(organization), None, kind) => {
            parameters.extend([kind.into(), organization.into()]);
            &NEWEST_OF_ORGANIZATION
        }
        (NewestEventsOf::Account(account, organization), address, kind) => {
            parameters.extend([kind.into(), account.to_string().into(), organization.into(), address.into()]);
            &NEWEST_OF_ACCOUNT
        }
    };
    store.read_list(statement, &parameters).await?.iter().map(read_entry).collect()
}

/// Lists the latest events with this account as actor or subject, newest first.
pub async fn list_latest_account_events(
    store: &Store,
    account: AccountId,
    limit: u32,
) -> Result<Vec<SecurityLogEntry>, StoreFailure> {
    let parameters = [account.to_string().into(), limit.min(PAGE_EVENTS_MAX).into()];
    store.read_list(&LATEST_OF_ACCOUNT, &parameters).await?.iter().map(read_entry).collect()
}

fn event_columns(event: &SecurityEvent) -> [SqlValue; 15] {
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

fn read_entry(row: &SqlRow) -> Result<SecurityLogEntry, StoreFailure> {
    let text = |column| row.optional_text(column).map(|text| text.map(CompactString::from));
    let personal_hash = match row.optional_blob("l.personal_hash")? {
        None => None,
        Some(_) => Some(read_hash(row, "l.personal_hash")?),
    };
    let event = LoggedEvent {
        id: row.id("l.id")?,
        at: row.timestamp("l.at")?,
        kind: row.text("l.kind")?.into(),
        actor_kind: row.text("l.actor_kind")?.into(),
        actor_id: text("l.actor_id")?,
        subject_kind: text("l.subject_kind")?,
        subject_id: text("l.subject_id")?,
        organization: row.optional_id("l.organization_id")?,
        client: text("l.client_id")?,
        request: row.optional_id("l.request_id")?,
        detail: row.text("l.detail")?.into(),
        personal_hash,
    };
    Ok(SecurityLogEntry { event, personal: read_personal_data(row)? })
}

/// Reads a hash column.
pub(crate) fn read_hash(row: &SqlRow, column: &str) -> Result<LogChainHash, StoreFailure> {
    let bytes = row.blob(column)?.try_into().map_err(|_| row.damaged_column(column, "a SHA-256"))?;
    Ok(LogChainHash::from_bytes(bytes))
}

/// Reads the three columns of a request's origin; `None` if they are empty.
pub(crate) fn read_personal_data(row: &SqlRow) -> Result<Option<PersonalEventData>, StoreFailure> {
    let Some(salt) = row.optional_blob("salt")? else { return Ok(None) };
    let text = |column| row.optional_text(column).map(|text| text.map(CompactString::from));
    Ok(Some(PersonalEventData {
        salt: salt.to_vec(),
        address: text("address")?,
        user_agent: text("user_agent")?,
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

// The kind is part of the condition because the indexes cover only user accounts.
static PAGE_OF_ACCOUNT: SqlStatement = SqlStatement::new(
    "security_log.of_account",
    "SELECT l.id, l.at, l.kind, l.actor_kind, l.actor_id, l.subject_kind, l.subject_id, l.organization_id, \
     l.client_id, l.request_id, l.detail, l.personal_hash, l.salt, l.address, l.user_agent \
     FROM security_log l WHERE l.id > ?2 AND ((l.actor_id = ?1 AND l.actor_kind IN ('account', 'membership')) \
     OR (l.subject_id = ?1 AND l.subject_kind IN ('account', 'membership'))) ORDER BY l.id LIMIT ?3",
);

static PAGE_OF_ORGANIZATION: SqlStatement = SqlStatement::new(
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

macro_rules! newest {
    ($of:expr) => {
        concat!(
            "SELECT l.id, l.at, l.kind, l.actor_kind, l.actor_id, l.subject_kind, l.subject_id, l.organization_id, \
             l.client_id, l.request_id, l.detail, l.personal_hash, l.salt, l.address, l.user_agent \
             FROM security_log l WHERE l.id < ?1 AND l.id > ?2 AND ",
            $of,
            " ORDER BY l.id DESC LIMIT ?3"
        )
    };
}

macro_rules! of_any_kind {
    () => {
        "(CAST(?4 AS TEXT) IS NULL OR l.kind = ?4)"
    };
}

static NEWEST: SqlStatement = SqlStatement::new("security_log.newest", newest!(of_any_kind!()));
// The bounds name kind and id together, so that no planner prefers the primary key, which would have to pass over all
// other kinds.
static NEWEST_OF_KIND: SqlStatement = SqlStatement::new(
    "security_log.newest_of_kind",
    concat!(
        "SELECT l.id, l.at, l.kind, l.actor_kind, l.actor_id, l.subject_kind, l.subject_id, l.organization_id, \
         l.client_id, l.request_id, l.detail, l.personal_hash, l.salt, l.address, l.user_agent \
         FROM security_log l WHERE (l.kind, l.id) < (?4, ?1) AND (l.kind, l.id) > (?4, ?2)",
        without_token_kinds!("l.kind"),
        " ORDER BY l.kind DESC, l.id DESC LIMIT ?3"
    ),
);
static NEWEST_OF_ADDRESS: SqlStatement = SqlStatement::new(
    "security_log.newest_of_address",
    newest!(concat!(of_any_kind!(), " AND l.address = ?5", without_token_kinds!("l.kind"))),
);
static NEWEST_OF_ORGANIZATION: SqlStatement = SqlStatement::new(
    "security_log.newest_of_organization",
    newest!(concat!(of_any_kind!(), " AND l.organization_id = ?5")),
);
static NEWEST_OF_ORGANIZATION_ADDRESS: SqlStatement = SqlStatement::new(
    "security_log.newest_of_organization_address",
    newest!(concat!(
        of_any_kind!(),
        " AND l.organization_id = ?5 AND l.address = ?6",
        without_token_kinds!("l.kind")
    )),
);
static NEWEST_OF_ACCOUNT: SqlStatement = SqlStatement::new(
    "security_log.newest_of_account",
    newest!(concat!(
        of_any_kind!(),
        " AND ((l.actor_id = ?5 AND l.actor_kind IN ('account', 'membership')) \
         OR (l.subject_id = ?5 AND l.subject_kind IN ('account', 'membership'))) \
         AND (CAST(?6 AS BYTEA) IS NULL OR l.organization_id = ?6) \
         AND (CAST(?7 AS TEXT) IS NULL OR l.address = ?7)"
    )),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &APPEND,
    &APPEND_AT,
    &PAGE,
    &FIND,
    &PAGE_OF_ACCOUNT,
    &PAGE_OF_ORGANIZATION,
    &LATEST_OF_ACCOUNT,
    &NEWEST,
    &NEWEST_OF_KIND,
    &NEWEST_OF_ADDRESS,
    &NEWEST_OF_ORGANIZATION,
    &NEWEST_OF_ORGANIZATION_ADDRESS,
    &NEWEST_OF_ACCOUNT,
];
