//! Orphaned relationships: those of a subject that is no longer in the organization, or of a removed role.
//! They have no effect and never regain one, so they can be deleted at any time.

use super::relationships::{RelationshipScope, is_no_leftover};
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{BatchOutcome, WriteBatch};
use sinete_core::id::RelationshipId;

/// A page of a scan over all relationships, by id.
#[derive(Clone, Debug, Default)]
pub struct OrphanedRelationshipPage {
    /// The last one scanned; `None` at the end.
    pub last: Option<RelationshipId>,
    /// The orphaned ones, with their API and organization.
    pub orphaned: Vec<(RelationshipScope, RelationshipId)>,
}

/// Scans the relationships after this one.
pub async fn scan_orphaned_relationships(
    store: &Store,
    after: Option<RelationshipId>,
    limit: u32,
) -> Result<OrphanedRelationshipPage, StoreFailure> {
    // Empty bytes sort before every id.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    let rows = store.read_list(&SCAN, &[after, limit.into()]).await?;
    let mut part = OrphanedRelationshipPage::default();
    for row in &rows {
        let id = row.id("id")?;
        part.last = Some(id);
        if row.flag("is_orphaned")? {
            part.orphaned.push((
                RelationshipScope { api: row.id("api_id")?, organization: row.id("organization_id")? },
                id,
            ));
        }
    }
    Ok(part)
}

/// Removes orphaned relationships of one API and organization, and updates the count there.
pub async fn remove_orphaned_relationships(
    store: &Store,
    scope: RelationshipScope,
    leftover: &[RelationshipId],
) -> Result<BatchOutcome, StoreFailure> {
    let fewer = i64::try_from(leftover.len()).unwrap_or(i64::MAX);
    let batch = WriteBatch::new()
        .with_statement(super::relationships::lock_relationships(scope, -fewer))
        .with_statements(leftover.iter().map(|id| super::relationships::remove_relationship(scope, *id)));
    store.commit(batch).await
}

static SCAN: SqlStatement = SqlStatement::new(
    "relationships.part",
    concat!(
        "SELECT id, api_id, organization_id, CASE WHEN ",
        is_no_leftover!(),
        " THEN 0 ELSE 1 END AS is_orphaned FROM relationships WHERE id > ?1 ORDER BY id LIMIT ?2"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&SCAN];
