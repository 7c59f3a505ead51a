//! The one way in which entries leave an audit log: behind the horizon of their organization, after the retention.
//! The triggers refuse every other deletion, and a horizon that is not 30 days behind the signed head of the
//! security log.

use crate::failure::StoreFailure;
use crate::json_document::JsonDocument;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardedStatement, WriteBatch};
use sinete_core::id::{EventId, OrganizationId};
use sinete_core::limits::{CLEANUP_ROWS_MAX, CLOCK_TOLERANCE};
use sinete_core::time::Timestamp;

/// An organization with entries that may have passed its retention.
#[derive(Clone, Debug)]
pub struct AgedAuditLog {
    /// The organization.
    pub organization: OrganizationId,
    /// Its settings.
    pub settings: JsonDocument,
}

/// Lists organizations with entries from before this time, by id.
pub async fn list_aged_audit_logs(
    store: &Store,
    after: Option<OrganizationId>,
    before: Timestamp,
    limit: u32,
) -> Result<Vec<AgedAuditLog>, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    let rows = store.read_list(&LIST_AGED, &[after, id_bound(before).into(), limit.into()]).await?;
    rows.iter()
        .map(|row| {
            let settings = JsonDocument::from_row(row, "settings")?;
            Ok(AgedAuditLog { organization: row.id("id")?, settings })
        })
        .collect()
}

/// Whether an audit log has entries from before this time.
pub async fn has_entries_before(
    store: &Store,
    organization: OrganizationId,
    before: Timestamp,
) -> Result<bool, StoreFailure> {
    let parameters = [organization.into(), id_bound(before).into(), before.into()];
    Ok(store.read_first(&HAS_ENTRIES_BEFORE, &parameters).await?.is_some())
}

/// Moves the horizon of an organization to this time, unless it is there already, and removes entries behind it.
pub fn remove_entries_before(organization: OrganizationId, before: Timestamp) -> WriteBatch {
    let range = [organization.into(), id_bound(before).into(), before.into(), CLEANUP_ROWS_MAX.into()];
    WriteBatch::new().with_statements([
        GuardedStatement::any_number(&ADVANCE, [organization.into(), before.into()]),
        GuardedStatement::any_number(&REMOVE, range),
    ])
}

/// Ids of entries from before this time are lower. Clocks differ by a limited amount, so the time of an entry decides.
fn id_bound(before: Timestamp) -> EventId {
    EventId::lower_bound_at(before.plus(CLOCK_TOLERANCE))
}

static LIST_AGED: SqlStatement = SqlStatement::new(
    "audit_retention.aged",
    "SELECT o.id, o.settings FROM organizations o WHERE o.id > ?1 \
     AND EXISTS (SELECT 1 FROM audit a WHERE a.organization_id = o.id AND a.id < ?2) ORDER BY o.id LIMIT ?3",
);
static HAS_ENTRIES_BEFORE: SqlStatement = SqlStatement::new(
    "audit_retention.any",
    "SELECT 1 FROM audit a WHERE a.organization_id = ?1 AND a.id < ?2 AND a.at < ?3 LIMIT 1",
);
static ADVANCE: SqlStatement = SqlStatement::new(
    "audit_retention.advance",
    "INSERT INTO audit_horizons (organization_id, removed_before) VALUES (?1, ?2) \
     ON CONFLICT (organization_id) DO UPDATE SET removed_before = excluded.removed_before \
     WHERE audit_horizons.removed_before < excluded.removed_before",
);
static REMOVE: SqlStatement = SqlStatement::new(
    "audit_retention.remove",
    "DELETE FROM audit WHERE id IN (SELECT a.id FROM audit a WHERE a.organization_id = ?1 AND a.id < ?2 \
     AND a.at < ?3 ORDER BY a.id LIMIT ?4)",
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&LIST_AGED, &HAS_ENTRIES_BEFORE, &ADVANCE, &REMOVE];
