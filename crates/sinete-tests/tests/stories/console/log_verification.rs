//! When the security log was last verified, as operators see it.

use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_engine::events::security_log::{LogVerificationSummary, SecurityLog};

both_engines!(instance_console_shows_when_the_security_log_was_last_verified);

async fn instance_console_shows_when_the_security_log_was_last_verified(world: &World) {
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let operator = world.create_operator().await;
    let status = operator.get("/manage/security-log").await.assert_status(200).body;
    assert_eq!(status["last_verification"], json!(null));
    assert!(status_of(&mut ana.reader).await.contains("No verification is recorded."));
    let engine = world.server.engine();
    let log = SecurityLog::open(engine.store(), engine.instance_keys(), engine.now()).await.unwrap();
    let verified = log.verify_log(&[], engine.now(), &mut |_| ()).await.unwrap();
    assert_eq!(verified.findings, 0);
    verified.record(engine.store(), engine.now(), 0).await.unwrap();
    let status = operator.get("/manage/security-log").await.assert_status(200).body;
    let last = &status["last_verification"];
    assert_eq!((&last["findings"], &last["events"]), (&json!(0), &json!(verified.tally.links)));
    let head = verified.head.unwrap();
    assert_eq!(
        (&last["position"], &last["hash"]),
        (&json!(head.position), &json!(head.hash.to_string())),
        "{status}"
    );
    assert!(status_of(&mut ana.reader).await.contains("no findings"));
    // An earlier one does not replace it; a later one with findings does, those of the archive included.
    let earlier = LogVerificationSummary { findings: 7, ..verified.clone() };
    let hour_ago = engine.now().minus(sinete_core::time::Lifetime::from_hours(1));
    earlier.record(engine.store(), hour_ago, 0).await.unwrap();
    assert!(status_of(&mut ana.reader).await.contains("no findings"));
    let later = LogVerificationSummary { findings: 1, ..verified };
    later.record(engine.store(), engine.now(), 2).await.unwrap();
    assert!(status_of(&mut ana.reader).await.contains("findings: 3"));
}

async fn status_of(reader: &mut crate::harness::page_browser::PageBrowser<'_>) -> String {
    let page = reader.open_page("/instance/events").await;
    page.split("id=\"log-status\"").nth(1).unwrap().to_owned()
}
