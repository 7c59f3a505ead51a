//! The audit log: who may read it, filters, and exports.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{Person, World, refused};
use sinete_core::events::security_event::EventKind;
use sinete_core::refusal::RefusalCode::{InsufficientScope, NotFound};
use sinete_core::time::Lifetime;
use sinete_engine::events::audit_log;
use sinete_engine::events::audit_log::AuditLogFilter;
use sinete_engine::events::audit_log::entry::{CSV_HEADER, to_csv_row, to_json_line};
use sinete_engine::events::audit_log::names::AuditLogNames;
use sinete_engine::organizations::roles;

both_engines!(
    audit_log_is_read_in_pages_by_permitted_members,
    audit_log_filter_matches_time_actor_and_kind,
    audit_log_read_by_an_assigned_operator_is_recorded_in_it,
    audit_log_export_contains_every_entry_once_and_ends
);

async fn make_roles(world: &World, user: &Person, names: &[&str]) {
    for name in names {
        let inside = world.acting(user, "acme").await;
        let draft = roles::RoleDraft {
            name: (*name).to_owned(),
            description: String::new(),
            permissions: ["members:read".parse().unwrap()].into_iter().collect(),
        };
        roles::create(&world.engine, &inside, &draft).await.unwrap();
        world.pass(Lifetime::from_seconds(10));
    }
}

async fn audit_log_is_read_in_pages_by_permitted_members(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    world.organization("other").await;
    let engine = &world.engine;
    let admin = world.person("acme", &["admin"]).await;
    make_roles(&world, &admin, &["a", "b", "c", "d", "e"]).await;
    let inside = world.acting(&admin, "acme").await;
    let filter = AuditLogFilter { kind: Some(EventKind::RoleCreated), ..AuditLogFilter::default() };
    let mut after = None;
    let mut entry_ids = Vec::new();
    loop {
        let page = audit_log::list(engine, &inside, &filter, after, 2).await.unwrap();
        let Some(last) = page.last() else { break };
        assert!(page.len() <= 2);
        after = Some(last.id);
        entry_ids.extend(page.iter().map(|entry| entry.id));
    }
    assert_eq!(entry_ids.len(), 5);
    assert!(entry_ids.is_sorted());
    let member = world.person("acme", &["member"]).await;
    let lowly = world.acting(&member, "acme").await;
    assert_eq!(refused(audit_log::list(engine, &lowly, &filter, None, 50).await), InsufficientScope);
    assert_eq!(refused(audit_log::export(engine, &lowly, &filter).await), InsufficientScope);
    // A cursor of another organization is invalid, and its audit log has no entries of this one.
    let user = world.person("other", &["owner"]).await;
    let elsewhere = world.acting(&user, "other").await;
    let page = audit_log::list(engine, &elsewhere, &filter, Some(entry_ids[0]), 50).await.unwrap();
    assert!(page.is_empty());
    let into = sinete_engine::access_control::organization_access::authorize_in_organization(
        engine,
        &world.caller(&user).await,
        "acme",
    )
    .await;
    assert_eq!(refused(into), NotFound);
}

async fn audit_log_filter_matches_time_actor_and_kind(database: Database) {
    let world = World::new(database).await;
    world.organization("acme").await;
    let engine = &world.engine;
    let [one, other] = [world.person("acme", &["admin"]).await, world.person("acme", &["admin"]).await];
    let start = world.now();
    make_roles(&world, &one, &["a", "b"]).await;
    let middle = world.now();
    make_roles(&world, &other, &["c"]).await;
    let inside = world.acting(&one, "acme").await;
    let list_names = async |filter: AuditLogFilter| {
        let page = audit_log::list(engine, &inside, &filter, None, 50).await.unwrap();
        let name = |entry: &audit_log::AuditLogEntry| {
            let detail: serde_json::Value = entry.detail.parse().unwrap();
            detail["name"].as_str().unwrap().to_owned()
        };
        page.iter().map(name).collect::<Vec<_>>()
    };
    let build_filter = || AuditLogFilter { kind: Some(EventKind::RoleCreated), ..AuditLogFilter::default() };
    assert_eq!(list_names(build_filter()).await, ["a", "b", "c"]);
    assert_eq!(list_names(AuditLogFilter { since: Some(middle), ..build_filter() }).await, ["c"]);
    assert_eq!(
        list_names(AuditLogFilter { since: Some(start), until: Some(middle), ..build_filter() }).await,
        ["a", "b"]
    );
    let actor = world.caller(&other).await.cause.actor.id().map(String::from);
    assert_eq!(list_names(AuditLogFilter { actor: actor.clone(), ..build_filter() }).await, ["c"]);
    assert_eq!(
        list_names(AuditLogFilter { actor, since: Some(middle), ..AuditLogFilter::default() }).await,
        ["c"]
    );
    assert!(
        list_names(AuditLogFilter { kind: Some(EventKind::RoleRemoved), ..build_filter() }).await.is_empty()
    );
    assert!(
        list_names(AuditLogFilter { actor: Some("' OR 1=1".to_owned()), ..build_filter() }).await.is_empty()
    );
}

async fn audit_log_read_by_an_assigned_operator_is_recorded_in_it(database: Database) {
    let world = World::new(database).await;
    let acme = world.organization("acme").await;
    let engine = &world.engine;
    let operator = world.person("operator", &["operator"]).await;
    let request = sinete_engine::organizations::assignments::AssignmentRequest {
        task: sinete_engine::organizations::assignments::OperatorAssignmentKind::Administer,
        holder: operator.membership,
        organization: "acme".to_owned(),
        reason: "Ticket 7".to_owned(),
        ends_at: world.now().plus(Lifetime::from_hours(1)),
    };
    let by_hand = world.system_operating().await;
    sinete_engine::organizations::assignments::create(engine, &by_hand, &request).await.unwrap();
    let inside = world.acting(&operator, "acme").await;
    let page = audit_log::list(engine, &inside, &AuditLogFilter::default(), None, 50).await.unwrap();
    let last = page.last().unwrap();
    assert_eq!((last.kind.as_str(), last.reason.as_str()), ("organization.administered", "Ticket 7"));
    audit_log::export(engine, &inside, &AuditLogFilter::default()).await.unwrap();
    let administered_entries = world
        .list_audit_entries(acme)
        .await
        .iter()
        .filter(|it| it.kind == "organization.administered")
        .count();
    assert_eq!(administered_entries, 2);
    // Reads by members are not recorded.
    let admin = world.person("acme", &["admin"]).await;
    let inside = world.acting(&admin, "acme").await;
    let records = world.records().await;
    audit_log::list(engine, &inside, &AuditLogFilter::default(), None, 50).await.unwrap();
    assert_eq!(world.records().await, records);
}

async fn audit_log_export_contains_every_entry_once_and_ends(database: Database) {
    let world = World::new(database).await;
    let acme = world.organization("acme").await;
    let engine = &world.engine;
    let admin = world.person("acme", &["admin"]).await;
    make_roles(&world, &admin, &["a", "b", "c"]).await;
    let inside = world.acting(&admin, "acme").await;
    let mut export = audit_log::export(engine, &inside, &AuditLogFilter::default()).await.unwrap();
    // Events after the start of an export are not included.
    world.pass(Lifetime::from_seconds(1));
    make_roles(&world, &admin, &["late"]).await;
    let (mut json, mut csv) = (String::new(), CSV_HEADER.to_owned());
    while let Some(entries) = export.next_page(engine).await.unwrap() {
        for entry in &entries {
            json.push_str(&to_json_line(entry, &AuditLogNames::default()).unwrap());
            csv.push_str(&to_csv_row(entry, &AuditLogNames::default()).unwrap());
        }
    }
    assert!(export.next_page(engine).await.unwrap().is_none());
    let all = world.list_audit_entries(acme).await;
    assert_eq!(json.lines().count(), all.len() - 1);
    assert_eq!(csv.lines().count(), all.len());
    let ids: Vec<String> = json
        .lines()
        .map(|line| {
            serde_json::from_str::<serde_json::Value>(line).unwrap()["id"].as_str().unwrap().to_owned()
        })
        .collect();
    let expected: Vec<_> = all.iter().take(ids.len()).map(|entry| entry.id.to_string()).collect();
    assert_eq!(ids, expected);
    assert!(!json.contains("\"late\"") && json.contains("\"a\""));
}
