//! The audit log of each organization. Entries are added and never changed. Sign-ins are read from the security log, which
//! has them for its retention time.

use crate::active_conditions::filter_only;
use crate::events::{audit_log_address, sign_in_entries};
use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::row::SqlRow;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::GuardedStatement;
use sinete_core::id::{EventId, OrganizationId};
use sinete_core::limits::CLOCK_TOLERANCE;
use sinete_core::time::Timestamp;

/// The kind of the events that are sign-ins to an application of the organization.
pub const SIGN_IN_KIND: &str = "grant.given";

/// An audit log entry to add. It has the id of its security event.
#[derive(Clone, Debug)]
pub struct NewAuditEntry<'a> {
    /// Its id.
    pub id: EventId,
    /// The organization whose audit log it belongs to.
    pub organization: OrganizationId,
    /// When it happened.
    pub at: Timestamp,
    /// The event kind.
    pub kind: &'a str,
    /// The kind of actor.
    pub actor_kind: &'a str,
    /// The actor's id, if it has one.
    pub actor_id: Option<&'a str>,
    /// The subject, by kind and id.
    pub subject: Option<(&'a str, &'a str)>,
    /// The reason given, if one is required.
    pub reason: &'a str,
    /// Event details.
    pub detail: &'a JsonDocument,
}

/// An audit log entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AuditLogEntry {
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
    /// The reason given; empty if none is required.
    pub reason: String,
    /// Event details.
    pub detail: JsonDocument,
    /// The network address of the request; `None` if it was unknown, was erased or is in the archive only.
    pub address: Option<String>,
    /// The user agent of the request, likewise.
    pub user_agent: Option<String>,
}

/// The order in which the audit log is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AuditLogOrder {
    /// Oldest entries first.
    #[default]
    OldestFirst,
    /// Newest entries first.
    NewestFirst,
}

/// A query of the audit log.
#[derive(Clone, Copy, Debug)]
pub struct AuditLogQuery<'a> {
    /// The organization.
    pub organization: OrganizationId,
    /// The order.
    pub order: AuditLogOrder,
    /// Only entries after this one, in that order.
    pub after: Option<EventId>,
    /// Only entries from this time on.
    pub since: Option<Timestamp>,
    /// Only entries before this time.
    pub until: Option<Timestamp>,
    /// Only entries of this actor.
    pub actor: Option<&'a str>,
    /// Only entries of this kind.
    pub kind: Option<&'a str>,
    /// Only entries about the subject with this id; for a sign-in, the client.
    pub subject: Option<&'a str>,
    /// Only entries of requests from this network address.
    pub address: Option<&'a str>,
    /// Whether sign-ins are included.
    pub with_sign_ins: bool,
    /// At most this many.
    pub limit: u32,
}

/// Adds an entry.
pub fn append_audit_entry(entry: &NewAuditEntry<'_>) -> GuardedStatement {
    GuardedStatement::exactly_one(
        &APPEND,
        [
            entry.id.into(),
            entry.organization.into(),
            entry.at.into(),
            entry.kind.into(),
            entry.actor_kind.into(),
            entry.actor_id.into(),
            entry.subject.map(|(kind, _)| kind).into(),
            entry.subject.map(|(_, id)| id).into(),
            entry.reason.into(),
            entry.detail.into(),
        ],
    )
}

/// Lists a page of the audit log. A query by time scans only that part, however long the log is: ids are in
/// the order of time, so the scan is bounded by ids, and the times themselves decide what is included.
pub async fn list_audit_entries(
    store: &Store,
    query: &AuditLogQuery<'_>,
) -> Result<Vec<AuditLogEntry>, StoreFailure> {
    let is_of_sign_ins = query.kind == Some(SIGN_IN_KIND);
    let has_sign_ins = is_of_sign_ins || query.with_sign_ins && query.kind.is_none();
    let mut entries = match (is_of_sign_ins, query.address) {
        (true, _) => Vec::new(),
        (false, Some(address)) => audit_log_address::list_entries_of_address(store, query, address).await?,
        (false, None) => list_changes(store, query).await?,
    };
    audit_log_address::add_origins(store, &mut entries).await?;
    if has_sign_ins {
        entries.extend(sign_in_entries::list_sign_ins(store, query).await?);
        match query.order {
            AuditLogOrder::OldestFirst => entries.sort_by_key(|entry| entry.id),
            AuditLogOrder::NewestFirst => entries.sort_by_key(|entry| std::cmp::Reverse(entry.id)),
        }
        entries.truncate(usize::try_from(query.limit).unwrap_or(usize::MAX));
    }
    Ok(entries)
}

/// The entries other than sign-ins, whatever their address.
async fn list_changes(store: &Store, query: &AuditLogQuery<'_>) -> Result<Vec<AuditLogEntry>, StoreFailure> {
    let mut parameters = range_parameters(query);
    let statement = match (query.order, query.subject) {
        (order, Some(subject)) => {
            parameters.extend([subject.into(), query.actor.into(), query.kind.into()]);
            match order {
                AuditLogOrder::OldestFirst => &PAGE_OF_SUBJECT,
                AuditLogOrder::NewestFirst => &LATEST_OF_SUBJECT,
            }
        }
        (order, None) => {
            parameters.extend(query.actor.map(SqlValue::from));
            parameters.extend(query.kind.map(SqlValue::from));
            match (order, query.actor, query.kind) {
                (AuditLogOrder::OldestFirst, None, None) => &PAGE,
                (AuditLogOrder::OldestFirst, Some(_), None) => &PAGE_OF_ACTOR,
                (AuditLogOrder::OldestFirst, None, Some(_)) => &PAGE_OF_KIND,
                (AuditLogOrder::OldestFirst, Some(_), Some(_)) => &PAGE_OF_ACTOR_AND_KIND,
                (AuditLogOrder::NewestFirst, None, None) => &LATEST,
                (AuditLogOrder::NewestFirst, Some(_), None) => &LATEST_OF_ACTOR,
                (AuditLogOrder::NewestFirst, None, Some(_)) => &LATEST_OF_KIND,
                (AuditLogOrder::NewestFirst, Some(_), Some(_)) => &LATEST_OF_ACTOR_AND_KIND,
            }
        }
    };
    store.read_list(statement, &parameters).await?.iter().map(read_audit_entry).collect()
}

/// The first six parameters of every page: the organization, the ids and times between which entries are, and how many.
pub(super) fn range_parameters(query: &AuditLogQuery<'_>) -> Vec<SqlValue> {
    let AuditLogIdRange { above, below } = AuditLogIdRange::from_query(query);
    vec![
        query.organization.into(),
        // Empty bytes sort before every id.
        above.map_or_else(SqlValue::empty_bytes, SqlValue::from),
        // Seventeen bytes of 0xff sort after every id.
        below.map_or_else(|| SqlValue::from([u8::MAX; 17]), SqlValue::from),
        query.since.unwrap_or(Timestamp::from_micros(i64::MIN)).into(),
        query.until.unwrap_or(Timestamp::from_micros(i64::MAX)).into(),
        query.limit.into(),
    ]
}

/// The ids between which matching entries can be.
struct AuditLogIdRange {
    above: Option<EventId>,
    below: Option<EventId>,
}

impl AuditLogIdRange {
    /// An entry gets its id when it happens, from the clock that also gives its time. The clocks of an
    /// instance differ by a limited amount, and an id may differ from its time by as much
    /// (docs/contribute/decisions/0200-audit-log-filter-by-time.md).
    fn from_query(query: &AuditLogQuery<'_>) -> Self {
        let since = query.since.map(|since| EventId::lower_bound_at(since.minus(CLOCK_TOLERANCE)).previous());
        let until = query.until.map(|until| EventId::lower_bound_at(until.plus(CLOCK_TOLERANCE)));
        match query.order {
            AuditLogOrder::OldestFirst => Self { above: query.after.max(since), below: until },
            AuditLogOrder::NewestFirst => Self {
                above: since,
                below: query.after.map_or(until, |after| Some(until.map_or(after, |until| until.min(after)))),
            },
        }
    }
}

/// Finds one entry of an organization's audit log, or a sign-in.
pub async fn find_audit_entry(
    store: &Store,
    organization: OrganizationId,
    id: EventId,
) -> Result<Option<AuditLogEntry>, StoreFailure> {
    let sql = store.read_first(&FIND, &[organization.into(), id.into()]).await?;
    match sql.as_ref().map(read_audit_entry).transpose()? {
        Some(mut entry) => {
            audit_log_address::add_origins(store, std::slice::from_mut(&mut entry)).await?;
            Ok(Some(entry))
        }
        None => sign_in_entries::find_sign_in(store, organization, id).await,
    }
}

pub(super) fn read_audit_entry(row: &SqlRow) -> Result<AuditLogEntry, StoreFailure> {
    Ok(AuditLogEntry {
        id: row.id("id")?,
        at: row.timestamp("at")?,
        kind: row.text("kind")?.to_owned(),
        actor_kind: row.text("actor_kind")?.to_owned(),
        actor_id: row.optional_text("actor_id")?.map(str::to_owned),
        subject_kind: row.optional_text("subject_kind")?.map(str::to_owned),
        subject_id: row.optional_text("subject_id")?.map(str::to_owned),
        reason: row.text("reason")?.to_owned(),
        detail: JsonDocument::from_row(row, "detail")?,
        address: None,
        user_agent: None,
    })
}

static APPEND: SqlStatement = SqlStatement::new(
    "audit.append",
    "INSERT INTO audit (id, organization_id, at, kind, actor_kind, actor_id, subject_kind, subject_id, reason, detail) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
);

macro_rules! columns {
    () => {
        "SELECT id, at, kind, actor_kind, actor_id, subject_kind, subject_id, reason, detail FROM audit \
         WHERE organization_id = ?1 AND "
    };
}

/// A page between two ids and two times.
macro_rules! page {
    ($order:literal) => {
        concat!(columns!(), "id > ?2 AND id < ?3 AND at >= ?4 AND at < ?5 ORDER BY id", $order, " LIMIT ?6")
    };
}

/// The same of the entries that have this value in a column.
macro_rules! page_of {
    ($column:literal, $more:expr, $order:literal) => {
        concat!(columns!(), page_of_value!($column, $more, $order))
    };
}

/// Matches the actor and kind if they are given.
macro_rules! of_actor_and_kind {
    () => {
        concat!(
            " AND ",
            filter_only!("(CAST(?8 AS TEXT) IS NULL OR actor_id = ?8)"),
            " AND ",
            filter_only!("(CAST(?9 AS TEXT) IS NULL OR kind = ?9)")
        )
    };
}

static PAGE: SqlStatement = SqlStatement::new("audit.page", page!(""));
static PAGE_OF_ACTOR: SqlStatement = SqlStatement::new("audit.page_of_actor", page_of!("actor_id", "", ""));
static PAGE_OF_KIND: SqlStatement = SqlStatement::new("audit.page_of_kind", page_of!("kind", "", ""));
static PAGE_OF_ACTOR_AND_KIND: SqlStatement = SqlStatement::new(
    "audit.page_of_actor_and_kind",
    page_of!("actor_id", concat!(" AND ", filter_only!("kind = ?8")), ""),
);
static PAGE_OF_SUBJECT: SqlStatement =
    SqlStatement::new("audit.page_of_subject", page_of!("subject_id", of_actor_and_kind!(), ""));

static LATEST: SqlStatement = SqlStatement::new("audit.latest", page!(" DESC"));
static LATEST_OF_ACTOR: SqlStatement =
    SqlStatement::new("audit.latest_of_actor", page_of!("actor_id", "", " DESC"));
static LATEST_OF_KIND: SqlStatement =
    SqlStatement::new("audit.latest_of_kind", page_of!("kind", "", " DESC"));
static LATEST_OF_ACTOR_AND_KIND: SqlStatement = SqlStatement::new(
    "audit.latest_of_actor_and_kind",
    page_of!("actor_id", concat!(" AND ", filter_only!("kind = ?8")), " DESC"),
);
static LATEST_OF_SUBJECT: SqlStatement =
    SqlStatement::new("audit.latest_of_subject", page_of!("subject_id", of_actor_and_kind!(), " DESC"));
static FIND: SqlStatement = SqlStatement::new("audit.find", concat!(columns!(), "id = ?2"));

pub(crate) static STATEMENTS: &[&SqlStatement] = &[
    &APPEND,
    &PAGE,
    &PAGE_OF_ACTOR,
    &PAGE_OF_KIND,
    &PAGE_OF_ACTOR_AND_KIND,
    &PAGE_OF_SUBJECT,
    &LATEST,
    &LATEST_OF_ACTOR,
    &LATEST_OF_KIND,
    &LATEST_OF_ACTOR_AND_KIND,
    &LATEST_OF_SUBJECT,
    &FIND,
];
