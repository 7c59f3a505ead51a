//! Retries of logout notifications: with growing intervals, by one node at a time, for at most a day.

use super::BackchannelLogoutRound;
use crate::{Engine, EventCause, Failure};
use sinete_core::limits::{BACKCHANNEL_LOGOUT_BATCH_MAX, BACKCHANNEL_LOGOUT_CLAIM};
use sinete_store::WriteBatch;
use sinete_store::sign_in::logout_deliveries;
use sinete_store::sign_in::logout_deliveries::LogoutDelivery;
use std::time::Duration;

/// Polling interval when nothing is due.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Interval when the database does not respond.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Retries continuously until dropped. Database failures are retried.
pub async fn run_retries(engine: &Engine) {
    loop {
        match retry_due(engine).await {
            Ok(0) => tokio::time::sleep(POLL_INTERVAL).await,
            Ok(_) => {}
            Err(failed) => {
                tracing::warn!(%failed, "the pending logout notifications could not be read");
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
    }
}

/// Retries all due notifications, several concurrently, and returns their number. Those claimed by another
/// node are skipped.
pub async fn retry_due(engine: &Engine) -> Result<usize, Failure> {
    let due = logout_deliveries::list_due_logout_deliveries(
        engine.store(),
        engine.now(),
        BACKCHANNEL_LOGOUT_BATCH_MAX,
    )
    .await?;
    let (mut round, mut tried) = (BackchannelLogoutRound::new(engine, &EventCause::system()), 0);
    for delivery in due {
        let until = engine.now().plus(BACKCHANNEL_LOGOUT_CLAIM);
        let claimed =
            WriteBatch::new().with_statement(logout_deliveries::claim_logout_delivery(&delivery, until));
        if !engine.store().commit(claimed).await?.is_committed() {
            continue;
        }
        tried += 1;
        round.notify_client(LogoutDelivery { due_at: until, ..delivery }).await?;
    }
    round.finish().await;
    Ok(tried)
}
