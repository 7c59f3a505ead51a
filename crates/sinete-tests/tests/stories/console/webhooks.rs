//! Webhooks on the console: added, told, changed, paused, tried, told again, given another secret, deleted.

use super::applications::within;
use super::console_path;
use crate::both_engines;
use crate::harness::webhook_receiver::{ReceiverBehavior, WebhookReceiver};
use crate::harness::world::World;
use serde_json::json;
use sinete_core::id::{AttemptId, EventId};
use sinete_core::time::Lifetime;
use sinete_store::WriteBatch;
use sinete_store::events::webhooks::attempts;
use sinete_store::events::webhooks::attempts::{WebhookAttemptOutcome, WebhookAttemptRow};

/// The only form on a page of another's that carries what shows that a form is the session's own.
pub(super) fn csrf_of(page: &str) -> String {
    page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// Whether a box of the form is ticked.
pub(super) fn is_ticked(page: &str, kind: &str) -> bool {
    page.contains(&format!("name=\"kind.{kind}\" value=\"on\" checked"))
}

both_engines!(
    console_webhook_lifecycle_equals_the_api,
    console_webhook_shows_deliveries_and_supports_test_replay_and_secret_rotation,
    console_webhook_errors_are_shown_beside_their_field_and_no_event_type_is_not_all,
);

async fn console_webhook_lifecycle_equals_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (receiver, here) = (WebhookReceiver::start().await, console_path(&acme, "/webhooks"));
    let form = ana.reader.open_page(&here).await;
    let fields = [
        ("action", "add"),
        ("address", receiver.address.as_str()),
        ("description", " Our directory "),
        ("told", "chosen"),
        ("kind.role.created", "on"),
    ];
    let (_, made) = ana.reader.submit_form(&form, "id=\"add-now\"", &fields).await;
    let secret = within(&made, "secret").to_owned();
    assert!(secret.starts_with("whsec_") && made.contains("Our directory"), "{made}");
    let all = owner.get(&acme.path("/webhooks")).await.assert_status(200).body;
    let id = all["items"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(
        (&all["items"][0]["kinds"], &all["items"][0]["description"]),
        (&json!(["role.created"]), &json!("Our directory"))
    );
    let (one, path) = (format!("{here}/{id}"), acme.path(&format!("/webhooks/{id}")));
    let webhook = async || owner.get(&path).await.assert_status(200).body;
    // It is shown once: neither on the page that follows nor on the answer to the same form.
    let (_, again) = ana.reader.submit_form(&form, "id=\"add-now\"", &fields).await;
    assert!(again.contains("That form was sent before") && !again.contains("whsec_"), "{again}");
    assert_eq!(
        owner.get(&acme.path("/webhooks")).await.assert_status(200).body["items"].as_array().unwrap().len(),
        1
    );
    assert!(again.contains(&format!("href=\"{one}\"")) && again.contains("working"), "{again}");
    owner.post(&acme.path("/roles"), json!({"name": "one"})).await.assert_status(201);
    world.deliver_webhooks().await;
    let received = receiver.take_received();
    assert!(received.len() == 1 && received[0].is_signed_with(&secret), "{received:?}");
    let again = ana.reader.open_page(&one).await;
    // Paused it is told of nothing, not even of a trial; what happened waits for it.
    let (_, paused) = ana.reader.submit_form(&again, "id=\"pause\"", &[("action", "pause")]).await;
    assert!(
        paused.contains("The webhook is paused.")
            && paused.contains("Somebody paused it on")
            && !paused.contains("id=\"test\""),
        "{paused}"
    );
    let (_, after) = ana.reader.submit_form(&again, "id=\"test\"", &[("action", "test")]).await;
    assert!(after.contains("It is paused. Let it go on first."), "{after}");
    owner.post(&acme.path("/roles"), json!({"name": "three"})).await.assert_status(201);
    world.deliver_webhooks().await;
    assert!(receiver.take_received().is_empty());
    let (_, after) = ana.reader.submit_form(&paused, "id=\"resume\"", &[("action", "resume")]).await;
    assert!(after.contains("told of things again") && webhook().await["state"] == "working", "{after}");
    world.deliver_webhooks().await;
    assert_eq!(receiver.take_received().len(), 1);
    // Changed, it is told of everything; deleted, it is gone, and so is its page.
    let fields = [
        ("action", "change"),
        ("address", receiver.address.as_str()),
        ("description", ""),
        ("told", "everything"),
        ("kind.role.created", "on"),
    ];
    let (_, after) = ana.reader.submit_form(&after, "id=\"save\"", &fields).await;
    assert!(
        after.contains("The webhook is changed.") && after.contains("Everything that stands in the trail"),
        "{after}"
    );
    assert_eq!((&webhook().await["kinds"], &webhook().await["description"]), (&json!([]), &json!("")));
    let (_, gone) = ana.reader.submit_form(&after, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(
        gone.contains("The webhook is deleted.") && gone.contains("No address is told of anything yet."),
        "{gone}"
    );
    owner.get(&path).await.assert_problem(404, "not_found");
    assert_eq!(ana.reader.open_url(&one).await.0, 404);
    let (status, late) = ana.reader.submit_form(&after, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(
        status == 200 && late.contains("not there any more") && late.contains("<h1>Webhooks</h1>"),
        "{late}"
    );
    let trail = owner
        .get(&acme.path(&format!("/audit?actor={}&limit=200", ana.membership)))
        .await
        .assert_status(200)
        .body;
    let mut kinds: Vec<&str> =
        trail["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(
        kinds,
        ["webhook.changed", "webhook.created", "webhook.paused", "webhook.removed", "webhook.resumed"]
    );
}

async fn console_webhook_shows_deliveries_and_supports_test_replay_and_secret_rotation(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let receiver = WebhookReceiver::start().await;
    let made = owner
        .post(&acme.path("/webhooks"), json!({"address": receiver.address, "kinds": ["role.created"]}))
        .await
        .assert_status(201);
    let (secret, id) = (made.text_member("secret"), made.body["webhook"]["id"].as_str().unwrap());
    let one = console_path(&acme, &format!("/webhooks/{id}"));
    // What it is told of, what it answers and what follows stand there, the latest first.
    owner.post(&acme.path("/roles"), json!({"name": "one"})).await.assert_status(201);
    receiver.script_responses([ReceiverBehavior::Answer(503)]);
    world.deliver_webhooks().await;
    let failing = ana.reader.open_page(&one).await;
    assert!(
        failing.contains("answered 503")
            && failing.contains("failing")
            && failing.contains("Tried again")
            && !failing.contains("whsec_"),
        "{failing}"
    );
    world.clock.advance(Lifetime::from_seconds(10));
    world.deliver_webhooks().await;
    let told = ana.reader.open_page(&one).await;
    let (taken, failed) = (told.find("answered 204").unwrap(), told.find("answered 503").unwrap());
    assert!(taken < failed && told.contains("working") && !told.contains("Tried again"), "{told}");
    let received = receiver.take_received();
    assert!(received.len() == 2 && received.iter().all(|hook| hook.is_signed_with(&secret)), "{received:?}");
    let trail = owner.get(&acme.path("/audit?kind=role.created")).await.assert_status(200).body;
    let event = trail["items"][0]["id"].as_str().unwrap();
    assert!(
        told.contains(&format!("href=\"{}\"", console_path(&acme, &format!("/trail/{event}")))),
        "{told}"
    );
    // A trial goes to it whatever it is told of otherwise.
    let (_, after) = ana.reader.submit_form(&told, "id=\"test\"", &[("action", "test")]).await;
    assert!(after.contains("The trial is on its way."), "{after}");
    world.deliver_webhooks().await;
    assert_eq!(
        receiver.take_received().iter().map(|hook| hook.kind()).collect::<Vec<_>>(),
        ["webhook.tested"]
    );
    // Everything since a day comes once more, with the ids it had.
    let (_, after) = ana
        .reader
        .submit_form(&told, "id=\"replay-now\"", &[("action", "replay"), ("since", "2020-01-01")])
        .await;
    assert!(after.contains("Everything since that day is on its way once more."), "{after}");
    world.deliver_webhooks().await;
    let repeated: Vec<String> = receiver.take_received().iter().map(|hook| hook.id.clone()).collect();
    assert!(repeated.iter().any(|id| id == event), "{repeated:?}");
    for day in ["", "soon", "2026-02-30", "2999-01-01"] {
        let (_, after) =
            ana.reader.submit_form(&told, "id=\"replay-now\"", &[("action", "replay"), ("since", day)]).await;
        assert!(
            after.contains("Choose a day that has begun") && after.contains("id=\"replay\" open"),
            "{day}: {after}"
        );
    }
    // Another secret is shown once, and both sign for as long as was chosen.
    let stale = ana.reader.open_page(&one).await;
    let rotate = ana.reader.open_page(&one).await;
    let (_, shown) =
        ana.reader.submit_form(&rotate, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "3600")]).await;
    let newer = within(&shown, "secret").to_owned();
    assert!(newer.starts_with("whsec_") && newer != secret, "{shown}");
    let (_, again) =
        ana.reader.submit_form(&rotate, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "0")]).await;
    assert!(
        again.contains("That form was sent before") && again.contains("The earlier secret signs too"),
        "{again}"
    );
    // Whoever opened the page before that does not end the secret that still signs.
    let (_, slow) =
        ana.reader.submit_form(&stale, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "3600")]).await;
    assert!(slow.contains("Somebody changed this") && !slow.contains("whsec_"), "{slow}");
    for overlap in ["604801", "soon", "-1"] {
        let (_, after) = ana
            .reader
            .submit_form(&again, "id=\"rotate\"", &[("action", "rotate"), ("overlap", overlap)])
            .await;
        assert!(
            after.contains("That cannot be done now.") && !after.contains("whsec_"),
            "{overlap}: {after}"
        );
    }
    owner.post(&acme.path("/roles"), json!({"name": "two"})).await.assert_status(201);
    world.deliver_webhooks().await;
    let received = receiver.take_received();
    assert!(
        received.len() == 1
            && received.iter().all(|hook| hook.is_signed_with(&secret) && hook.is_signed_with(&newer)),
        "{received:?}"
    );
    let trail = owner
        .get(&acme.path(&format!("/audit?actor={}&limit=200", ana.membership)))
        .await
        .assert_status(200)
        .body;
    let mut kinds: Vec<&str> =
        trail["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    kinds.sort_unstable();
    assert_eq!(kinds, ["webhook.replayed", "webhook.secret_rotated", "webhook.tested"]);
}

async fn console_webhook_errors_are_shown_beside_their_field_and_no_event_type_is_not_all(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut form = ana.reader.open_page(&console_path(&acme, "/webhooks")).await;
    assert!(
        form.contains("name=\"kind.relationships.changed\"")
            && !form.contains("name=\"kind.webhook.tested\""),
        "{form}"
    );
    let (good, marked) = ("https://a.example/events", format!("x{}", "\u{202e}"));
    let long = "d".repeat(201);
    for (address, description, told, kind, said) in [
        ("", "", "everything", "role.created", "Give an address that begins with https"),
        ("a.example", "", "everything", "role.created", "Give an address that begins with https"),
        (
            "https://ana:secret@a.example/",
            "",
            "everything",
            "role.created",
            "Give an address that begins with https",
        ),
        (
            "https://a.example/#part",
            "",
            "everything",
            "role.created",
            "Give an address that begins with https",
        ),
        (
            good,
            marked.as_str(),
            "everything",
            "role.created",
            "This is longer than 200 characters, or not all of them can be seen.",
        ),
        (
            good,
            long.as_str(),
            "everything",
            "role.created",
            "This is longer than 200 characters, or not all of them can be seen.",
        ),
        (good, "", "chosen", "role.forgotten", "There is no such kind of event."),
    ] {
        let ticked = format!("kind.{kind}");
        let fields = [
            ("action", "add"),
            ("address", address),
            ("description", description),
            ("told", told),
            (ticked.as_str(), "on"),
        ];
        let (_, after) = ana.reader.submit_form(&form, "id=\"add-now\"", &fields).await;
        assert!(
            after.contains(said)
                && after.contains("id=\"add\" open")
                && after.contains(&format!("value=\"{address}\"")),
            "{address} {said}: {after}"
        );
        form = after;
    }
    let (_, after) = ana
        .reader
        .submit_form(&form, "id=\"add-now\"", &[("action", "add"), ("address", good), ("told", "chosen")])
        .await;
    assert!(after.contains("Choose at least one thing it is told of"), "{after}");
    assert_eq!(
        owner.get(&acme.path("/webhooks")).await.assert_status(200).body["items"],
        json!([]),
        "nothing was added of any of them"
    );
    // There are no more than twenty of them, by page as by request.
    for number in 0..20 {
        owner
            .post(&acme.path("/webhooks"), json!({"address": format!("https://a.example/{number}")}))
            .await
            .assert_status(201);
    }
    let (_, after) = ana
        .reader
        .submit_form(
            &after,
            "id=\"add-now\"",
            &[("action", "add"), ("address", good), ("told", "everything")],
        )
        .await;
    assert!(
        after.contains("as many addresses as there may be: 20")
            && after.contains(&format!("value=\"{good}\"")),
        "{after}"
    );
}

/// Writes down that a webhook took something.
pub(super) async fn attempt(world: &crate::harness::world::World, webhook: &str) {
    world.clock.advance(Lifetime::from_seconds(1));
    let engine = world.server.engine();
    let attempted = WebhookAttemptRow {
        id: AttemptId::mint(engine.now(), engine.entropy()),
        event: EventId::mint(engine.now(), engine.entropy()),
        kind: "role.created".to_owned(),
        status: Some(200),
        outcome: WebhookAttemptOutcome::Told,
        at: engine.now(),
    };
    let act =
        WriteBatch::new().with_statement(attempts::record_attempt(webhook.parse().unwrap(), &attempted));
    engine.store().commit(act).await.unwrap().unwrap();
}
