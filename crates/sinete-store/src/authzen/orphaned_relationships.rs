//! What is left of those who are gone: relationships of somebody who is not of the organization any more, or of a role that
//! was removed. They count for nothing and nobody comes back to them, so that they can go at any time.

use super::relationships::{RelationshipScope, is_no_leftover};
use crate::failure::StoreFailure;
use crate::statement::SqlStatement;
use crate::store::Store;
use crate::value::SqlValue;
use crate::write_batch::{GuardConflict, WriteBatch};
use sinete_core::id::RelationshipId;

/// A part of all relationships, in the order of their ids.
#[derive(Clone, Debug, Default)]
pub struct OrphanedRelationshipPage {
    /// The last that was looked at; none at the end.
    pub last: Option<RelationshipId>,
    /// What is left of those who are gone, with where it is.
    pub leftover: Vec<(RelationshipScope, RelationshipId)>,
}

/// Looks at the relationships after this one.
pub async fn scan_orphaned_relationships(
    store: &Store,
    after: Option<RelationshipId>,
    most: u32,
) -> Result<OrphanedRelationshipPage, StoreFailure> {
    // No id is smaller than no bytes at all.
    let after = after.map_or_else(SqlValue::empty_bytes, SqlValue::from);
    let rows = store.read_list(&PART, &[after, most.into()]).await?;
    let mut part = OrphanedRelationshipPage::default();
    for row in &rows {
        let id = row.id(0)?;
        part.last = Some(id);
        if row.flag(3)? {
            part.leftover.push((RelationshipScope { api: row.id(1)?, organization: row.id(2)? }, id));
        }
    }
    Ok(part)
}

/// Removes what is left at one place, and counts that there.
pub async fn remove_orphaned_relationships(
    store: &Store,
    place: RelationshipScope,
    leftover: &[RelationshipId],
) -> Result<Result<(), GuardConflict>, StoreFailure> {
    let fewer = i64::try_from(leftover.len()).unwrap_or(i64::MAX);
    let act = WriteBatch::new()
        .with_statement(super::relationships::lock_relationships(place, -fewer))
        .with_statements(leftover.iter().map(|id| super::relationships::remove_relationship(place, *id)));
    Ok(store.commit(act).await?.map(drop))
}

static PART: SqlStatement = SqlStatement::new(
    "relationships.part",
    concat!(
        "SELECT id, api_id, organization_id, CASE WHEN ",
        is_no_leftover!(),
        " THEN 0 ELSE 1 END FROM relationships WHERE id > ?1 ORDER BY id LIMIT ?2"
    ),
);

pub(crate) static STATEMENTS: &[&SqlStatement] = &[&PART];
