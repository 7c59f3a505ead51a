//! Removing what those who are gone have left behind (docs/contribute/decisions/0202-authzen-relationships-of-removed-subjects.md).

use crate::{Engine, Failure};
use sinete_core::id::RelationshipId;
use sinete_store::authzen::orphaned_relationships;

/// Most relationships that are looked at by one statement, and so the most that one act removes.
const BATCH: u32 = 500;

/// How many times as many one round looks at.
const BATCHES_PER_RUN: usize = 200;

/// How far a walk along all relationships has come. It begins again where it ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct CleanupPosition {
    after: Option<RelationshipId>,
}

/// Goes on with the walk, up to a bound or to its end, removes what is left of those who are gone, and says how much that
/// was. What somebody changes at the same moment waits for the next time.
pub async fn remove_orphaned_relationships(
    engine: &Engine,
    walk: &mut CleanupPosition,
) -> Result<usize, Failure> {
    let mut removed = 0;
    for _ in 0..BATCHES_PER_RUN {
        let part =
            orphaned_relationships::scan_orphaned_relationships(engine.store(), walk.after, BATCH).await?;
        let mut rest = part.leftover;
        while let Some(&(place, _)) = rest.first() {
            let (here, elsewhere): (Vec<_>, Vec<_>) = rest.into_iter().partition(|(at, _)| *at == place);
            let here: Vec<RelationshipId> = here.into_iter().map(|(_, id)| id).collect();
            rest = elsewhere;
            if orphaned_relationships::remove_orphaned_relationships(engine.store(), place, &here)
                .await?
                .is_ok()
            {
                removed += here.len();
            }
        }
        walk.after = part.last;
        if part.last.is_none() {
            break;
        }
    }
    Ok(removed)
}
