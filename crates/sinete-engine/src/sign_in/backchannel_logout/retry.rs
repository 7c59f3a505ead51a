//! Telling clients that could not be told when a session ended: again and again, longer apart each time, by one node at a
//! time and for a day at most.

use super::BackchannelLogoutRound;
use crate::{Engine, EventCause, Failure};
use sinete_core::limits::{BACKCHANNEL_LOGOUT_BATCH_MAX, BACKCHANNEL_LOGOUT_CLAIM};
use sinete_store::WriteBatch;
use sinete_store::sign_in::logout_deliveries;
use sinete_store::sign_in::logout_deliveries::LogoutDelivery;
use std::time::Duration;

/// How long a node rests when nobody is to be told.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long it rests when the database does not answer.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Tells whoever is due, for as long as it is let. A database that does not answer is asked again.
pub async fn run_retries(engine: &Engine) {
    loop {
        match retry_due(engine).await {
            Ok(0) => tokio::time::sleep(POLL_INTERVAL).await,
            Ok(_) => {}
            Err(failed) => {
                tracing::warn!(%failed, "who is still to be told of logouts could not be read");
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
        }
    }
}

/// Tells whoever is due now, several at a time, and says how many it tried. One that another node is telling is left to it.
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
        if engine.store().commit(claimed).await?.is_err() {
            continue;
        }
        tried += 1;
        round.notify_client(LogoutDelivery { due_at: until, ..delivery }).await?;
    }
    round.finish().await;
    Ok(tried)
}
