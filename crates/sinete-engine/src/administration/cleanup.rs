//! Deleting what expired a while ago, so that nothing piles up and nothing personal is kept for no reason. Whether
//! something counts never depends on it.

use crate::oauth::token;
use crate::{Engine, Failure};
use sinete_core::limits::CLEANUP_PASSES_MAX;
use sinete_store::administration::cleanup::EXPIRING;

/// Deletes everything that has been expired for as long as rows of its kind are kept. A run goes on until nothing is left:
/// one act deletes hundreds of rows and no request writes as many, so that cleanup keeps up with whatever was admitted. It
/// is bounded all the same, and what is left then waits for the next run.
pub async fn delete_expired(engine: &Engine) -> Result<(), Failure> {
    token::evict_expired_codes(engine);
    token::evict_expired_refresh_tokens(engine);
    for rows in EXPIRING {
        for _ in 0..CLEANUP_PASSES_MAX {
            let before = engine.now().minus(rows.retention);
            if !rows.has_expired_rows(engine.store(), before).await? {
                break;
            }
            // Nothing in such an act can conflict.
            let _ = engine.store().commit(rows.delete_expired(before)).await?;
        }
    }
    Ok(())
}
