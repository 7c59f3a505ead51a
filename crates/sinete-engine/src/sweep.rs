//! Deleting what expired a while ago, so that nothing piles up and nothing personal is kept for no reason. Whether
//! something counts never depends on it.

use crate::{Engine, Failed, token};
use sinete_core::limits::{REPLAYS_SWEPT_AFTER, SWEPT_AFTER};
use sinete_store::{assertion_replays, sweep};

/// How often each table is gone over in one round: so many times as many rows go as one act deletes.
const PASSES: usize = 16;

/// How often what was seen is gone over in one round: a million rows, as long as there are any.
const REPLAY_PASSES: usize = 2_000;

/// Deletes what expired a day ago or earlier, up to a bound. What is left waits for the next round.
pub async fn sweep(engine: &Engine) -> Result<(), Failed> {
    token::forget_expired_codes(engine);
    token::forget_old_refresh_tokens(engine);
    let long_ago = engine.now().minus(SWEPT_AFTER);
    for _ in 0..PASSES {
        for act in sweep::acts(long_ago) {
            // Nothing in such an act can conflict.
            let _ = engine.store().commit(act).await?;
        }
    }
    // Whoever proves to hold a key leaves a row with every request.
    let lately = engine.now().minus(REPLAYS_SWEPT_AFTER);
    for _ in 0..REPLAY_PASSES {
        if !assertion_replays::is_any_forgotten(engine.store(), lately).await? {
            break;
        }
        let _ = engine.store().commit(sweep::of_replays(lately)).await?;
    }
    Ok(())
}
