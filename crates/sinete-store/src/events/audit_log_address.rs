//! The network addresses of audit log entries. They are in the security log, where they can be erased.

use crate::events::audit_log::{
    AuditLogEntry, AuditLogOrder, AuditLogQuery, range_parameters, read_audit_entry,
};
use crate::events::security_log::without_token_kinds;
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use sinete_core::id::EventId;

/// Entries per statement.
const ENTRIES_PER_STATEMENT: usize = 50;

/// Lists the entries of requests from an address, without sign-ins.
pub(super) async fn list_entries_of_address(
    store: &Store,
    query: &AuditLogQuery<'_>,
    address: &str,
) -> Result<Vec<AuditLogEntry>, StoreFailure> {
    let mut parameters = range_parameters(query);
    parameters.extend([address.into(), query.actor.into(), query.kind.into(), query.subject.into()]);
    let statement = match query.order {
        AuditLogOrder::OldestFirst => &PAGE,
        AuditLogOrder::NewestFirst => &LATEST,
    };
    store.read_list(statement, &parameters).await?.iter().map(read_audit_entry).collect()
}

/// Adds address and user agent to entries.
pub(super) async fn add_origins(store: &Store, entries: &mut [AuditLogEntry]) -> Result<(), StoreFailure> {
    for some in entries.chunks_mut(ENTRIES_PER_STATEMENT) {
        let ids: Vec<SqlValue> =
            some.iter().map(|it| it.id).cycle().take(ENTRIES_PER_STATEMENT).map(SqlValue::from).collect();
        for row in store.read_list(&ORIGINS, &ids).await? {
            let id: EventId = row.id("id")?;
            if let Some(entry) = some.iter_mut().find(|entry| entry.id == id) {
                entry.address = row.optional_text("address")?.map(str::to_owned);
                entry.user_agent = row.optional_text("user_agent")?.map(str::to_owned);
            }
        }
    }
    Ok(())
}

macro_rules! of_address {
    ($order:literal) => {
        concat!(
            "SELECT a.id, a.at, a.kind, a.actor_kind, a.actor_id, a.subject_kind, a.subject_id, a.reason, a.detail \
             FROM security_log l JOIN audit a ON a.id = l.id WHERE l.organization_id = ?1 AND l.address = ?7 \
             AND l.id > ?2 AND l.id < ?3 AND l.at >= ?4 AND l.at < ?5 AND a.organization_id = ?1 \
             AND (CAST(?8 AS TEXT) IS NULL OR a.actor_id = ?8) AND (CAST(?9 AS TEXT) IS NULL OR a.kind = ?9) \
             AND (CAST(?10 AS TEXT) IS NULL OR a.subject_id = ?10)",
            without_token_kinds!("l.kind"),
            " ORDER BY l.id",
            $order,
            " LIMIT ?6"
        )
    };
}

static PAGE: SqlStatement = SqlStatement::new("audit.of_address", of_address!(""));
static LATEST: SqlStatement = SqlStatement::new("audit.newest_of_address", of_address!(" DESC"));
static ORIGINS: SqlStatement = SqlStatement::new(
    "audit.origins",
    "SELECT id, address, user_agent FROM security_log WHERE salt IS NOT NULL AND id IN \
     (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, \
     ?26, ?27, ?28, ?29, ?30, ?31, ?32, ?33, ?34, ?35, ?36, ?37, ?38, ?39, ?40, ?41, ?42, ?43, ?44, ?45, ?46, ?47, \
     ?48, ?49, ?50)",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&PAGE, &LATEST, &ORIGINS];
