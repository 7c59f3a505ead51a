//! How long entries of an audit log are kept: as the organization says, else as the instance says.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::time::Lifetime;
use sinete_engine::events::audit_log::retention::{AuditCleanupPosition, remove_expired_entries};
use sinete_store::WriteBatch;
use sinete_store::events::log_chain::find_chain_head;

both_engines!(
    engine,
    [
        audit_log_is_retained_as_its_organization_configures,
        audit_log_without_a_retention_is_never_deleted_and_an_invalid_one_is_refused
    ]
);

/// Moves the clock, waits until the sealer signed a head at that time, and removes what passed its retention.
async fn pass_days(world: &World, days: u32) {
    world.clock.advance(Lifetime::from_days(days));
    let engine = world.server.engine();
    let (system, now) = (SecurityEventActor::System, engine.now());
    let event = SecurityEvent::new(EventKind::LogExported, system, now, engine.entropy());
    engine.store().commit(WriteBatch::new().with_event(&event)).await.unwrap().into_result().unwrap();
    for _ in 0..1_200 {
        let head = find_chain_head(engine.store()).await.unwrap();
        if head.is_some_and(|head| head.head.sealed_at >= now) {
            return remove_expired_entries(engine, &mut AuditCleanupPosition::default()).await.unwrap();
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    panic!("the log was not sealed within two minutes");
}

/// The names of the roles whose creation the audit log has, and whether it has that of the organization.
async fn entries(owner: &ApiCaller<'_>, query: &str) -> Vec<String> {
    let page = owner.get(&owner.tenant.path(&format!("/audit?{query}"))).await.assert_status(200);
    let items = page.body["items"].as_array().unwrap();
    let extract_name = |kind: &str, name: &str| match kind {
        "role.created" => Some(name.to_owned()),
        "organization.created" => Some("organization".to_owned()),
        _ => None,
    };
    items
        .iter()
        .filter_map(|it| {
            extract_name(it["kind"].as_str().unwrap(), it["detail"]["name"].as_str().unwrap_or_default())
        })
        .collect()
}

async fn audit_log_is_retained_as_its_organization_configures(on: TestEngine) {
    let started = World::start_with_config(on, &[("SINETE_LOG_AUDIT_RETENTION", "100d")]).await;
    let world = &started;
    let (acme, beta) = (world.create_organization("acme").await, world.create_organization("beta").await);
    let (owner, other) = (world.create_owner(&acme).await, world.create_owner(&beta).await);
    let settings = json!({"settings": {"audit_log": {"retention_days": 400}}});
    let changed = owner.patch(&acme.path(""), 1, settings).await.assert_status(200);
    assert_eq!(changed.body["settings"]["audit_log"], json!({"retention_days": 400}));
    world.clock.advance(Lifetime::from_seconds(1));
    for one in [&owner, &other] {
        one.post(&one.tenant.path("/roles"), json!({"name": "first"})).await.assert_status(201);
    }
    pass_days(world, 60).await;
    let (owner, other) = (world.create_owner(&acme).await, world.create_owner(&beta).await);
    for one in [&owner, &other] {
        one.post(&one.tenant.path("/roles"), json!({"name": "second"})).await.assert_status(201);
        assert_eq!(
            entries(one, "").await,
            ["organization", "first", "second"],
            "no entry is past its retention"
        );
    }
    pass_days(world, 50).await;
    let (owner, other) = (world.create_owner(&acme).await, world.create_owner(&beta).await);
    assert_eq!(
        entries(&owner, "").await,
        ["organization", "first", "second"],
        "the retention of the organization"
    );
    assert_eq!(entries(&owner, "kind=role.created").await, ["first", "second"], "filtered entries too");
    assert_eq!(entries(&other, "").await, ["second"], "the retention of the instance");
    assert_eq!(entries(&other, "kind=organization.created").await, Vec::<String>::new());
    let export = other.get(&beta.path("/audit?format=jsonl")).await.assert_status(200);
    assert!(export.text.contains("second") && !export.text.contains("first"), "{}", export.text);
    pass_days(world, 300).await;
    let (owner, other) = (world.create_owner(&acme).await, world.create_owner(&beta).await);
    assert_eq!(entries(&owner, "").await, ["second"]);
    assert_eq!(entries(&other, "").await, Vec::<String>::new());
    // An organization that goes back to the retention of the instance loses what is older.
    let version = owner.get(&acme.path("")).await.version();
    let back = json!({"settings": {"audit_log": null}});
    let changed = owner.patch(&acme.path(""), version, back).await.assert_status(200);
    assert_eq!(changed.body["settings"].get("audit_log"), None);
    pass_days(world, 1).await;
    let owner = world.create_owner(&acme).await;
    assert_eq!(entries(&owner, "").await, Vec::<String>::new());
    started.stop().await;
}

async fn audit_log_without_a_retention_is_never_deleted_and_an_invalid_one_is_refused(on: TestEngine) {
    let started = World::start(on).await;
    let world = &started;
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for days in [json!(0), json!(29), json!(36_501), json!("400d"), json!(-1), json!(1.5)] {
        let settings = json!({"settings": {"audit_log": {"retention_days": days}}});
        let refused = owner.patch(&acme.path(""), 1, settings).await.assert_status(422);
        assert_eq!(refused.body["errors"][0]["pointer"], "/settings/audit_log/retention_days", "{days}");
    }
    pass_days(world, 2_000).await;
    let owner = world.create_owner(&acme).await;
    assert_eq!(entries(&owner, "").await, ["organization"]);
    started.stop().await;
}
