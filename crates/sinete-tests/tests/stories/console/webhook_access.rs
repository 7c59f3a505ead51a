//! Who may see, change and replay webhooks on the console.

use super::applications::within;
use super::page;
use super::webhooks::{attempt, csrf_of};
use crate::both_engines;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

both_engines!(
    telling_more_waits_for_a_proof_and_others_neither_see_nor_touch_a_webhook,
    webhook_replay_is_offered_to_those_alone_who_may_read_the_audit_log,
    a_suspended_organization_shows_its_webhooks_and_takes_no_change,
    deliveries_go_on_from_where_the_page_before_ended
);

async fn telling_more_waits_for_a_proof_and_others_neither_see_nor_touch_a_webhook(world: &World) {
    let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
    let owner = world.owner(&acme).await;
    let role = |name: &str, permissions: Value| json!({"name": name, "permissions": permissions});
    owner
        .post(&acme.path("/roles"), role("reader", json!(["organization:read", "members:read"])))
        .await
        .is(201);
    owner
        .post(&acme.path("/roles"), role("plumber", json!(["organization:read", "webhooks:manage"])))
        .await
        .is(201);
    let made =
        owner.post(&acme.path("/webhooks"), json!({"address": "https://a.example/"})).await.is(201).body;
    let id = made["webhook"]["id"].as_str().unwrap().to_owned();
    let (here, path) = (page(&acme, "/webhooks"), acme.path(&format!("/webhooks/{id}")));
    let one = format!("{here}/{id}");
    let webhook = async || owner.get(&path).await.is(200).body;
    // Whoever manages nothing else has this room and no other, and no links into a trail they may not read.
    let mut pia = world.worker(&acme, "pia@example.com", "plumber").await;
    attempt(world, &id).await;
    let seen = pia.reader.reads(&one).await;
    assert!(
        seen.contains("answered 200")
            && !seen.contains("/console/acme/trail")
            && !seen.contains("/console/acme/members"),
        "{seen}"
    );
    let list = pia.reader.reads(&here).await;
    world.clock.pass(Lifetime::from_hours(2));
    let add = vec![("action", "add"), ("address", "https://spy.example/"), ("told", "everything")];
    let change = vec![("action", "change"), ("address", "https://spy.example/"), ("told", "everything")];
    for (form, within, fields) in [
        (&list, "id=\"add-now\"", add),
        (&seen, "id=\"save\"", change),
        (&seen, "id=\"rotate\"", vec![("action", "rotate"), ("overlap", "0")]),
        (&seen, "id=\"pause\"", vec![("action", "resume")]),
    ] {
        let (_, proving) = pia.reader.presses(form, within, &fields).await;
        assert!(proving.contains("name=\"password\"") && !proving.contains("whsec_"), "{within}: {proving}");
        assert_eq!(webhook().await["version"], 1, "{within}: nothing was done");
    }
    // Taking away does not wait.
    let (_, paused) = pia.reader.presses(&seen, "id=\"pause\"", &[("action", "pause")]).await;
    assert!(paused.contains("The webhook is paused."), "{paused}");
    let (_, proving) = pia.reader.presses(&paused, "id=\"resume\"", &[("action", "resume")]).await;
    let (_, after) = pia.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(after.contains("told of things again") && webhook().await["state"] == "working", "{after}");
    // A secret that waited for a proof is shown on the answer to it, once.
    world.clock.pass(Lifetime::from_hours(2));
    let (_, proving) =
        pia.reader.presses(&after, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "0")]).await;
    let (_, shown) = pia.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(within(&shown, "secret").starts_with("whsec_"), "{shown}");
    let mut rita = world.worker(&acme, "rita@example.com", "reader").await;
    assert!(!rita.reader.reads(&page(&acme, "")).await.contains("/console/acme/webhooks"));
    for path in [&here, &one] {
        assert_eq!(rita.reader.opens(path).await.0, 403);
    }
    let csrf = csrf_of(&rita.reader.reads(&page(&acme, &format!("/members/{}", rita.membership))).await);
    let mut bia = world.worker(&other, "bia@example.com", "owner").await;
    let home = bia.reader.reads(&page(&other, "/webhooks")).await;
    let (foreign, through) = (csrf_of(&home), page(&other, &format!("/webhooks/{id}")));
    assert!(
        !home.contains("a.example")
            && bia.reader.opens(&through).await.0 == 404
            && bia.reader.opens(&one).await.0 == 404,
        "{home}"
    );
    let stands = webhook().await;
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
        let (_, after) = rita.reader.forges(&one, &world.origin(), &fields(csrf.as_str())).await;
        assert!(!after.contains("whsec_") && webhook().await == stands, "{action}: {after}");
        let (status, after) = bia.reader.forges(&through, &world.origin(), &fields(foreign.as_str())).await;
        assert!(status == 404 || after.contains("not there any more"), "{action}: {status} {after}");
        assert_eq!(bia.reader.forges(&one, &world.origin(), &fields(foreign.as_str())).await.0, 404);
        assert_eq!(webhook().await, stands, "{action}");
    }
}

async fn webhook_replay_is_offered_to_those_alone_who_may_read_the_audit_log(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    for (name, permissions) in [
        ("plumber", json!(["organization:read", "webhooks:manage"])),
        ("auditor", json!(["organization:read", "webhooks:manage", "audit:read"])),
    ] {
        owner.post(&acme.path("/roles"), json!({"name": name, "permissions": permissions})).await.is(201);
    }
    let made =
        owner.post(&acme.path("/webhooks"), json!({"address": "https://a.example/"})).await.is(201).body;
    let one = page(&acme, &format!("/webhooks/{}", made["webhook"]["id"].as_str().unwrap()));
    let mut pia = world.worker(&acme, "pia@example.com", "plumber").await;
    let seen = pia.reader.reads(&one).await;
    assert!(seen.contains("id=\"pause\"") && !seen.contains("id=\"replay"), "{seen}");
    let csrf = csrf_of(&seen);
    pia.reader
        .forges(
            &one,
            &world.origin(),
            &[("csrf", csrf.as_str()), ("action", "replay"), ("since", "2020-01-01")],
        )
        .await;
    assert_eq!(world.logged("webhook.replayed").await, 0);
    // Who may read it is asked for a proof once the last one is old, and replays.
    let mut quim = world.worker(&acme, "quim@example.com", "auditor").await;
    let seen = quim.reader.reads(&one).await;
    world.clock.pass(Lifetime::from_hours(2));
    let (_, proving) = quim
        .reader
        .presses(&seen, "id=\"replay-now\"", &[("action", "replay"), ("since", "2020-01-01")])
        .await;
    assert!(
        proving.contains("name=\"password\"") && world.logged("webhook.replayed").await == 0,
        "{proving}"
    );
    quim.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert_eq!(world.logged("webhook.replayed").await, 1);
}

async fn a_suspended_organization_shows_its_webhooks_and_takes_no_change(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let made =
        owner.post(&acme.path("/webhooks"), json!({"address": "https://a.example/"})).await.is(201).body;
    let id = made["webhook"]["id"].as_str().unwrap().to_owned();
    let (here, path) = (page(&acme, "/webhooks"), acme.path(&format!("/webhooks/{id}")));
    let one = format!("{here}/{id}");
    attempt(world, &id).await;
    let stands = owner.get(&path).await.is(200).body;
    let mut pia = world.worker(&acme, "pia@example.com", "owner").await;
    let (before, list) = (pia.reader.reads(&one).await, pia.reader.reads(&here).await);
    let operator = world.operator().await;
    world.assign(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.is(200);
    let seen = pia.reader.reads(&one).await;
    assert!(
        seen.contains("https://a.example/") && seen.contains("answered 200") && !seen.contains("<form"),
        "{seen}"
    );
    assert!(!pia.reader.reads(&here).await.contains("<form"));
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
        let (_, after) = pia.reader.presses(form, &format!("id=\"{button}\""), &fields).await;
        assert!(
            after.contains("suspended and accepts no change") && !after.contains("whsec_"),
            "{action}: {after}"
        );
    }
    assert_eq!(owner.get(&path).await.is(200).body, stands);
}

async fn deliveries_go_on_from_where_the_page_before_ended(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
    let mut ids = Vec::new();
    for number in 0..2 {
        let made = owner
            .post(&acme.path("/webhooks"), json!({"address": format!("https://a.example/{number}")}))
            .await
            .is(201)
            .body;
        ids.push(made["webhook"]["id"].as_str().unwrap().to_owned());
    }
    for _ in 0..51 {
        attempt(world, &ids[0]).await;
    }
    attempt(world, &ids[1]).await;
    let one = page(&acme, &format!("/webhooks/{}", ids[0]));
    let first = ana.reader.reads(&format!("{one}?ui_locales=en")).await;
    assert_eq!(first.matches("answered 200").count(), 50);
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
    let second = ana.reader.reads(&next).await;
    assert!(
        second.matches("answered 200").count() == 1
            && !second.contains("id=\"next-page\"")
            && second.contains("id=\"first-page\""),
        "{second}"
    );
    // A place in one list is a place in no other.
    let elsewhere = next.replace(&ids[0], &ids[1]);
    assert_eq!(ana.reader.opens(&elsewhere).await.0, 400);
}
