//! The security log records every event and is append-only.

use crate::both_engines;
use crate::harness::world::World;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_store::WriteBatch;

both_engines!(server_start_is_recorded_and_sealed);

async fn server_start_is_recorded_and_sealed(world: &World) {
    let engine = world.server.engine();
    let event = SecurityEvent::new(
        EventKind::LogExported,
        SecurityEventActor::System,
        engine.now(),
        engine.entropy(),
    );
    engine.store().commit(WriteBatch::new().with_event(&event)).await.unwrap().into_result().unwrap();
    // The sealing task runs once a second.
    for _ in 0..1_200 {
        let head = sinete_store::events::log_chain::find_chain_head(engine.store()).await.unwrap();
        if head.is_some_and(|head| head.head.position >= 3) {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("the log was not sealed within two minutes");
}
