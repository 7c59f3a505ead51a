//! Webhooks on the console: added, told, changed, paused, tried, told again, given another secret, deleted.

use super::applications::within;
use super::page;
use crate::harness::hooks::{ReceiverBehavior, WebhookReceiver};
use crate::harness::person::PASSWORD;
use crate::stories;
use crate::stories::manage::conventions::join_all;
use serde_json::{Value, json};
use sinete_core::id::{AttemptId, EventId};
use sinete_core::time::Lifetime;
use sinete_store::WriteBatch;
use sinete_store::webhooks::attempts::{self, WebhookAttemptOutcome, WebhookAttemptRow};

/// The only form on a page of another's that carries what shows that a form is the session's own.
fn csrf_of(page: &str) -> String {
    page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// Whether a box of the form is ticked.
fn is_ticked(page: &str, kind: &str) -> bool {
    page.contains(&format!("name=\"kind.{kind}\" value=\"on\" checked"))
}

stories! {
    async fn a_webhook_is_added_told_changed_paused_and_deleted_as_by_the_api(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let (receiver, here) = (WebhookReceiver::start().await, page(&acme, "/webhooks"));
        let form = ana.reader.reads(&here).await;
        let fields = [("action", "add"), ("address", receiver.address.as_str()), ("description", " Our directory "), ("told", "chosen"), ("kind.role.created", "on")];
        let (_, made) = ana.reader.presses(&form, "id=\"add-now\"", &fields).await;
        let secret = within(&made, "secret").to_owned();
        assert!(secret.starts_with("whsec_") && made.contains("Our directory"), "{made}");
        let all = owner.get(&acme.path("/webhooks")).await.is(200).body;
        let id = all["items"][0]["id"].as_str().unwrap().to_owned();
        assert_eq!((&all["items"][0]["kinds"], &all["items"][0]["description"]), (&json!(["role.created"]), &json!("Our directory")));
        let (one, path) = (format!("{here}/{id}"), acme.path(&format!("/webhooks/{id}")));
        let webhook = async || owner.get(&path).await.is(200).body;
        // It is shown once: neither on the page that follows nor on the answer to the same form.
        let (_, again) = ana.reader.presses(&form, "id=\"add-now\"", &fields).await;
        assert!(again.contains("That form was sent before") && !again.contains("whsec_"), "{again}");
        assert_eq!(owner.get(&acme.path("/webhooks")).await.is(200).body["items"].as_array().unwrap().len(), 1);
        assert!(again.contains(&format!("href=\"{one}\"")) && again.contains("working"), "{again}");
        owner.post(&acme.path("/roles"), json!({"name": "one"})).await.is(201);
        world.tell().await;
        let received = receiver.take();
        assert!(received.len() == 1 && received[0].is_signed_with(&secret), "{received:?}");
        let again = ana.reader.reads(&one).await;
        // Paused it is told of nothing, not even of a trial; what happened waits for it.
        let (_, paused) = ana.reader.presses(&again, "id=\"pause\"", &[("action", "pause")]).await;
        assert!(paused.contains("The webhook is paused.") && paused.contains("Somebody paused it on") && !paused.contains("id=\"test\""), "{paused}");
        let (_, after) = ana.reader.presses(&again, "id=\"test\"", &[("action", "test")]).await;
        assert!(after.contains("It is paused. Let it go on first."), "{after}");
        owner.post(&acme.path("/roles"), json!({"name": "three"})).await.is(201);
        world.tell().await;
        assert!(receiver.take().is_empty());
        let (_, after) = ana.reader.presses(&paused, "id=\"resume\"", &[("action", "resume")]).await;
        assert!(after.contains("told of things again") && webhook().await["state"] == "working", "{after}");
        world.tell().await;
        assert_eq!(receiver.take().len(), 1);
        // Changed, it is told of everything; deleted, it is gone, and so is its page.
        let fields = [("action", "change"), ("address", receiver.address.as_str()), ("description", ""), ("told", "everything"), ("kind.role.created", "on")];
        let (_, after) = ana.reader.presses(&after, "id=\"save\"", &fields).await;
        assert!(after.contains("The webhook is changed.") && after.contains("Everything that stands in the trail"), "{after}");
        assert_eq!((&webhook().await["kinds"], &webhook().await["description"]), (&json!([]), &json!("")));
        let (_, gone) = ana.reader.presses(&after, "id=\"remove-now\"", &[("action", "remove")]).await;
        assert!(gone.contains("The webhook is deleted.") && gone.contains("No address is told of anything yet."), "{gone}");
        owner.get(&path).await.refused(404, "not_found");
        assert_eq!(ana.reader.opens(&one).await.0, 404);
        let (status, late) = ana.reader.presses(&after, "id=\"remove-now\"", &[("action", "remove")]).await;
        assert!(status == 200 && late.contains("not there any more") && late.contains("<h1>Webhooks</h1>"), "{late}");
        let trail = owner.get(&acme.path(&format!("/audit?actor={}&limit=200", ana.membership))).await.is(200).body;
        let mut kinds: Vec<&str> = trail["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert_eq!(kinds, ["webhook.changed", "webhook.created", "webhook.paused", "webhook.removed", "webhook.resumed"]);
    }

    async fn what_became_of_telling_a_webhook_stands_there_and_it_is_tried_told_again_and_given_another_secret(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let receiver = WebhookReceiver::start().await;
        let made = owner.post(&acme.path("/webhooks"), json!({"address": receiver.address, "kinds": ["role.created"]})).await.is(201);
        let (secret, id) = (made.text_of("secret"), made.body["webhook"]["id"].as_str().unwrap());
        let one = page(&acme, &format!("/webhooks/{id}"));
        // What it is told of, what it answers and what follows stand there, the latest first.
        owner.post(&acme.path("/roles"), json!({"name": "one"})).await.is(201);
        receiver.next([ReceiverBehavior::Answer(503)]);
        world.tell().await;
        let failing = ana.reader.reads(&one).await;
        assert!(failing.contains("answered 503") && failing.contains("failing") && failing.contains("Tried again") && !failing.contains("whsec_"), "{failing}");
        world.clock.pass(Lifetime::from_seconds(10));
        world.tell().await;
        let told = ana.reader.reads(&one).await;
        let (taken, failed) = (told.find("answered 204").unwrap(), told.find("answered 503").unwrap());
        assert!(taken < failed && told.contains("working") && !told.contains("Tried again"), "{told}");
        let received = receiver.take();
        assert!(received.len() == 2 && received.iter().all(|hook| hook.is_signed_with(&secret)), "{received:?}");
        let trail = owner.get(&acme.path("/audit?kind=role.created")).await.is(200).body;
        let event = trail["items"][0]["id"].as_str().unwrap();
        assert!(told.contains(&format!("href=\"{}\"", page(&acme, &format!("/trail/{event}")))), "{told}");
        // A trial goes to it whatever it is told of otherwise.
        let (_, after) = ana.reader.presses(&told, "id=\"test\"", &[("action", "test")]).await;
        assert!(after.contains("The trial is on its way."), "{after}");
        world.tell().await;
        assert_eq!(receiver.take().iter().map(|hook| hook.kind()).collect::<Vec<_>>(), ["webhook.tested"]);
        // Everything since a day comes once more, with the ids it had.
        let (_, after) = ana.reader.presses(&told, "id=\"replay-now\"", &[("action", "replay"), ("since", "2020-01-01")]).await;
        assert!(after.contains("Everything since that day is on its way once more."), "{after}");
        world.tell().await;
        let repeated: Vec<String> = receiver.take().iter().map(|hook| hook.id.clone()).collect();
        assert!(repeated.iter().any(|id| id == event), "{repeated:?}");
        for day in ["", "soon", "2026-02-30", "2999-01-01"] {
            let (_, after) = ana.reader.presses(&told, "id=\"replay-now\"", &[("action", "replay"), ("since", day)]).await;
            assert!(after.contains("Choose a day that has begun") && after.contains("id=\"replay\" open"), "{day}: {after}");
        }
        // Another secret is shown once, and both sign for as long as was chosen.
        let stale = ana.reader.reads(&one).await;
        let rotate = ana.reader.reads(&one).await;
        let (_, shown) = ana.reader.presses(&rotate, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "3600")]).await;
        let newer = within(&shown, "secret").to_owned();
        assert!(newer.starts_with("whsec_") && newer != secret, "{shown}");
        let (_, again) = ana.reader.presses(&rotate, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "0")]).await;
        assert!(again.contains("That form was sent before") && again.contains("The earlier secret signs too"), "{again}");
        // Whoever opened the page before that does not end the secret that still signs.
        let (_, slow) = ana.reader.presses(&stale, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "3600")]).await;
        assert!(slow.contains("Somebody changed this") && !slow.contains("whsec_"), "{slow}");
        for overlap in ["604801", "soon", "-1"] {
            let (_, after) = ana.reader.presses(&again, "id=\"rotate\"", &[("action", "rotate"), ("overlap", overlap)]).await;
            assert!(after.contains("That cannot be done now.") && !after.contains("whsec_"), "{overlap}: {after}");
        }
        owner.post(&acme.path("/roles"), json!({"name": "two"})).await.is(201);
        world.tell().await;
        let received = receiver.take();
        assert!(received.len() == 1 && received.iter().all(|hook| hook.is_signed_with(&secret) && hook.is_signed_with(&newer)), "{received:?}");
        let trail = owner.get(&acme.path(&format!("/audit?actor={}&limit=200", ana.membership))).await.is(200).body;
        let mut kinds: Vec<&str> = trail["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
        kinds.sort_unstable();
        assert_eq!(kinds, ["webhook.replayed", "webhook.secret_rotated", "webhook.tested"]);
    }

    async fn what_is_wrong_with_a_webhook_stands_beside_its_field_and_nothing_chosen_is_not_everything(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let mut form = ana.reader.reads(&page(&acme, "/webhooks")).await;
        assert!(form.contains("name=\"kind.relationships.changed\"") && !form.contains("name=\"kind.webhook.tested\""), "{form}");
        let (good, marked) = ("https://a.example/events", format!("x{}", "\u{202e}"));
        let long = "d".repeat(201);
        for (address, description, told, kind, said) in [
            ("", "", "everything", "role.created", "Give an address that begins with https"),
            ("a.example", "", "everything", "role.created", "Give an address that begins with https"),
            ("https://ana:secret@a.example/", "", "everything", "role.created", "Give an address that begins with https"),
            ("https://a.example/#part", "", "everything", "role.created", "Give an address that begins with https"),
            (good, marked.as_str(), "everything", "role.created", "This is longer than 200 characters, or not all of them can be seen."),
            (good, long.as_str(), "everything", "role.created", "This is longer than 200 characters, or not all of them can be seen."),
            (good, "", "chosen", "role.forgotten", "There is no such kind of event."),
        ] {
            let ticked = format!("kind.{kind}");
            let fields = [("action", "add"), ("address", address), ("description", description), ("told", told), (ticked.as_str(), "on")];
            let (_, after) = ana.reader.presses(&form, "id=\"add-now\"", &fields).await;
            assert!(after.contains(said) && after.contains("id=\"add\" open") && after.contains(&format!("value=\"{address}\"")), "{address} {said}: {after}");
            form = after;
        }
        let (_, after) = ana.reader.presses(&form, "id=\"add-now\"", &[("action", "add"), ("address", good), ("told", "chosen")]).await;
        assert!(after.contains("Choose at least one thing it is told of"), "{after}");
        assert_eq!(owner.get(&acme.path("/webhooks")).await.is(200).body["items"], json!([]), "nothing was added of any of them");
        // There are no more than twenty of them, by page as by request.
        for number in 0..20 {
            owner.post(&acme.path("/webhooks"), json!({"address": format!("https://a.example/{number}")})).await.is(201);
        }
        let (_, after) = ana.reader.presses(&after, "id=\"add-now\"", &[("action", "add"), ("address", good), ("told", "everything")]).await;
        assert!(after.contains("as many addresses as there may be: 20") && after.contains(&format!("value=\"{good}\"")), "{after}");
    }

    async fn of_the_same_form_sent_eight_times_at_once_one_webhook_is_added_and_one_secret_is_made(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let ana = world.worker(&acme, "ana@example.com", "owner").await;
        let here = page(&acme, "/webhooks");
        let races = async |form: String, within: &str, fields: &[(&str, &str)]| {
            let racers: Vec<_> = (0..8).map(|_| {
                let mut racer = world.reader("en").holding(&ana.session);
                let form = form.clone();
                async move { racer.presses(&form, within, fields).await.1 }
            }).collect();
            let pages = join_all(racers).await;
            assert_eq!(pages.iter().filter(|page| page.contains("id=\"secret\"")).count(), 1, "{pages:?}");
            assert_eq!(pages.iter().filter(|page| page.contains("That form was sent before")).count(), 7, "{pages:?}");
        };
        let webhooks = async || owner.get(&acme.path("/webhooks")).await.is(200).body["items"].clone();
        let mut looker = world.reader("en").holding(&ana.session);
        let form = looker.reads(&here).await;
        races(form, "id=\"add-now\"", &[("action", "add"), ("address", "https://a.example/"), ("told", "everything")]).await;
        let all = webhooks().await;
        assert_eq!((all.as_array().unwrap().len(), &all[0]["version"]), (1, &json!(1)));
        let form = looker.reads(&format!("{here}/{}", all[0]["id"].as_str().unwrap())).await;
        races(form, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "86400")]).await;
        assert_eq!(webhooks().await[0]["version"], 2, "one secret was made");
    }

    async fn whoever_was_slower_with_a_webhook_is_told_and_undoes_nothing_of_the_others(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let wanted = json!({"address": "https://a.example/", "description": "Mine", "kinds": ["role.created", "role.changed", "session.started"]});
        let known = owner.post(&acme.path("/webhooks"), wanted.clone()).await;
        // A kind that stands in no organization's trail is kept where it was named over the API.
        let id = known.is(201).body["webhook"]["id"].as_str().unwrap().to_owned();
        let (one, path) = (page(&acme, &format!("/webhooks/{id}")), acme.path(&format!("/webhooks/{id}")));
        let webhook = async || owner.get(&path).await.is(200).body;
        let before = ana.reader.reads(&one).await;
        assert!(is_ticked(&before, "role.created") && is_ticked(&before, "session.started") && !is_ticked(&before, "api.created"), "{before}");
        let other = json!({"address": "https://b.example/", "kinds": ["role.created", "session.started", "domain.lost"]});
        owner.patch(&path, 1, other).await.is(200);
        let mine = [
            ("action", "change"), ("address", "https://a.example/"), ("description", "Ours"), ("told", "chosen"),
            ("kind.role.changed", "on"), ("kind.session.started", "on"), ("kind.api.created", "on"),
        ];
        let (_, slow) = ana.reader.presses(&before, "id=\"save\"", &mine).await;
        assert!(slow.contains("Somebody changed this") && slow.contains("id=\"settings\" open"), "{slow}");
        assert_eq!((&webhook().await["description"], &webhook().await["version"]), (&json!("Mine"), &json!(2)), "nothing was done");
        let facts = slow.split("</dl>").next().unwrap();
        assert!(facts.contains("https://b.example/") && facts.contains("<h1>Mine</h1>"), "how it stands: {facts}");
        // What they changed is in the form, and the rest of it is the other's.
        assert!(slow.contains("value=\"Ours\"") && slow.contains("value=\"https://b.example/\"") && !slow.contains("value=\"https://a.example/\""), "{slow}");
        let ticked = ["role.created", "role.changed", "session.started", "domain.lost", "api.created"].map(|kind| is_ticked(&slow, kind));
        assert_eq!(ticked, [false, false, true, true, true]);
        let sent = [
            ("action", "change"), ("address", "https://b.example/"), ("description", "Ours"), ("told", "chosen"),
            ("kind.session.started", "on"), ("kind.domain.lost", "on"), ("kind.api.created", "on"),
        ];
        let (_, after) = ana.reader.presses(&slow, "id=\"save\"", &sent).await;
        assert!(after.contains("The webhook is changed."), "{after}");
        let stands = webhook().await;
        assert_eq!((&stands["address"], &stands["description"]), (&json!("https://b.example/"), &json!("Ours")));
        assert_eq!(stands["kinds"], json!(["api.created", "domain.lost", "session.started"]));
        // What was wrong with a form leaves the rest of it as it was typed.
        let (_, wrong) = ana.reader.presses(&after, "id=\"save\"", &[("action", "change"), ("address", "ftp://c"), ("description", "New"), ("told", "everything")]).await;
        assert!(wrong.contains("Give an address that begins with https") && wrong.contains("value=\"ftp://c\"") && wrong.contains("value=\"New\""), "{wrong}");
        assert!(wrong.contains("value=\"everything\" checked") && webhook().await == stands, "{wrong}");
    }

    async fn telling_more_waits_for_a_proof_and_others_neither_see_nor_touch_a_webhook(world: &World) {
        let (acme, other) = (world.tenant("acme").await, world.tenant("other").await);
        let owner = world.owner(&acme).await;
        let role = |name: &str, permissions: Value| json!({"name": name, "permissions": permissions});
        owner.post(&acme.path("/roles"), role("reader", json!(["organization:read", "members:read"]))).await.is(201);
        owner.post(&acme.path("/roles"), role("plumber", json!(["organization:read", "webhooks:manage"]))).await.is(201);
        let made = owner.post(&acme.path("/webhooks"), json!({"address": "https://a.example/"})).await.is(201).body;
        let id = made["webhook"]["id"].as_str().unwrap().to_owned();
        let (here, path) = (page(&acme, "/webhooks"), acme.path(&format!("/webhooks/{id}")));
        let one = format!("{here}/{id}");
        let webhook = async || owner.get(&path).await.is(200).body;
        // Whoever manages nothing else has this room and no other, and no links into a trail they may not read.
        let mut pia = world.worker(&acme, "pia@example.com", "plumber").await;
        attempt(world, &id).await;
        let seen = pia.reader.reads(&one).await;
        assert!(seen.contains("answered 200") && !seen.contains("/console/acme/trail") && !seen.contains("/console/acme/members"), "{seen}");
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
        let (_, proving) = pia.reader.presses(&after, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "0")]).await;
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
        assert!(!home.contains("a.example") && bia.reader.opens(&through).await.0 == 404 && bia.reader.opens(&one).await.0 == 404, "{home}");
        let stands = webhook().await;
        for action in ["change", "rotate", "replay", "resume", "pause", "test", "remove"] {
            let fields = |csrf| [("csrf", csrf), ("action", action), ("version", "4"), ("once", "abcdefghijklmnopqrstuv"), ("address", "https://spy.example/"), ("told", "everything"), ("since", "2020-01-01")];
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
        for (name, permissions) in [("plumber", json!(["organization:read", "webhooks:manage"])), ("auditor", json!(["organization:read", "webhooks:manage", "audit:read"]))] {
            owner.post(&acme.path("/roles"), json!({"name": name, "permissions": permissions})).await.is(201);
        }
        let made = owner.post(&acme.path("/webhooks"), json!({"address": "https://a.example/"})).await.is(201).body;
        let one = page(&acme, &format!("/webhooks/{}", made["webhook"]["id"].as_str().unwrap()));
        let mut pia = world.worker(&acme, "pia@example.com", "plumber").await;
        let seen = pia.reader.reads(&one).await;
        assert!(seen.contains("id=\"pause\"") && !seen.contains("id=\"replay"), "{seen}");
        let csrf = csrf_of(&seen);
        pia.reader.forges(&one, &world.origin(), &[("csrf", csrf.as_str()), ("action", "replay"), ("since", "2020-01-01")]).await;
        assert_eq!(world.logged("webhook.replayed").await, 0);
        // Who may read it is asked for a proof once the last one is old, and replays.
        let mut quim = world.worker(&acme, "quim@example.com", "auditor").await;
        let seen = quim.reader.reads(&one).await;
        world.clock.pass(Lifetime::from_hours(2));
        let (_, proving) = quim.reader.presses(&seen, "id=\"replay-now\"", &[("action", "replay"), ("since", "2020-01-01")]).await;
        assert!(proving.contains("name=\"password\"") && world.logged("webhook.replayed").await == 0, "{proving}");
        quim.reader.sends(&proving, &[("password", PASSWORD), ("action", "password")]).await;
        assert_eq!(world.logged("webhook.replayed").await, 1);
    }

    async fn a_suspended_organization_shows_its_webhooks_and_takes_no_change(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let made = owner.post(&acme.path("/webhooks"), json!({"address": "https://a.example/"})).await.is(201).body;
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
        assert!(seen.contains("https://a.example/") && seen.contains("answered 200") && !seen.contains("<form"), "{seen}");
        assert!(!pia.reader.reads(&here).await.contains("<form"));
        for (form, button, action) in [(&before, "save", "change"), (&before, "rotate", "rotate"), (&before, "pause", "pause"), (&before, "test", "test"), (&before, "replay-now", "replay"), (&before, "remove-now", "remove"), (&list, "add-now", "add")] {
            let fields = [("action", action), ("address", "https://b.example/"), ("told", "everything"), ("since", "2020-01-01")];
            let (_, after) = pia.reader.presses(form, &format!("id=\"{button}\""), &fields).await;
            assert!(after.contains("suspended and accepts no change") && !after.contains("whsec_"), "{action}: {after}");
        }
        assert_eq!(owner.get(&path).await.is(200).body, stands);
    }

    async fn deliveries_go_on_from_where_the_page_before_ended(world: &World) {
        let acme = world.tenant("acme").await;
        let owner = world.owner(&acme).await;
        let mut ana = world.worker(&acme, "ana@example.com", "owner").await;
        let mut ids = Vec::new();
        for number in 0..2 {
            let made = owner.post(&acme.path("/webhooks"), json!({"address": format!("https://a.example/{number}")})).await.is(201).body;
            ids.push(made["webhook"]["id"].as_str().unwrap().to_owned());
        }
        for _ in 0..51 {
            attempt(world, &ids[0]).await;
        }
        attempt(world, &ids[1]).await;
        let one = page(&acme, &format!("/webhooks/{}", ids[0]));
        let first = ana.reader.reads(&format!("{one}?ui_locales=en")).await;
        assert_eq!(first.matches("answered 200").count(), 50);
        let next = first.split("id=\"next-page\"").next().unwrap().rsplit("href=\"").next().unwrap().split('"').next().unwrap();
        let next = next.replace("&#38;", "&").replace("&amp;", "&");
        assert!(next.contains("ui_locales=en") && next.starts_with(&one), "{next}");
        let second = ana.reader.reads(&next).await;
        assert!(second.matches("answered 200").count() == 1 && !second.contains("id=\"next-page\"") && second.contains("id=\"first-page\""), "{second}");
        // A place in one list is a place in no other.
        let elsewhere = next.replace(&ids[0], &ids[1]);
        assert_eq!(ana.reader.opens(&elsewhere).await.0, 400);
    }
}

/// Writes down that a webhook took something.
async fn attempt(world: &crate::harness::world::World, webhook: &str) {
    world.clock.pass(Lifetime::from_seconds(1));
    let engine = world.server.engine();
    let attempted = WebhookAttemptRow {
        id: AttemptId::mint(engine.now(), engine.entropy()),
        event: EventId::mint(engine.now(), engine.entropy()),
        kind: "role.created".to_owned(),
        status: Some(200),
        outcome: WebhookAttemptOutcome::Told,
        at: engine.now(),
    };
    let act = WriteBatch::new().with(attempts::write(webhook.parse().unwrap(), &attempted));
    engine.store().commit(act).await.unwrap().unwrap();
}
