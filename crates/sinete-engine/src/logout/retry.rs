//! Telling clients that could not be told when a session ended: again and again, longer apart each time, by one node at a
//! time and for a day at most.

use super::tell::BackchannelLogoutRound;
use crate::{Engine, EventCause, Failure};
use sinete_core::limits::{LOGOUT_CLAIM, LOGOUT_RETRIES_ROUND_MAX};
use sinete_store::WriteBatch;
use sinete_store::logout_deliveries::{self, LogoutDelivery};
use std::time::Duration;

/// How long a node rests when nobody is to be told.
const REST: Duration = Duration::from_secs(1);
/// How long it rests when the database does not answer.
const REST_AFTER_FAILURE: Duration = Duration::from_secs(5);

/// Tells whoever is due, for as long as it is let. A database that does not answer is asked again.
pub async fn keep_retrying(engine: &Engine) {
    loop {
        match retry(engine).await {
            Ok(0) => tokio::time::sleep(REST).await,
            Ok(_) => {}
            Err(failed) => {
                tracing::warn!(%failed, "who is still to be told of logouts could not be read");
                tokio::time::sleep(REST_AFTER_FAILURE).await;
            }
        }
    }
}

/// Tells whoever is due now, several at a time, and says how many it tried. One that another node is telling is left to it.
pub async fn retry(engine: &Engine) -> Result<usize, Failure> {
    let due = logout_deliveries::due(engine.store(), engine.now(), LOGOUT_RETRIES_ROUND_MAX).await?;
    let (mut round, mut tried) = (BackchannelLogoutRound::new(engine, &EventCause::system()), 0);
    for delivery in due {
        let until = engine.now().plus(LOGOUT_CLAIM);
        let claimed = WriteBatch::new().with(logout_deliveries::claim(&delivery, until));
        if engine.store().commit(claimed).await?.is_err() {
            continue;
        }
        tried += 1;
        round.tell(LogoutDelivery { due_at: until, ..delivery }).await?;
    }
    round.finish().await;
    Ok(tried)
}
