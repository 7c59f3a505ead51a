//! Registrations that nobody uses end by themselves, so that anybody may register and nothing piles up.

use crate::{Engine, EventCause, Failure};
use sinete_core::limits::{CLIENT_KEPT_IDLE, CLIENT_KEPT_UNUSED};
use sinete_core::security::event::EventKind;
use sinete_core::time::Lifetime;
use sinete_store::WriteBatch;
use sinete_store::registrations::{self, UnusedClientCutoff};

/// How long a registration that was never used is kept.
pub const KEPT_UNUSED: Lifetime = CLIENT_KEPT_UNUSED;
/// How long a registration is kept after its last grant has ended.
pub const KEPT_IDLE: Lifetime = CLIENT_KEPT_IDLE;

/// Most registrations that end in one act.
const AT_ONCE: u32 = 100;

/// Ends clients that registered themselves and that nobody uses, deletes those that have ended and that nothing
/// refers to, and says how many ended. One with a grant that lives never ends this way, nor one that an operator
/// vouches for.
pub async fn remove_unused(engine: &Engine) -> Result<usize, Failure> {
    let mut ended = 0;
    loop {
        let now = engine.now();
        let unused =
            UnusedClientCutoff { never_since: now.minus(KEPT_UNUSED), idle_since: now.minus(KEPT_IDLE) };
        let found = registrations::unused(engine.store(), unused, AT_ONCE).await?;
        if !found.is_empty() {
            let event = engine
                .event(EventKind::ClientRegistrationsExpired, &EventCause::system(), now)
                .with("clients", found.len());
            let ends = found.iter().map(|client| registrations::end_unused(client, unused, now));
            let act = WriteBatch::new().with_all(ends).record(&event);
            // Somebody who begins to use one meanwhile keeps it; the others go next time.
            if engine.store().commit(act).await?.is_err() {
                return Ok(ended);
            }
            ended += found.len();
        }
        let _ =
            engine.store().commit(WriteBatch::new().with_all(registrations::forget_ended(AT_ONCE))).await?;
        if found.len() < AT_ONCE as usize {
            return Ok(ended);
        }
    }
}
