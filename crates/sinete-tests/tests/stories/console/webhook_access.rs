//! Who may see, change and replay webhooks on the console.

use super::applications::within;
use super::console_path;
use super::webhooks::{attempt, csrf_of};
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::flow_client::PASSWORD;
use crate::harness::organizations::TestOrganization;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

both_engines!(
    console_webhook_widening_needs_step_up_and_is_hidden_from_others,
    console_webhook_replay_is_offered_only_with_audit_read,
    console_webhooks_of_a_suspended_organization_are_read_only,
    console_webhook_deliveries_are_paged
);

async fn console_webhook_widening_needs_step_up_and_is_hidden_from_others(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    for (name, permission) in [("reader", "members:read"), ("plumber", "webhooks:manage")] {
        let role = json!({"name": name, "permissions": ["organization:read", permission]});
        owner.post(&acme.path("/roles"), role).await.assert_status(201);
    }
    let created = owner
        .post(&acme.path("/webhooks"), json!({"address": "https://a.example/"}))
        .await
        .assert_status(201)
        .body;
    let id = created["webhook"]["id"].as_str().unwrap().to_owned();
    let list_path = console_path(&acme, "/webhooks");
    let one = format!("{list_path}/{id}");
    // A member with `webhooks:manage` only sees this part of the console, without links into the audit log.
    let mut pia = world.create_console_user(&acme, "pia@example.com", "plumber").await;
    attempt(world, &id).await;
    let page = pia.reader.open_page(&one).await;
    assert!(
        page.contains("status 200")
            && !page.contains("/console/acme/audit-log")
            && !page.contains("/console/acme/members"),
        "{page}"
    );
    let list = pia.reader.open_page(&list_path).await;
    world.clock.advance(Lifetime::from_hours(2));
    widening_waits_for_step_up(&owner, &id, &mut pia.reader, [&list, &page]).await;
    webhook_is_hidden_from_others(&owner, &other, &id).await;
}

async fn load_webhook(owner: &ApiCaller<'_>, id: &str) -> Value {
    owner.get(&owner.tenant.path(&format!("/webhooks/{id}"))).await.assert_status(200).body
}

/// A new webhook, a changed or resumed one and a new secret need a step-up; pausing does not.
async fn widening_waits_for_step_up(
    owner: &ApiCaller<'_>,
    id: &str,
    pia: &mut PageBrowser<'_>,
    [list, webhook_page]: [&str; 2],
) {
    let add = vec![("action", "add"), ("address", "https://spy.example/"), ("told", "everything")];
    let change = vec![("action", "change"), ("address", "https://spy.example/"), ("told", "everything")];
    for (form, within, fields) in [
        (list, "id=\"add-now\"", add),
        (webhook_page, "id=\"save\"", change),
        (webhook_page, "id=\"rotate\"", vec![("action", "rotate"), ("overlap", "0")]),
        (webhook_page, "id=\"pause\"", vec![("action", "resume")]),
    ] {
        let (_, proving) = pia.submit_form(form, within, &fields).await;
        assert!(proving.contains("name=\"password\"") && !proving.contains("whsec_"), "{within}: {proving}");
        assert_eq!(
            load_webhook(owner, id).await["version"],
            1,
            "{within}: nothing changes before the step-up"
        );
    }
    let (_, paused) = pia.submit_form(webhook_page, "id=\"pause\"", &[("action", "pause")]).await;
    assert!(paused.contains("Webhook paused."), "{paused}");
    let password = [("password", PASSWORD), ("action", "password")];
    let (_, proving) = pia.submit_form(&paused, "id=\"resume\"", &[("action", "resume")]).await;
    let (_, after) = pia.submit_first_form(&proving, &password).await;
    assert!(
        after.contains("Webhook resumed") && load_webhook(owner, id).await["state"] == "working",
        "{after}"
    );
    // A new secret is shown once, in the response to the step-up.
    pia.world.clock.advance(Lifetime::from_hours(2));
    let (_, proving) =
        pia.submit_form(&after, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "0")]).await;
    let (_, page) = pia.submit_first_form(&proving, &password).await;
    assert!(within(&page, "secret").starts_with("whsec_"), "{page}");
}

/// Hidden from a member without `webhooks:manage`, and from the owner of another organization.
async fn webhook_is_hidden_from_others(owner: &ApiCaller<'_>, other: &TestOrganization, id: &str) {
    let (world, acme) = (owner.world, &owner.tenant);
    let list_path = console_path(acme, "/webhooks");
    let one = format!("{list_path}/{id}");
    let mut rita = world.create_console_user(acme, "rita@example.com", "reader").await;
    assert!(!rita.reader.open_page(&console_path(acme, "")).await.contains("/console/acme/webhooks"));
    for path in [&list_path, &one] {
        assert_eq!(rita.reader.open_url(path).await.0, 403);
    }
    let csrf =
        csrf_of(&rita.reader.open_page(&console_path(acme, &format!("/members/{}", rita.membership))).await);
    let mut bia = world.create_console_user(other, "bia@example.com", "owner").await;
    let home = bia.reader.open_page(&console_path(other, "/webhooks")).await;
    let (foreign, through) = (csrf_of(&home), console_path(other, &format!("/webhooks/{id}")));
    assert!(
        !home.contains("a.example")
            && bia.reader.open_url(&through).await.0 == 404
            && bia.reader.open_url(&one).await.0 == 404,
        "{home}"
    );
    let before = load_webhook(owner, id).await;
    for action in ["change", "rotate", "replay", "resume", "pause", "test", "remove"] {
        let fields = |csrf| {
            [
                ("csrf", csrf),
                ("action", action),
                ("version", "4"),
                ("once", "abcdefghijklmnopqrstuv"),
                ("address", "https://spy.example/"),
                ("told", "everything"),
                ("since", "2020-01-01"),
            ]
        };
        let (_, after) = rita.reader.forge_post(&one, &world.origin(), &fields(csrf.as_str())).await;
        assert!(!after.contains("whsec_") && load_webhook(owner, id).await == before, "{action}: {after}");
        let (status, after) =
            bia.reader.forge_post(&through, &world.origin(), &fields(foreign.as_str())).await;
        assert!(status == 404 || after.contains("This no longer exists"), "{action}: {status} {after}");
        assert_eq!(bia.reader.forge_post(&one, &world.origin(), &fields(foreign.as_str())).await.0, 404);
        assert_eq!(load_webhook(owner, id).await, before, "{action}");
    }
}

async fn console_webhook_replay_is_offered_only_with_audit_read(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    for (name, permissions) in [
        ("plumber", json!(["organization:read", "webhooks:manage"])),
        ("auditor", json!(["organization:read", "webhooks:manage", "audit:read"])),
    ] {
        owner
            .post(&acme.path("/roles"), json!({"name": name, "permissions": permissions}))
            .await
            .assert_status(201);
    }
    let created = owner
        .post(&acme.path("/webhooks"), json!({"address": "https://a.example/"}))
        .await
        .assert_status(201)
        .body;
    let one = console_path(&acme, &format!("/webhooks/{}", created["webhook"]["id"].as_str().unwrap()));
    let mut pia = world.create_console_user(&acme, "pia@example.com", "plumber").await;
    let page = pia.reader.open_page(&one).await;
    assert!(page.contains("id=\"pause\"") && !page.contains("id=\"replay"), "{page}");
    let csrf = csrf_of(&page);
    pia.reader
        .forge_post(
            &one,
            &world.origin(),
            &[("csrf", csrf.as_str()), ("action", "replay"), ("since", "2020-01-01")],
        )
        .await;
    assert_eq!(world.count_events("webhook.replayed").await, 0);
    // A member with `audit:read` replays after a step-up.
    let mut quim = world.create_console_user(&acme, "quim@example.com", "auditor").await;
    let page = quim.reader.open_page(&one).await;
    world.clock.advance(Lifetime::from_hours(2));
    let (_, proving) = quim
        .reader
        .submit_form(&page, "id=\"replay-now\"", &[("action", "replay"), ("since", "2020-01-01")])
        .await;
    assert!(
        proving.contains("name=\"password\"") && world.count_events("webhook.replayed").await == 0,
        "{proving}"
    );
    quim.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert_eq!(world.count_events("webhook.replayed").await, 1);
}

async fn console_webhooks_of_a_suspended_organization_are_read_only(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let created = owner
        .post(&acme.path("/webhooks"), json!({"address": "https://a.example/"}))
        .await
        .assert_status(201)
        .body;
    let id = created["webhook"]["id"].as_str().unwrap().to_owned();
    let (list_path, path) = (console_path(&acme, "/webhooks"), acme.path(&format!("/webhooks/{id}")));
    let one = format!("{list_path}/{id}");
    attempt(world, &id).await;
    let stands = owner.get(&path).await.assert_status(200).body;
    let mut pia = world.create_console_user(&acme, "pia@example.com", "owner").await;
    let (before, list) = (pia.reader.open_page(&one).await, pia.reader.open_page(&list_path).await);
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    let page = pia.reader.open_page(&one).await;
    assert!(
        page.contains("https://a.example/") && page.contains("status 200") && !page.contains("<form"),
        "{page}"
    );
    assert!(!pia.reader.open_page(&list_path).await.contains("<form"));
    for (form, button, action) in [
        (&before, "save", "change"),
        (&before, "rotate", "rotate"),
        (&before, "pause", "pause"),
        (&before, "test", "test"),
        (&before, "replay-now", "replay"),
        (&before, "remove-now", "remove"),
        (&list, "add-now", "add"),
    ] {
        let fields = [
            ("action", action),
            ("address", "https://b.example/"),
            ("told", "everything"),
            ("since", "2020-01-01"),
        ];
        let (_, after) = pia.reader.submit_form(form, &format!("id=\"{button}\""), &fields).await;
        assert!(
            after.contains("The organization is suspended and cannot be changed")
                && !after.contains("whsec_"),
            "{action}: {after}"
        );
    }
    assert_eq!(owner.get(&path).await.assert_status(200).body, stands);
}

async fn console_webhook_deliveries_are_paged(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut ids = Vec::new();
    for number in 0..2 {
        let created = owner
            .post(&acme.path("/webhooks"), json!({"address": format!("https://a.example/{number}")}))
            .await
            .assert_status(201)
            .body;
        ids.push(created["webhook"]["id"].as_str().unwrap().to_owned());
    }
    for _ in 0..51 {
        attempt(world, &ids[0]).await;
    }
    attempt(world, &ids[1]).await;
    let one = console_path(&acme, &format!("/webhooks/{}", ids[0]));
    let first = ana.reader.open_page(&format!("{one}?ui_locales=en")).await;
    assert_eq!(first.matches("status 200").count(), 50);
    let next = first
        .split("id=\"next-page\"")
        .next()
        .unwrap()
        .rsplit("href=\"")
        .next()
        .unwrap()
        .split('"')
        .next()
        .unwrap();
    let next = next.replace("&#38;", "&").replace("&amp;", "&");
    assert!(next.contains("ui_locales=en") && next.starts_with(&one), "{next}");
    let second = ana.reader.open_page(&next).await;
    assert!(
        second.matches("status 200").count() == 1
            && !second.contains("id=\"next-page\"")
            && second.contains("id=\"first-page\""),
        "{second}"
    );
    // A cursor of one list is not valid for another.
    let elsewhere = next.replace(&ids[0], &ids[1]);
    assert_eq!(ana.reader.open_url(&elsewhere).await.0, 400);
}
