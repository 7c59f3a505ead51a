//! Removes relationships of deleted subjects
//! (docs/contribute/decisions/0202-authzen-relationships-of-removed-subjects.md).

use crate::{Engine, Failure};
use sinete_core::id::RelationshipId;
use sinete_store::authzen::orphaned_relationships;

/// Maximum relationships scanned by one statement, and so removed by one transaction.
const BATCH: u32 = 500;

/// The number of such statements in one run.
const BATCHES_PER_RUN: usize = 200;

/// The position of the scan over all relationships. After the end it starts again.
#[derive(Clone, Copy, Debug, Default)]
pub struct CleanupPosition {
    after: Option<RelationshipId>,
}

/// Continues the scan up to a limit or its end, removes orphaned relationships, and returns their number.
/// Rows that are changed concurrently are left for the next scan.
pub async fn remove_orphaned_relationships(
    engine: &Engine,
    walk: &mut CleanupPosition,
) -> Result<usize, Failure> {
    let mut removed = 0;
    for _ in 0..BATCHES_PER_RUN {
        let part =
            orphaned_relationships::scan_orphaned_relationships(engine.store(), walk.after, BATCH).await?;
        let mut rest = part.orphaned;
        while let Some(&(scope, _)) = rest.first() {
            let (in_scope, elsewhere): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(at, _)| *at == scope);
            let relationship_ids: Vec<RelationshipId> = in_scope.into_iter().map(|(_, id)| id).collect();
            rest = elsewhere;
            if orphaned_relationships::remove_orphaned_relationships(engine.store(), scope, &relationship_ids)
                .await?
                .is_committed()
            {
                removed += relationship_ids.len();
            }
        }
        walk.after = part.last;
        if part.last.is_none() {
            break;
        }
    }
    Ok(removed)
}
