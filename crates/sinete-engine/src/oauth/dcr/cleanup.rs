//! Registrations that nobody uses end by themselves, so that anybody may register and nothing piles up.

use crate::{Engine, EventCause, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::limits::{IDLE_CLIENT_RETENTION, UNUSED_CLIENT_RETENTION};
use sinete_core::time::Lifetime;
use sinete_store::WriteBatch;
use sinete_store::oauth::dcr;
use sinete_store::oauth::dcr::UnusedClientCutoff;

/// How long a registration that was never used is kept.
pub const KEPT_UNUSED: Lifetime = UNUSED_CLIENT_RETENTION;
/// How long a registration is kept after its last grant has ended.
pub const KEPT_IDLE: Lifetime = IDLE_CLIENT_RETENTION;

/// Most registrations that end in one act.
const BATCH: u32 = 100;

/// Ends clients that registered themselves and that nobody uses, deletes those that have ended and that nothing
/// refers to, and says how many ended. One with a grant that lives never ends this way, nor one that an operator
/// vouches for.
pub async fn remove_unused(engine: &Engine) -> Result<usize, Failure> {
    let mut ended = 0;
    loop {
        let now = engine.now();
        let unused =
            UnusedClientCutoff { never_since: now.minus(KEPT_UNUSED), idle_since: now.minus(KEPT_IDLE) };
        let found = dcr::list_unused_clients(engine.store(), unused, BATCH).await?;
        if !found.is_empty() {
            let event = engine
                .event(EventKind::ClientRegistrationsExpired, &EventCause::system(), now)
                .with_detail("clients", found.len());
            let ends = found.iter().map(|client| dcr::end_unused_client(client, unused, now));
            let act = WriteBatch::new().with_statements(ends).with_event(&event);
            // Somebody who begins to use one meanwhile keeps it; the others go next time.
            if engine.store().commit(act).await?.is_err() {
                return Ok(ended);
            }
            ended += found.len();
        }
        let _ = engine
            .store()
            .commit(WriteBatch::new().with_statements(dcr::delete_ended_clients(BATCH)))
            .await?;
        if found.len() < BATCH as usize {
            return Ok(ended);
        }
    }
}
