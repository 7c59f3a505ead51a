//! Removal of unused self-registered clients, so that open registration does not fill the database.

use crate::{Engine, EventCause, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::limits::{IDLE_CLIENT_RETENTION, UNUSED_CLIENT_RETENTION};
use sinete_core::time::Lifetime;
use sinete_store::WriteBatch;
use sinete_store::oauth::dcr;
use sinete_store::oauth::dcr::UnusedClientCutoff;

/// How long a registration that was never used is kept.
pub const UNUSED_RETENTION: Lifetime = UNUSED_CLIENT_RETENTION;
/// How long a registration is kept after its last grant has ended.
pub const IDLE_RETENTION: Lifetime = IDLE_CLIENT_RETENTION;

/// Maximum registrations removed in one transaction.
const BATCH: u32 = 100;

/// Ends unused self-registered clients, deletes ended ones without references, and returns the number of
/// ended ones. Clients with an active grant and verified clients are never ended.
pub async fn remove_unused(engine: &Engine) -> Result<usize, Failure> {
    let mut ended = 0;
    loop {
        let now = engine.now();
        let unused = UnusedClientCutoff {
            never_since: now.minus(UNUSED_RETENTION),
            idle_since: now.minus(IDLE_RETENTION),
        };
        let clients = dcr::list_unused_clients(engine.store(), unused, BATCH).await?;
        if !clients.is_empty() {
            let event = engine
                .event(EventKind::ClientRegistrationsExpired, &EventCause::system(), now)
                .with_detail("clients", clients.len());
            let ends = clients.iter().map(|client| dcr::end_unused_client(client, unused, now));
            let batch = WriteBatch::new().with_statements(ends).with_event(&event);
            // A client that is used meanwhile is kept; the others are removed next time.
            if !engine.store().commit(batch).await?.is_committed() {
                return Ok(ended);
            }
            ended += clients.len();
        }
        let _ = engine
            .store()
            .commit(WriteBatch::new().with_statements(dcr::delete_ended_clients(BATCH)))
            .await?;
        if clients.len() < BATCH as usize {
            return Ok(ended);
        }
    }
}
