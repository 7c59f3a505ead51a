//! The audit log on the console: newest first, filtered, in pages, and one event with all its fields.

use super::console_path;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::id::EventId;
use sinete_core::time::Lifetime;
use sinete_store::JsonDocument;
use sinete_store::events::audit_log;
use std::sync::{Arc, Mutex};

/// The list of a page, without the filters above it.
fn within(page: &str) -> &str {
    page.split("id=\"entries\"").nth(1).unwrap().split("</ul>").next().unwrap()
}

/// The links of the entries, in order.
fn listed(page: &str) -> Vec<String> {
    let address = |rest: &str| rest.split('"').next().unwrap().to_owned();
    within(page).split("<li><a href=\"").skip(1).map(address).collect()
}

/// The link to the next page.
fn next(page: &str) -> Option<String> {
    let before = page.split("id=\"next-page\"").next().filter(|before| before.len() < page.len())?;
    let address = before.rsplit("href=\"").next()?.split('"').next()?;
    Some(address.replace("&#38;", "&"))
}

both_engines!(
    console_audit_log_has_readable_entries_newest_first,
    console_audit_log_shows_an_unknown_event_kind_by_name,
    console_audit_log_labels_operators_and_former_members,
    console_audit_log_filters_equal_the_api,
    console_audit_log_is_paged_and_its_cursor_is_bound_to_it,
    console_audit_log_needs_permission_in_the_own_organization,
    console_member_list_uses_a_constant_number_of_queries
);

async fn console_audit_log_has_readable_entries_newest_first(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let bruno = world.create_member(&acme, &["member"]).await;
    let path = acme.path(&format!("/members/{bruno}"));
    owner.patch(&path, 1, json!({"profile": {"name": "Bruno Lima"}})).await.assert_status(200);
    world.clock.advance(Lifetime::from_seconds(10));
    let role = json!({"name": "clerk", "permissions": ["members:read", "roles:read"]});
    let role = owner.post(&acme.path("/roles"), role).await.assert_status(201);
    world.clock.advance(Lifetime::from_seconds(10));
    let one = ana.reader.open_page(&console_path(&acme, &format!("/members/{bruno}"))).await;
    ana.reader.submit_form(&one, "id=\"switch-off\"", &[("action", "disable")]).await;
    let audit_log = ana.reader.open_page(&console_path(&acme, "/audit-log")).await;
    let expected_titles = ["Member disabled: Bruno Lima", "Role created: clerk", "Member’s profile updated"];
    let places: Vec<_> = expected_titles
        .iter()
        .map(|it| within(&audit_log).find(it).unwrap_or_else(|| panic!("{it}: {audit_log}")))
        .collect();
    assert!(places.is_sorted(), "newest first: {audit_log}");
    assert!(
        audit_log.contains("<span class=\"aside\">you</span>") && audit_log.contains("an API key"),
        "{audit_log}"
    );
    // An id is labelled as what it is.
    let overview = ana.reader.open_page(&console_path(&acme, "")).await;
    assert!(overview.contains("Organization ID") && !overview.contains("Member ID"), "{overview}");
    let event = ana.reader.open_page(&listed(&audit_log)[0]).await;
    assert!(event.contains("Event ID") && !event.contains("Member ID"), "{event}");
    // The page of an event shows everything that the API returns, and nothing else.
    let entries = owner.get(&acme.path("/audit?kind=role.created")).await.assert_status(200);
    let entry = &entries.body["items"][0];
    let event = ana
        .reader
        .open_page(&console_path(&acme, &format!("/audit-log/{}", entry["id"].as_str().unwrap())))
        .await;
    let by = entry["actor"]["id"].as_str().unwrap();
    for expected_text in [
        "<h1>Role created</h1>",
        "role.created",
        by,
        &role.text_member("id"),
        entry["at"].as_str().unwrap(),
        "clerk",
        "members:read, roles:read",
    ] {
        assert!(event.contains(expected_text), "{expected_text}: {event}");
    }
    assert!(event.contains("127.0.0.1"), "the entry has the IP address: {event}");
    let audit_log = ana.reader.open_page(&console_path(&acme, "/audit-log?ui_locales=pt-BR")).await;
    let audit_log = within(&audit_log);
    assert!(audit_log.contains("Membro desativado: Bruno Lima") && audit_log.contains("você"), "{audit_log}");
    // A removed member is no longer named; their events stay.
    ana.reader.submit_form(&one, "id=\"remove-now\"", &[("action", "remove")]).await;
    let audit_log = ana.reader.open_page(&console_path(&acme, "/audit-log")).await;
    let audit_log = within(&audit_log);
    assert!(!audit_log.contains("Bruno Lima") && audit_log.contains("Member disabled"), "{audit_log}");
}

async fn console_audit_log_shows_an_unknown_event_kind_by_name(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let engine = world.server.engine();
    let (id, detail) = (
        EventId::mint(engine.now(), engine.entropy()),
        JsonDocument::from_value(&json!({"file": "<b>June</b>"})).unwrap(),
    );
    let entry = audit_log::NewAuditEntry {
        id,
        organization: acme.id,
        at: engine.now(),
        kind: "payroll.closed",
        actor_kind: "robot",
        actor_id: Some("r2 & d2"),
        subject: Some(("ledger", "1")),
        reason: "month’s end",
        detail: &detail,
    };
    world.apply_statements([audit_log::append_audit_entry(&entry)]).await;
    let audit_log = ana.reader.open_page(&console_path(&acme, "/audit-log")).await;
    assert!(audit_log.contains("payroll.closed") && audit_log.contains("robot"), "{audit_log}");
    let event = ana.reader.open_page(&console_path(&acme, &format!("/audit-log/{id}"))).await;
    for expected_text in [
        "<h1>payroll.closed</h1>",
        "ledger",
        "month’s end",
        "&#60;b&#62;June&#60;/b&#62;",
        "actor=r2%20%26%20d2",
    ] {
        assert!(event.contains(expected_text), "{expected_text}: {event}");
    }
}

async fn console_audit_log_labels_operators_and_former_members(world: &World) {
    let (acme, operators) =
        (world.create_organization("acme").await, world.create_organization("operators").await);
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    owner
        .post(
            &acme.path("/roles"),
            json!({"name": "auditor", "permissions": ["organization:read", "audit:read"]}),
        )
        .await
        .assert_status(201);
    let mut otto = world.create_console_user(&acme, "otto@example.com", "auditor").await;
    let (gone, operator_member) =
        (world.create_member(&acme, &["member"]).await, world.create_member(&operators, &["member"]).await);
    let profile = json!({"profile": {"name": "Olga Longe", "email": "olga@operators.example"}});
    world
        .create_owner(&operators)
        .await
        .patch(&operators.path(&format!("/members/{operator_member}")), 1, profile)
        .await
        .assert_status(200);
    let engine = world.server.engine();
    let detail = JsonDocument::from_value(&json!({})).unwrap();
    let mut addresses = Vec::new();
    for actor_id in [gone.to_string(), operator_member.to_string()] {
        let id = EventId::mint(engine.now(), engine.entropy());
        let entry = audit_log::NewAuditEntry {
            id,
            organization: acme.id,
            at: engine.now(),
            kind: "organization.changed",
            actor_kind: "membership",
            actor_id: Some(&actor_id),
            subject: None,
            reason: "",
            detail: &detail,
        };
        world.apply_statements([audit_log::append_audit_entry(&entry)]).await;
        addresses.push(console_path(&acme, &format!("/audit-log/{id}")));
    }
    owner.delete(&acme.path(&format!("/members/{gone}")), None).await.assert_status(204);
    let (former, operator) = ("former member", "an operator");
    let (of_gone, of_stranger) =
        (ana.reader.open_page(&addresses[0]).await, ana.reader.open_page(&addresses[1]).await);
    assert!(of_gone.contains(former) && !of_gone.contains(operator), "{of_gone}");
    assert!(of_stranger.contains(operator) && !of_stranger.contains(former), "{of_stranger}");
    assert!(!of_stranger.contains("/console/acme/members/"), "an operator has no member page: {of_stranger}");
    // Neither their name nor their address appears on any page of the log or in the API.
    let log_page = ana.reader.open_page(&console_path(&acme, "/audit-log")).await;
    let theirs =
        ana.reader.open_page(&console_path(&acme, &format!("/audit-log?actor={operator_member}"))).await;
    assert!(within(&log_page).contains(operator) && listed(&theirs).len() == 1, "{theirs}");
    let response = owner.get(&acme.path(&format!("/audit?actor={operator_member}"))).await.assert_status(200);
    assert_eq!(
        response.body["items"][0]["actor"],
        json!({"kind": "membership", "id": operator_member.to_string()})
    );
    for text in [&log_page, &theirs, &of_stranger, &response.body.to_string()] {
        assert!(!text.contains("Olga") && !text.contains("operators.example"), "{text}");
    }
    // Without `members:read`, members and other accounts are distinguished but not named.
    let (of_gone, of_stranger) =
        (otto.reader.open_page(&addresses[0]).await, otto.reader.open_page(&addresses[1]).await);
    assert!(
        of_gone.contains("a member") && !of_gone.contains(former) && of_stranger.contains(operator),
        "{of_gone}"
    );
}

async fn console_audit_log_filters_equal_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let (role, log_path) = (
        |name: &str| json!({"name": name, "permissions": ["members:read"]}),
        console_path(&acme, "/audit-log"),
    );
    owner.post(&acme.path("/roles"), role("early")).await.assert_status(201);
    let day = world.server.engine().now().to_string()[..10].to_owned();
    world.clock.advance(Lifetime::from_days(2));
    let later = world.server.engine().now().to_string()[..10].to_owned();
    owner.post(&acme.path("/roles"), role("late")).await.assert_status(201);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    for (query, visible, hidden) in [
        ("kind=role.created".to_owned(), vec!["early", "late"], vec!["Organization created"]),
        (format!("from={day}&to={day}"), vec!["early"], vec!["late"]),
        (format!("from={later}"), vec!["late"], vec!["early"]),
        (format!("to={day}&kind=role.created"), vec!["early"], vec!["late"]),
        ("actor=nobody".to_owned(), vec![], vec!["early", "late"]),
    ] {
        let audit_log = ana.reader.open_page(&format!("{log_path}?{query}")).await;
        let entries = within(&audit_log);
        assert!(
            visible.iter().all(|it| entries.contains(it)) && !hidden.iter().any(|it| entries.contains(it)),
            "{query}: {audit_log}"
        );
        assert!(audit_log.contains("id=\"everything\""), "{query}");
    }
    // Filter by actor, from the page of an event and from the page of a member.
    let entries = owner.get(&acme.path("/audit?kind=role.created")).await.assert_status(200);
    let by = entries.body["items"][0]["actor"]["id"].as_str().unwrap().to_owned();
    let audit_log = ana.reader.open_page(&format!("{log_path}?actor={by}")).await;
    assert!(listed(&audit_log).len() == 2 && audit_log.contains("Actor: an API key"), "{audit_log}");
    let own_page = ana.reader.open_page(&console_path(&acme, &format!("/members/{}", ana.membership))).await;
    assert!(own_page.contains(&format!("/console/acme/audit-log?actor={}", ana.membership)), "{own_page}");
    // An invalid filter is reported beside its field, and no events are shown.
    for (query, expected_error) in [
        ("from=2026-02-30", "Enter a day such as 2026-11-16"),
        ("to=x", "Enter a day such as 2026-11-16"),
        ("kind=role.creatd", "There is no such event type"),
    ] {
        let audit_log = ana.reader.open_page(&format!("{log_path}?{query}")).await;
        assert!(
            audit_log.contains(expected_error)
                && listed(&audit_log).is_empty()
                && audit_log.contains("aria-invalid"),
            "{query}: {audit_log}"
        );
    }
}

async fn console_audit_log_is_paged_and_its_cursor_is_bound_to_it(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let engine = world.server.engine();
    let detail = JsonDocument::from_value(&json!({})).unwrap();
    for number in 0..120_u32 {
        world.clock.advance(Lifetime::from_millis(2));
        let kind = if number % 2 == 0 { "role.created" } else { "role.removed" };
        let entry = audit_log::NewAuditEntry {
            id: EventId::mint(engine.now(), engine.entropy()),
            organization: acme.id,
            at: engine.now(),
            kind,
            actor_kind: "system",
            actor_id: None,
            subject: None,
            reason: "",
            detail: &detail,
        };
        world.apply_statements([audit_log::append_audit_entry(&entry)]).await;
    }
    let log_path = console_path(&acme, "/audit-log?kind=role.created");
    let (first, mut entry_ids) = (ana.reader.open_page(&log_path).await, Vec::new());
    let mut turned = first.clone();
    loop {
        entry_ids.extend(listed(&turned));
        let Some(address) = next(&turned) else { break };
        assert!(address.contains("kind=role.created"), "the link keeps the filter: {address}");
        turned = ana.reader.open_page(&address).await;
        assert!(turned.contains("id=\"first-page\""), "{turned}");
    }
    let sorted = {
        let mut ids = entry_ids.clone();
        ids.sort();
        ids.reverse();
        ids
    };
    assert_eq!((entry_ids.len(), &entry_ids), (60, &sorted), "each once, newest first");
    // A cursor is valid only for the list that returned it.
    let cursor = next(&first).unwrap().split("after=").nth(1).unwrap().to_owned();
    for path in [
        console_path(&acme, &format!("/audit-log?after={cursor}")),
        console_path(&acme, &format!("/audit-log?kind=role.removed&after={cursor}")),
    ] {
        assert_eq!(ana.reader.open_url(&path).await.0, 400, "{path}");
    }
    let mut bia = world.create_console_user(&other, "bia@example.com", "owner").await;
    let path = console_path(&other, &format!("/audit-log?kind=role.created&after={cursor}"));
    assert_eq!(bia.reader.open_url(&path).await.0, 400);
}

async fn console_audit_log_needs_permission_in_the_own_organization(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    let role = |name: &str, permission: &str| json!({"name": name, "permissions": ["organization:read", permission]});
    owner.post(&acme.path("/roles"), role("reader", "members:read")).await.assert_status(201);
    owner.post(&acme.path("/roles"), role("auditor", "audit:read")).await.assert_status(201);
    let entries = owner.get(&acme.path("/audit?kind=role.created")).await.assert_status(200);
    let event = format!("/audit-log/{}", entries.body["items"][0]["id"].as_str().unwrap());
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let front = rita.reader.open_page(&console_path(&acme, "")).await;
    assert!(!front.contains("/console/acme/audit-log"), "{front}");
    for below in ["/audit-log", &event] {
        assert_eq!(rita.reader.open_url(&console_path(&acme, below)).await.0, 403, "{below}");
    }
    // With `audit:read` alone, a member reads the log without the names of members.
    let bruno = world.create_member(&acme, &["member"]).await;
    owner
        .patch(&acme.path(&format!("/members/{bruno}")), 1, json!({"profile": {"name": "Bruno Lima"}}))
        .await
        .assert_status(200);
    let mut otto = world.create_console_user(&acme, "otto@example.com", "auditor").await;
    let audit_log = otto.reader.open_page(&console_path(&acme, "/audit-log")).await;
    assert!(
        within(&audit_log).contains("Member’s profile updated") && !audit_log.contains("Bruno Lima"),
        "{audit_log}"
    );
    assert!(
        !audit_log.contains("/console/acme/members")
            && otto.reader.open_url(&console_path(&acme, "/members")).await.0 == 403
    );
    // Events of another organization are not there.
    let mut bia = world.create_console_user(&other, "bia@example.com", "owner").await;
    assert_eq!(bia.reader.open_url(&console_path(&acme, "/audit-log")).await.0, 404);
    assert_eq!(bia.reader.open_url(&console_path(&other, &event)).await.0, 404);
    assert_eq!(bia.reader.open_url(&console_path(&other, "/audit-log/nothing")).await.0, 404);
    let own_log = bia.reader.open_page(&console_path(&other, "/audit-log")).await;
    assert!(!within(&own_log).contains("Role created"), "{own_log}");
    // A suspended organization can still read its log.
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid since March"})).await.assert_status(200);
    let audit_log =
        otto.reader.open_page(&console_path(&acme, "/audit-log?kind=organization.suspended")).await;
    assert!(
        audit_log.contains("This organization is suspended") && listed(&audit_log).len() == 1,
        "{audit_log}"
    );
    let event = otto.reader.open_page(&listed(&audit_log)[0]).await;
    assert!(event.contains("Unpaid since March"), "{event}");
}

async fn console_member_list_uses_a_constant_number_of_queries(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let statements = Arc::new(Mutex::new(Vec::new()));
    let recorded_statements = Arc::clone(&statements);
    world.server.engine().store().set_query_observer(move |statement| {
        let prefixes = ["memberships.", "several_members.", "invitations.", "roles.", "audit."];
        if prefixes.iter().any(|it| statement.starts_with(it)) {
            recorded_statements.lock().unwrap().push(statement);
        }
    });
    let mut reading = async || {
        statements.lock().unwrap().clear();
        ana.reader.open_page(&console_path(&acme, "/members")).await;
        ana.reader.open_page(&console_path(&acme, "/audit-log")).await;
        statements.lock().unwrap().clone()
    };
    let few = reading().await;
    assert!(few.contains(&"several_members.roles") && few.contains(&"several_members.addresses"), "{few:?}");
    for _ in 0..48 {
        world.create_member(&acme, &["member"]).await;
    }
    assert_eq!(reading().await, few);
}
