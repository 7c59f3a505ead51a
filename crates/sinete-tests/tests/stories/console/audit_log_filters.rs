//! The filters of the audit log: target, address and sign-ins, on the page, in the API and in files alike.

use super::console_path;
use crate::both_engines;
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::events::security_event::{EventKind, RequestOrigin, SecurityEvent, SecurityEventActor};
use sinete_core::id::{GrantId, MembershipId};
use sinete_core::time::Lifetime;
use sinete_store::WriteBatch;

both_engines!(
    console_audit_log_is_downloaded_with_the_filter_of_the_page,
    audit_log_is_filtered_by_target_address_and_sign_ins,
    audit_log_filters_do_not_cross_organizations,
    audit_log_hides_the_addresses_of_operators,
    console_audit_log_filters_and_files_show_the_same_entries,
    instance_console_events_are_filtered_by_address_and_days,
    instance_console_shows_the_signed_head_of_the_security_log
);

/// A sign-in of a member to an application of the organization, from this address.
pub(super) async fn sign_in(
    world: &World,
    acme: &TestOrganization,
    member: MembershipId,
    client: &str,
    from: &str,
) {
    let engine = world.server.engine();
    world.clock.advance(Lifetime::from_millis(5));
    let origin = RequestOrigin::new(None, Some(from.parse().unwrap()), Some("A browser"));
    let event = SecurityEvent::new(
        EventKind::GrantGiven,
        SecurityEventActor::Membership(member),
        engine.now(),
        engine.entropy(),
    )
    .with_origin(&origin)
    .with_organization(acme.id)
    .with_client(client.parse().unwrap())
    .with_subject("grant", GrantId::mint(engine.now(), engine.entropy()));
    engine.store().commit(WriteBatch::new().with_event(&event)).await.unwrap().into_result().unwrap();
}

fn kinds(page: &Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect()
}

async fn audit_log_is_filtered_by_target_address_and_sign_ins(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let role = owner.post(&acme.path("/roles"), json!({"name": "clerk"})).await.assert_status(201);
    let role = role.text_member("id");
    world.clock.advance(Lifetime::from_seconds(1));
    owner
        .patch(&acme.path(&format!("/roles/{role}")), 1, json!({"description": "x"}))
        .await
        .assert_status(200);
    sign_in(world, &acme, bruno, "ledger", "192.0.2.7").await;
    sign_in(world, &acme, bruno, "wiki", "2001:db8::7").await;
    let list =
        async |query: &str| owner.get(&acme.path(&format!("/audit?{query}"))).await.assert_status(200).body;
    // The target of a change is the resource, and that of a sign-in the application.
    assert_eq!(kinds(&list(&format!("subject={role}")).await), ["role.created", "role.changed"]);
    assert_eq!(kinds(&list(&format!("subject={role}&kind=role.changed")).await), ["role.changed"]);
    assert_eq!(kinds(&list("subject=wiki&sign_ins=include").await), ["grant.given"]);
    // Sign-ins are included on request, or by their kind.
    assert!(!kinds(&list("").await).contains(&"grant.given"));
    let all = list("sign_ins=include").await;
    assert_eq!(kinds(&all).iter().filter(|kind| **kind == "grant.given").count(), 2);
    let only = list("kind=grant.given").await;
    assert_eq!(kinds(&only), ["grant.given", "grant.given"]);
    let first = &only["items"][0];
    assert_eq!(first["subject"], json!({"kind": "client", "id": "ledger"}));
    assert_eq!(first["actor"], json!({"kind": "membership", "id": bruno.to_string()}));
    assert_eq!((&first["address"], &first["user_agent"]), (&json!("192.0.2.7"), &json!("A browser")));
    assert_eq!(
        kinds(&list(&format!("actor={bruno}&sign_ins=include")).await),
        ["grant.given", "grant.given"]
    );
    // An address in any spelling; the API is used from this machine.
    assert_eq!(kinds(&list("address=192.0.2.7&sign_ins=include").await), ["grant.given"]);
    assert_eq!(kinds(&list("address=2001:DB8:0:0::7&sign_ins=include").await), ["grant.given"]);
    assert!(kinds(&list("address=192.0.2.7").await).is_empty());
    let local = list("address=127.0.0.1").await;
    assert_eq!(kinds(&local), ["role.created", "role.changed"]);
    assert_eq!(kinds(&list("address=127.0.0.1&kind=role.created").await), ["role.created"]);
    // Pages have no gap and no repetition across both logs.
    let (mut entries, mut after) = (Vec::new(), String::new());
    loop {
        let page = list(&format!("sign_ins=include&limit=1{after}")).await;
        entries.extend(page["items"].as_array().unwrap().clone());
        let Some(next) = page["next"].as_str() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(json!(entries), all["items"]);
    for query in ["address=192.0.2", "sign_ins=yes", "subject=%00"] {
        owner.get(&acme.path(&format!("/audit?{query}"))).await.assert_problem(400, "invalid_request");
    }
}

async fn audit_log_filters_do_not_cross_organizations(world: &World) {
    let (acme, globex) = (world.create_organization("acme").await, world.create_organization("globex").await);
    let owner = world.create_owner(&acme).await;
    let other = world.create_owner(&globex).await;
    let foreign_member = world.create_member(&globex, &["member"]).await;
    let role = other.post(&globex.path("/roles"), json!({"name": "clerk"})).await.assert_status(201);
    sign_in(world, &globex, foreign_member, "wiki", "192.0.2.9").await;
    let role = role.text_member("id");
    for query in [
        format!("subject={role}&sign_ins=include"),
        "subject=wiki&sign_ins=include".to_owned(),
        format!("actor={foreign_member}&sign_ins=include"),
        "address=192.0.2.9&sign_ins=include".to_owned(),
        "kind=grant.given".to_owned(),
    ] {
        let body = owner.get(&acme.path(&format!("/audit?{query}"))).await.assert_status(200).body;
        assert!(kinds(&body).is_empty(), "{query}: {body}");
    }
    let theirs = other.get(&globex.path("/audit?kind=grant.given")).await.assert_status(200).body;
    let id = theirs["items"][0]["id"].as_str().unwrap();
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    assert_eq!(ana.reader.open_url(&console_path(&acme, &format!("/audit-log/{id}"))).await.0, 404);
    assert_eq!(ana.reader.open_url(&console_path(&globex, "/audit-log?kind=grant.given")).await.0, 404);
}

async fn audit_log_hides_the_addresses_of_operators(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "a ticket").await;
    operator.post(&acme.path("/roles"), json!({"name": "clerk"})).await.assert_status(201);
    world.clock.advance(Lifetime::from_seconds(1));
    owner.post(&acme.path("/roles"), json!({"name": "own"})).await.assert_status(201);
    let created = owner.get(&acme.path("/audit?kind=role.created")).await.assert_status(200).body;
    assert_eq!(
        (&created["items"][0]["address"], &created["items"][0]["user_agent"]),
        (&json!(null), &json!(null))
    );
    assert_eq!(created["items"][1]["address"], "127.0.0.1");
    // A filter does not reveal them either.
    let body =
        owner.get(&acme.path("/audit?kind=role.created&address=127.0.0.1")).await.assert_status(200).body;
    assert_eq!(body["items"], json!([created["items"][1]]));
}

async fn console_audit_log_filters_and_files_show_the_same_entries(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    owner.post(&acme.path("/roles"), json!({"name": "clerk"})).await.assert_status(201);
    for number in 0..3 {
        sign_in(world, &acme, bruno, "wiki", &format!("192.0.2.{number}")).await;
    }
    let page = ana.reader.open_page(&console_path(&acme, "/audit-log")).await;
    assert_eq!(page.matches("Access granted to an application: wiki").count(), 3, "{page}");
    assert!(page.contains(">Download JSON Lines</a>"), "{page}");
    let page = ana.reader.open_page(&console_path(&acme, "/audit-log?sign_ins=exclude")).await;
    assert!(!page.contains("Access granted to an application: wiki"), "{page}");
    let log_path = console_path(&acme, "/audit-log?subject=wiki&address=192.0.2.1");
    let page = ana.reader.open_page(&log_path).await;
    assert_eq!(page.matches("Access granted to an application: wiki").count(), 1, "{page}");
    assert!(page.contains("value=\"192.0.2.1\"") && page.contains("value=\"wiki\""), "{page}");
    // The files have the rows of the page, and no others.
    let csv = ana.reader.open_page(&format!("{log_path}&format=csv")).await;
    assert_eq!(csv.matches("\r\n").count(), 2, "{csv}");
    assert!(csv.contains("192.0.2.1") && csv.contains("A browser"), "{csv}");
    let lines = ana.reader.open_page(&format!("{log_path}&format=jsonl")).await;
    let line: Value = serde_json::from_str(lines.trim_end()).unwrap();
    assert_eq!(line["detail"]["grant"].as_str().map(str::len), Some(36), "{lines}");
    // An entry leads to all entries of its target and its address.
    let entry = ana
        .reader
        .open_page(&console_path(&acme, &format!("/audit-log/{}", line["id"].as_str().unwrap())))
        .await;
    for link in ["audit-log?subject=wiki", "audit-log?address=192.0.2.1"] {
        assert!(entry.contains(link), "{link}: {entry}");
    }
    let wrong = ana.reader.open_page(&console_path(&acme, "/audit-log?address=home")).await;
    assert!(wrong.contains("Enter an IP address") && wrong.contains("aria-invalid"), "{wrong}");
    // The page size is in the URL.
    let page = ana.reader.open_page(&console_path(&acme, "/audit-log?kind=grant.given&size=25")).await;
    assert!(page.contains("aria-current=\"true\">25</a>"), "{page}");
}

async fn instance_console_events_are_filtered_by_address_and_days(world: &World) {
    let acme = world.create_organization("acme").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    sign_in(world, &acme, bruno, "wiki", "192.0.2.7").await;
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let rows = |page: &str| {
        let table = page.split("<tbody").nth(1).and_then(|rest| rest.split("</tbody>").next());
        table.unwrap_or_default().matches("href=\"/instance/events/").count()
    };
    let page = ana.reader.open_page("/instance/events?address=192.0.2.7").await;
    assert_eq!(rows(&page), 1, "{page}");
    let page =
        ana.reader.open_page(&format!("/instance/events?address=192.0.2.7&organization={}", acme.id)).await;
    assert_eq!(rows(&page), 1, "{page}");
    let page = ana.reader.open_page("/instance/events?address=192.0.2.7&kind=session.started").await;
    assert!(page.contains("Nothing matches."), "{page}");
    let day = world.server.engine().now().to_string()[..10].to_owned();
    let page =
        ana.reader.open_page(&format!("/instance/events?kind=grant.given&since={day}&until={day}")).await;
    assert_eq!(rows(&page), 1, "{page}");
    let page = ana.reader.open_page("/instance/events?kind=grant.given&until=2020-01-01").await;
    assert!(page.contains("Nothing matches."), "{page}");
    let lines = ana.reader.open_page("/instance/events?address=192.0.2.7&format=jsonl").await;
    let line: Value = serde_json::from_str(lines.trim_end()).unwrap();
    assert_eq!((&line["kind"], &line["address"]), (&json!("grant.given"), &json!("192.0.2.7")));
    let wrong = ana.reader.open_page("/instance/events?kind=grant.given&address=home").await;
    assert!(
        wrong.contains("id=\"events-address-error\"") && !wrong.contains("id=\"events-kind-error\""),
        "{wrong}"
    );
}

async fn instance_console_shows_the_signed_head_of_the_security_log(world: &World) {
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let operator = world.create_operator().await;
    let status = operator.get("/manage/security-log").await.assert_status(200).body;
    assert_eq!((&status["valid"], &status["finding"]), (&json!(true), &json!(null)));
    assert_eq!((&status["archive"]["segments"], &status["checkpoint"]), (&json!(0), &json!(null)));
    let page = ana.reader.open_page("/instance/events").await;
    let log_status = page.split("id=\"log-status\"").nth(1).unwrap();
    assert!(log_status.contains("valid") && log_status.contains("Nothing is archived."), "{log_status}");
    assert!(log_status.contains(status["head"]["kid"].as_str().unwrap()), "{log_status}");
    // Only for operators.
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.get("/manage/security-log").await.assert_problem(403, "insufficient_scope");
}

async fn console_audit_log_is_downloaded_with_the_filter_of_the_page(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.post(&acme.path("/roles"), json!({"name": "billing"})).await.assert_status(201);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page("/console/acme/audit-log?kind=role.created").await;
    let file = page
        .split("id=\"files\"><a href=\"")
        .nth(1)
        .and_then(|rest| rest.split('"').next())
        .unwrap()
        .replace("&#38;", "&")
        .replace("&amp;", "&");
    assert_eq!(file, "/console/acme/audit-log?kind=role.created&format=csv");
    let csv = ana.reader.open_page(&file).await;
    assert!(csv.contains("role.created") && !csv.contains("organization.created"), "{csv}");
    let lines = ana.reader.open_page("/console/acme/audit-log?format=jsonl").await;
    assert!(
        lines.lines().all(|line| line.starts_with('{')) && lines.contains("organization.created"),
        "{lines}"
    );
    // Without `audit:read` there is no file either.
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    assert_eq!(rita.reader.open_url("/console/acme/audit-log?format=csv").await.0, 403);
}
