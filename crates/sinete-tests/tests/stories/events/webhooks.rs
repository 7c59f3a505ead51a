//! Webhooks: at-least-once delivery, in order, signed, and only of events that the webhook may receive.

use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::webhook_receiver::{ReceiverBehavior, WebhookReceiver};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::ContactId;
use sinete_core::limits::{WEBHOOK_PAUSE_AFTER, WEBHOOK_RETRY, WEBHOOK_SECRET_OVERLAP};
use sinete_core::time::Lifetime;
use sinete_engine::events::webhooks::delivery::WebhookTally;
use sinete_store::accounts::contacts;
use sinete_store::accounts::contacts::NewContact;
use sinete_store::organizations::memberships;
use sinete_store::organizations::memberships::MembershipHolder;

/// Creates a webhook and returns its path and secret.
async fn hook(owner: &ApiCaller<'_>, address: &str, kinds: &[&str]) -> (String, String) {
    let path = owner.tenant.path("/webhooks");
    let webhook_body = json!({"address": address, "kinds": kinds});
    let response = owner.post(&path, webhook_body).await.assert_status(201);
    let id = response.body["webhook"]["id"].as_str().unwrap();
    (format!("{path}/{id}"), response.text_member("secret"))
}

/// Creates roles with these names, a moment apart, and returns the ids of their events.
async fn roles(world: &World, owner: &ApiCaller<'_>, names: &[&str]) -> Vec<String> {
    let mut events = Vec::new();
    for name in names {
        world.clock.advance(Lifetime::from_seconds(1));
        let response =
            owner.post(&owner.tenant.path("/roles"), json!({"name": name})).await.assert_status(201);
        let audit_log =
            owner.get(&owner.tenant.path("/audit?kind=role.created&limit=200")).await.assert_status(200);
        let entries = audit_log.body["items"].as_array().unwrap();
        let entry = entries.iter().find(|it| it["subject"]["id"] == response.body["id"]).unwrap();
        events.push(entry["id"].as_str().unwrap().to_owned());
    }
    events
}

fn ids(received: &[crate::harness::webhook_receiver::ReceivedWebhook]) -> Vec<String> {
    received.iter().map(|hook| hook.id.clone()).collect()
}

async fn state(owner: &ApiCaller<'_>, path: &str) -> Value {
    owner.get(path).await.assert_status(200).body
}

both_engines!(
    webhook_events_are_delivered_in_order_with_a_verifiable_signature,
    webhook_failure_delays_later_events_and_loses_none,
    webhook_that_hangs_redirects_or_is_private_is_not_delivered_and_delays_no_other,
    webhook_that_keeps_failing_is_paused_with_notice_and_resumes,
    webhook_secret_rotation_signs_with_both_until_the_overlap_ends,
    webhook_scope_is_its_organization_and_test_events_reach_only_their_webhook,
    webhook_without_audit_read_receives_changes_but_not_the_audit_log,
    webhook_with_an_invalid_url_or_event_type_is_refused_with_every_fault,
    webhook_events_are_delivered_once_and_in_order_by_several_nodes
);

async fn webhook_events_are_delivered_in_order_with_a_verifiable_signature(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let receiver = WebhookReceiver::start().await;
    let (path, secret) = hook(&owner, &receiver.address, &["role.created"]).await;
    let events = roles(world, &owner, &["one", "two", "three"]).await;
    assert_eq!(world.deliver_webhooks().await, WebhookTally { delivered: 3, ..WebhookTally::default() });
    let received = receiver.take_received();
    assert_eq!(ids(&received), events);
    for hook in &received {
        assert!(hook.is_signed_with(&secret), "{hook:?}");
        let altered = crate::harness::webhook_receiver::ReceivedWebhook {
            text: hook.text.replace("role", "rule"),
            ..hook.clone()
        };
        assert!(!altered.is_signed_with(&secret));
        let body = hook.body();
        assert_eq!(body["data"]["id"], hook.id.as_str());
        assert_eq!(body["data"]["organization"], acme.id.to_string());
        assert_eq!(
            (&body["type"], &body["data"]["subject"]["kind"]),
            (&"role.created".into(), &"role".into())
        );
    }
    assert_eq!(received[0].body()["data"]["detail"]["name"], "one");
    assert_eq!(world.deliver_webhooks().await, WebhookTally::default(), "no event is delivered twice");
    for response in [owner.get(&path).await, owner.get(&acme.path("/webhooks")).await] {
        assert!(!response.assert_status(200).text.contains("whsec_"), "a secret is returned once");
    }
    let attempts = owner.get(&format!("{path}/attempts")).await.assert_status(200);
    let response: Vec<_> =
        attempts.body["items"].as_array().unwrap().iter().map(|it| it["event"].as_str().unwrap()).collect();
    assert_eq!(response.len(), 3);
    assert!(response.iter().all(|event| events.iter().any(|it| it == event)));
}

async fn webhook_failure_delays_later_events_and_loses_none(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let receiver = WebhookReceiver::start().await;
    let (path, _) = hook(&owner, &receiver.address, &["role.created"]).await;
    let events = roles(world, &owner, &["one", "two"]).await;
    receiver.script_responses([ReceiverBehavior::Answer(500), ReceiverBehavior::Answer(404)]);
    assert_eq!(world.deliver_webhooks().await, WebhookTally { retried: 1, ..WebhookTally::default() });
    assert_eq!(world.deliver_webhooks().await, WebhookTally::default(), "not before the next retry");
    assert_eq!(state(&owner, &path).await["state"], "failing");
    world.clock.advance(WEBHOOK_RETRY);
    assert_eq!(world.deliver_webhooks().await.retried, 1);
    world.clock.advance(WEBHOOK_RETRY);
    assert_eq!(world.deliver_webhooks().await, WebhookTally::default(), "each wait is longer");
    world.clock.advance(Lifetime::from_seconds(15));
    assert_eq!(world.deliver_webhooks().await.delivered, 2);
    assert_eq!(ids(&receiver.take_received()), [0, 0, 0, 1].map(|place: usize| events[place].clone()));
    let attempts = owner.get(&format!("{path}/attempts")).await.assert_status(200);
    let outcomes: Vec<_> =
        attempts.body["items"].as_array().unwrap().iter().map(|it| (&it["status"], &it["outcome"])).collect();
    assert_eq!(outcomes.len(), 4);
    assert_eq!(outcomes[0], (&500.into(), &"again".into()));
    assert_eq!(outcomes[1], (&404.into(), &"again".into()));
    assert_eq!(state(&owner, &path).await["state"], "working");
}

async fn webhook_that_hangs_redirects_or_is_private_is_not_delivered_and_delays_no_other(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let [hanging, leading, inside, flooding, well] = [(); 5].map(|()| WebhookReceiver::start());
    let (hanging, leading, inside, flooding, well) =
        (hanging.await, leading.await, inside.await, flooding.await, well.await);
    hanging.script_responses([ReceiverBehavior::Hang]);
    leading.script_responses([ReceiverBehavior::Redirect(inside.address.clone())]);
    flooding.script_responses([ReceiverBehavior::Flood]);
    let kinds = &["role.created"];
    let mut paths = Vec::new();
    for address in [&hanging.address, &leading.address, "http://169.254.169.254/latest", "https://10.0.0.7/"]
    {
        paths.push(hook(&owner, address, kinds).await.0);
    }
    hook(&owner, &flooding.address, kinds).await;
    hook(&owner, &well.address, kinds).await;
    let events = roles(world, &owner, &["one"]).await;
    assert_eq!(world.deliver_webhooks().await, WebhookTally { delivered: 2, retried: 4, paused: 0 });
    assert_eq!((ids(&well.take_received()), ids(&flooding.take_received())), (events.clone(), events));
    assert!(inside.take_received().is_empty(), "redirects are not followed");
    for (path, status) in paths.iter().zip([Value::Null, 307.into(), Value::Null, Value::Null]) {
        let attempts = owner.get(&format!("{path}/attempts")).await.assert_status(200);
        assert_eq!(attempts.body["items"][0]["status"], status, "{path}");
        assert!(!attempts.text.contains("reached"), "the attempts reveal nothing about the network");
    }
}

async fn webhook_that_keeps_failing_is_paused_with_notice_and_resumes(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let engine = world.server.engine();
    let membership =
        memberships::find_membership(engine.store(), acme.id, owner.membership).await.unwrap().unwrap();
    let MembershipHolder::User(account) = membership.holder else { panic!("{membership:?}") };
    let contact = NewContact {
        id: ContactId::mint(engine.now(), engine.entropy()),
        account,
        kind: contacts::ContactKind::Email,
        address: "olga@example.com",
        lookup: "olga@example.com",
        is_primary: true,
        created_at: engine.now(),
    };
    world
        .apply_statements([
            contacts::add_contact(&contact),
            contacts::verify_contact(account, contact.id, engine.now()),
        ])
        .await;
    let receiver = WebhookReceiver::start().await;
    let (path, _) = hook(&owner, &receiver.address, &["role.created"]).await;
    let first = roles(world, &owner, &["one"]).await;
    receiver.script_responses([ReceiverBehavior::Answer(503), ReceiverBehavior::Answer(503)]);
    assert_eq!(world.deliver_webhooks().await.retried, 1);
    world.clock.advance(WEBHOOK_PAUSE_AFTER);
    assert_eq!(world.deliver_webhooks().await, WebhookTally { paused: 1, ..WebhookTally::default() });
    let webhook = state(&owner, &path).await;
    assert_eq!((&webhook["state"], &webhook["pause_reason"]), (&"paused".into(), &"failing".into()));
    let outgoing_email = world.newest_email_to("olga@example.com").await.unwrap();
    assert!(
        outgoing_email.subject.contains("paused") && outgoing_email.text.contains("/events"),
        "{}",
        outgoing_email.text
    );
    let audit_log = owner.get(&acme.path("/audit?kind=webhook.paused")).await.assert_status(200);
    assert_eq!(audit_log.body["items"][0]["actor"]["kind"], "system");

    let then = roles(world, &owner, &["two"]).await;
    assert_eq!(world.deliver_webhooks().await, WebhookTally::default(), "a paused webhook receives nothing");
    owner.post(&format!("{path}/test"), json!(null)).await.assert_problem(409, "conflict");
    owner.post(&format!("{path}/resume"), json!(null)).await.assert_status(200);
    receiver.take_received();
    assert_eq!(world.deliver_webhooks().await.delivered, 2);
    assert_eq!(ids(&receiver.take_received()), [first, then].concat());

    roles(world, &owner, &["three"]).await;
    receiver.script_responses([ReceiverBehavior::Answer(410)]);
    assert_eq!(world.deliver_webhooks().await.paused, 1);
    assert_eq!(state(&owner, &path).await["pause_reason"], "gone");
    owner.post(&format!("{path}/resume"), json!(null)).await.assert_status(200);
    owner.post(&format!("{path}/pause"), json!(null)).await.assert_status(200);
    assert_eq!(state(&owner, &path).await["pause_reason"], "stopped");
}

async fn webhook_secret_rotation_signs_with_both_until_the_overlap_ends(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let receiver = WebhookReceiver::start().await;
    let (path, old) = hook(&owner, &receiver.address, &["role.created"]).await;
    let rotated = owner.post(&format!("{path}/secret"), json!({})).await.assert_status(200);
    let new = rotated.text_member("secret");
    assert_ne!(old, new);
    roles(world, &owner, &["one"]).await;
    world.deliver_webhooks().await;
    let received = receiver.take_received();
    assert!(received[0].is_signed_with(&old) && received[0].is_signed_with(&new));
    world.clock.advance(WEBHOOK_SECRET_OVERLAP);
    roles(world, &owner, &["two"]).await;
    world.deliver_webhooks().await;
    let received = receiver.take_received();
    assert!(!received[0].is_signed_with(&old) && received[0].is_signed_with(&new));
    owner
        .post(&format!("{path}/secret"), json!({"overlap_seconds": 604_801}))
        .await
        .assert_problem(422, "unprocessable");
}

async fn webhook_scope_is_its_organization_and_test_events_reach_only_their_webhook(world: &World) {
    let (acme, other, operator) = (
        world.create_organization("acme").await,
        world.create_organization("other").await,
        world.create_operator().await,
    );
    let (owner, api_caller) = (world.create_owner(&acme).await, world.create_owner(&other).await);
    let [ours, theirs, instance] = [(); 3].map(|()| WebhookReceiver::start());
    let (ours, theirs, instance) = (ours.await, theirs.await, instance.await);
    let (path, _) = hook(&owner, &ours.address, &["role.removed"]).await;
    hook(&api_caller, &theirs.address, &[]).await;
    operator
        .post("/manage/webhooks", json!({"address": instance.address, "kinds": []}))
        .await
        .assert_status(201);
    world.deliver_webhooks().await;
    for receiver in [&ours, &theirs, &instance] {
        receiver.take_received();
    }

    let events = roles(world, &owner, &["one"]).await;
    owner.post(&format!("{path}/test"), json!(null)).await.assert_status(204);
    world.deliver_webhooks().await;
    assert_eq!(ours.take_received().iter().map(|it| it.kind()).collect::<Vec<_>>(), ["webhook.tested"]);
    assert!(theirs.take_received().is_empty());
    // The webhook of the instance also receives events of the server itself.
    let of_acme = |it: &crate::harness::webhook_receiver::ReceivedWebhook| {
        it.body()["data"]["organization"] == acme.id.to_string()
    };
    let received_events: Vec<_> = instance.take_received().into_iter().filter(of_acme).collect();
    assert_eq!(ids(&received_events), events, "a test event is sent to its webhook only");

    // Another filter, and a replay of everything since a time.
    let since = owner.get(&acme.path("/audit?kind=role.created")).await.body["items"][0]["at"].clone();
    let changed = json!({"kinds": ["role.created"]});
    owner.patch(&path, 1, changed.clone()).await.assert_status(200);
    owner.patch(&path, 1, changed).await.assert_problem(412, "precondition_failed");
    world.deliver_webhooks().await;
    assert!(instance.take_received().iter().any(|it| it.kind() == "webhook.changed"));
    assert!(ours.take_received().is_empty(), "earlier events outside the filter are not sent later");
    owner.post(&format!("{path}/replay"), json!({"since": since})).await.assert_status(200);
    world.deliver_webhooks().await;
    let replayed_events: Vec<_> =
        ours.take_received().into_iter().filter(|it| it.kind() == "role.created").collect();
    assert_eq!(ids(&replayed_events), events, "the replayed event keeps its id");
    let later = json!({"since": "2126-01-01T00:00:00Z"});
    assert_eq!(
        owner
            .post(&format!("{path}/replay"), later)
            .await
            .assert_problem(422, "unprocessable")
            .fault_pointers(),
        ["/since"]
    );
    owner.delete(&path, None).await.assert_status(204);
    roles(world, &owner, &["two"]).await;
    world.deliver_webhooks().await;
    assert!(ours.take_received().is_empty());
}

async fn webhook_without_audit_read_receives_changes_but_not_the_audit_log(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let receiver = WebhookReceiver::start().await;
    let narrow =
        world.create_api_key_caller(&acme, owner.membership, "organization:read webhooks:manage").await;
    let reader = world
        .create_api_key_caller(&acme, owner.membership, "organization:read webhooks:manage audit:read")
        .await;
    let path = acme.path("/webhooks");
    let build_webhook = |kinds: &[&str]| json!({"address": receiver.address, "kinds": kinds});
    // All events, and those about accounts and credentials, need `audit:read`.
    for kinds in
        [&[][..], &["session.started"], &["role.created", "api_key.issued"], &["organization.administered"]]
    {
        narrow.post(&path, build_webhook(kinds)).await.assert_problem(403, "insufficient_scope");
    }
    let response = narrow.post(&path, build_webhook(&["role.created"])).await.assert_status(201);
    let webhook_path = format!("{path}/{}", response.body["webhook"]["id"].as_str().unwrap());
    narrow
        .patch(&webhook_path, 1, json!({"kinds": ["role.created", "session.started"]}))
        .await
        .assert_problem(403, "insufficient_scope");
    narrow.patch(&webhook_path, 1, json!({"kinds": []})).await.assert_problem(403, "insufficient_scope");
    // A webhook that receives more cannot be pointed at another URL either.
    let (all, _) = hook(&reader, &receiver.address, &[]).await;
    narrow
        .patch(&all, 1, json!({"address": "https://spy.example/"}))
        .await
        .assert_problem(403, "insufficient_scope");
    // A replay needs `audit:read`, whatever the webhook receives from now on.
    roles(world, &owner, &["one"]).await;
    let replay = json!({"since": "2020-01-01T00:00:00Z"});
    for path in [&webhook_path, &all] {
        narrow
            .post(&format!("{path}/replay"), replay.clone())
            .await
            .assert_problem(403, "insufficient_scope");
    }
    // Changes within the own permissions are allowed, and every change is with `audit:read`.
    let version = narrow.get(&webhook_path).await.assert_status(200).version();
    narrow
        .patch(
            &webhook_path,
            version,
            json!({"description": "ours", "kinds": ["role.created", "role.removed"]}),
        )
        .await
        .assert_status(200);
    narrow.post(&format!("{all}/pause"), json!(null)).await.assert_status(200);
    reader.post(&format!("{webhook_path}/replay"), replay).await.assert_status(200);
    let version = reader.get(&webhook_path).await.assert_status(200).version();
    reader.patch(&webhook_path, version, json!({"kinds": []})).await.assert_status(200);
}

async fn webhook_with_an_invalid_url_or_event_type_is_refused_with_every_fault(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let path = acme.path("/webhooks");
    let faulty = json!({"address": "ftp://example.com/", "kinds": ["role.created", "no.such"], "description": "a\u{202e}b"});
    let refused = owner.post(&path, faulty).await.assert_problem(422, "unprocessable");
    assert_eq!(refused.fault_pointers(), ["/address", "/description", "/kinds/1"]);
    for address in ["https://me:x@example.com/", "https://example.com/#x", "example.com"] {
        assert_eq!(
            owner.post(&path, json!({"address": address})).await.assert_status(422).fault_pointers(),
            ["/address"],
            "{address}"
        );
    }
    let clerk = world.create_api_key_caller(&acme, owner.membership, "members:read").await;
    clerk.get(&path).await.assert_problem(403, "insufficient_scope");
    owner.get("/manage/webhooks").await.assert_problem(403, "insufficient_scope");
    for _ in 0..20 {
        hook(&owner, "https://example.com/", &[]).await;
    }
    owner.post(&path, json!({"address": "https://example.com/"})).await.assert_problem(409, "conflict");
}

async fn webhook_events_are_delivered_once_and_in_order_by_several_nodes(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let receiver = WebhookReceiver::start().await;
    hook(&owner, &receiver.address, &["role.created"]).await;
    let events = roles(world, &owner, &["a", "b", "c", "d", "e", "f", "g", "h"]).await;
    let (one, two, three, four) = tokio::join!(
        world.deliver_webhooks(),
        world.deliver_webhooks(),
        world.deliver_webhooks(),
        world.deliver_webhooks()
    );
    assert_eq!([one, two, three, four].map(|tally| tally.delivered).iter().sum::<u32>(), 8);
    assert_eq!(ids(&receiver.take_received()), events);
}
