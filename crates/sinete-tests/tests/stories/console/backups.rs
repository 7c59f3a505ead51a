//! The backups that the console shows to operators.

use crate::both_engines;
use crate::harness::world::World;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_store::WriteBatch;

both_engines!(instance_console_lists_recorded_backups);

async fn instance_console_lists_recorded_backups(world: &World) {
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let page = ana.reader.open_page("/instance/doctor").await;
    assert!(page.contains("No backup by sinete backup is recorded."), "{page}");
    let engine = world.server.engine();
    let event = SecurityEvent::new(
        EventKind::BackupTaken,
        SecurityEventActor::System,
        engine.now(),
        engine.entropy(),
    )
    .with_detail("sha256", "5e1f")
    .with_detail("size_bytes", 4096);
    engine.store().commit(WriteBatch::new().with_event(&event)).await.unwrap().into_result().unwrap();
    let page = ana.reader.open_page("/instance/doctor").await;
    let backups = page.split("id=\"backups\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(backups.contains("<code>5e1f</code>") && backups.contains("4096"), "{backups}");
    // Owners of other organizations do not see them.
    let acme = world.create_organization("acme").await;
    let mut bia = world.create_console_user(&acme, "bia@example.com", "owner").await;
    assert_eq!(bia.reader.open_url("/instance/doctor").await.0, 404);
}
