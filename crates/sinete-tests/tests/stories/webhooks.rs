//! Webhooks: told at least once, in order, signed, and of nothing that is not their business.

use crate::both_engines;
use crate::harness::api::ApiCaller;
use crate::harness::hooks::{ReceiverBehavior, WebhookReceiver};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::ContactId;
use sinete_core::limits::{WEBHOOK_PATIENCE, WEBHOOK_RETRY, WEBHOOK_SECRET_OVERLAP};
use sinete_core::time::Lifetime;
use sinete_engine::webhooks::tell::WebhookTally;
use sinete_store::contacts::{self, NewContact};
use sinete_store::memberships::{self, MembershipHolder};

/// A webhook of somebody's organization: its path and its secret.
async fn hook(owner: &ApiCaller<'_>, address: &str, kinds: &[&str]) -> (String, String) {
    let path = owner.tenant.path("/webhooks");
    let wanted = json!({"address": address, "kinds": kinds});
    let made = owner.post(&path, wanted).await.is(201);
    let id = made.body["webhook"]["id"].as_str().unwrap();
    (format!("{path}/{id}"), made.text_of("secret"))
}

/// Makes roles of these names, a moment apart, and answers the ids of the events in the trail.
async fn roles(world: &World, owner: &ApiCaller<'_>, names: &[&str]) -> Vec<String> {
    let mut events = Vec::new();
    for name in names {
        world.clock.pass(Lifetime::from_seconds(1));
        let made = owner.post(&owner.tenant.path("/roles"), json!({"name": name})).await.is(201);
        let trail = owner.get(&owner.tenant.path("/audit?kind=role.created&limit=200")).await.is(200);
        let entries = trail.body["items"].as_array().unwrap();
        let entry = entries.iter().find(|it| it["subject"]["id"] == made.body["id"]).unwrap();
        events.push(entry["id"].as_str().unwrap().to_owned());
    }
    events
}

fn ids(received: &[crate::harness::hooks::ReceivedWebhook]) -> Vec<String> {
    received.iter().map(|hook| hook.id.clone()).collect()
}

async fn state(owner: &ApiCaller<'_>, path: &str) -> Value {
    owner.get(path).await.is(200).body
}

both_engines!(
    an_address_is_told_in_order_with_a_signature_that_others_can_check,
    an_address_that_fails_holds_up_what_comes_after_it_and_loses_nothing,
    one_that_hangs_leads_elsewhere_or_lives_inside_a_house_is_not_told_and_holds_up_nobody,
    one_that_is_dead_is_paused_with_notice_and_goes_on_where_it_stopped,
    a_new_secret_signs_beside_the_earlier_one_until_its_time_is_over,
    each_is_told_what_is_its_business_and_trials_reach_only_whom_they_are_for,
    webhooks_manage_without_audit_read_hears_of_changes_and_not_of_the_audit_log,
    an_address_that_cannot_be_told_anything_is_refused_with_every_fault,
    several_nodes_tell_an_address_once_and_in_order
);

async fn an_address_is_told_in_order_with_a_signature_that_others_can_check(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let receiver = WebhookReceiver::start().await;
    let (path, secret) = hook(&owner, &receiver.address, &["role.created"]).await;
    let events = roles(world, &owner, &["one", "two", "three"]).await;
    assert_eq!(world.tell().await, WebhookTally { told: 3, ..WebhookTally::default() });
    let received = receiver.take();
    assert_eq!(ids(&received), events);
    for hook in &received {
        assert!(hook.is_signed_with(&secret), "{hook:?}");
        let altered = crate::harness::hooks::ReceivedWebhook {
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
    assert_eq!(world.tell().await, WebhookTally::default(), "nothing is told twice");
    for shown in [owner.get(&path).await, owner.get(&acme.path("/webhooks")).await] {
        assert!(!shown.is(200).text.contains("whsec_"), "a secret is shown once");
    }
    let attempts = owner.get(&format!("{path}/attempts")).await.is(200);
    let shown: Vec<_> =
        attempts.body["items"].as_array().unwrap().iter().map(|it| it["event"].as_str().unwrap()).collect();
    assert_eq!(shown.len(), 3);
    assert!(shown.iter().all(|event| events.iter().any(|it| it == event)));
}

async fn an_address_that_fails_holds_up_what_comes_after_it_and_loses_nothing(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let receiver = WebhookReceiver::start().await;
    let (path, _) = hook(&owner, &receiver.address, &["role.created"]).await;
    let events = roles(world, &owner, &["one", "two"]).await;
    receiver.next([ReceiverBehavior::Answer(500), ReceiverBehavior::Answer(404)]);
    assert_eq!(world.tell().await, WebhookTally { again: 1, ..WebhookTally::default() });
    assert_eq!(world.tell().await, WebhookTally::default(), "not before its time");
    assert_eq!(state(&owner, &path).await["state"], "failing");
    world.clock.pass(WEBHOOK_RETRY);
    assert_eq!(world.tell().await.again, 1);
    world.clock.pass(WEBHOOK_RETRY);
    assert_eq!(world.tell().await, WebhookTally::default(), "each wait is longer");
    world.clock.pass(Lifetime::from_seconds(15));
    assert_eq!(world.tell().await.told, 2);
    assert_eq!(ids(&receiver.take()), [0, 0, 0, 1].map(|place: usize| events[place].clone()));
    let attempts = owner.get(&format!("{path}/attempts")).await.is(200);
    let shown: Vec<_> =
        attempts.body["items"].as_array().unwrap().iter().map(|it| (&it["status"], &it["outcome"])).collect();
    assert_eq!(shown.len(), 4);
    assert_eq!(shown[0], (&500.into(), &"again".into()));
    assert_eq!(shown[1], (&404.into(), &"again".into()));
    assert_eq!(state(&owner, &path).await["state"], "working");
}

async fn one_that_hangs_leads_elsewhere_or_lives_inside_a_house_is_not_told_and_holds_up_nobody(
    world: &World,
) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let [hanging, leading, inside, flooding, well] = [(); 5].map(|()| WebhookReceiver::start());
    let (hanging, leading, inside, flooding, well) =
        (hanging.await, leading.await, inside.await, flooding.await, well.await);
    hanging.next([ReceiverBehavior::Hang]);
    leading.next([ReceiverBehavior::Redirect(inside.address.clone())]);
    flooding.next([ReceiverBehavior::Flood]);
    let kinds = &["role.created"];
    let mut paths = Vec::new();
    for address in [&hanging.address, &leading.address, "http://169.254.169.254/latest", "https://10.0.0.7/"]
    {
        paths.push(hook(&owner, address, kinds).await.0);
    }
    hook(&owner, &flooding.address, kinds).await;
    hook(&owner, &well.address, kinds).await;
    let events = roles(world, &owner, &["one"]).await;
    assert_eq!(world.tell().await, WebhookTally { told: 2, again: 4, paused: 0 });
    assert_eq!((ids(&well.take()), ids(&flooding.take())), (events.clone(), events));
    assert!(inside.take().is_empty(), "nobody is led there");
    for (path, status) in paths.iter().zip([Value::Null, 307.into(), Value::Null, Value::Null]) {
        let attempts = owner.get(&format!("{path}/attempts")).await.is(200);
        assert_eq!(attempts.body["items"][0]["status"], status, "{path}");
        assert!(!attempts.text.contains("reached"), "nobody learns about our network");
    }
}

async fn one_that_is_dead_is_paused_with_notice_and_goes_on_where_it_stopped(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let engine = world.server.engine();
    let held = memberships::find(engine.store(), acme.id, owner.membership).await.unwrap().unwrap();
    let MembershipHolder::Person(account) = held.holder else { panic!("{held:?}") };
    let contact = NewContact {
        id: ContactId::mint(engine.now(), engine.entropy()),
        account,
        kind: contacts::ContactKind::Email,
        address: "olga@example.com",
        lookup: "olga@example.com",
        is_primary: true,
        created_at: engine.now(),
    };
    world.happens([contacts::add(&contact), contacts::verify(account, contact.id, engine.now())]).await;
    let receiver = WebhookReceiver::start().await;
    let (path, _) = hook(&owner, &receiver.address, &["role.created"]).await;
    let first = roles(world, &owner, &["one"]).await;
    receiver.next([ReceiverBehavior::Answer(503), ReceiverBehavior::Answer(503)]);
    assert_eq!(world.tell().await.again, 1);
    world.clock.pass(WEBHOOK_PATIENCE);
    assert_eq!(world.tell().await, WebhookTally { paused: 1, ..WebhookTally::default() });
    let shown = state(&owner, &path).await;
    assert_eq!((&shown["state"], &shown["pause_reason"]), (&"paused".into(), &"failing".into()));
    let letter = world.newest_mail_to("olga@example.com").await.unwrap();
    assert!(letter.subject.contains("paused") && letter.text.contains("/events"), "{}", letter.text);
    let trail = owner.get(&acme.path("/audit?kind=webhook.paused")).await.is(200);
    assert_eq!(trail.body["items"][0]["actor"]["kind"], "system");

    let then = roles(world, &owner, &["two"]).await;
    assert_eq!(world.tell().await, WebhookTally::default(), "a paused one is told nothing");
    owner.post(&format!("{path}/test"), json!(null)).await.refused(409, "conflict");
    owner.post(&format!("{path}/resume"), json!(null)).await.is(200);
    receiver.take();
    assert_eq!(world.tell().await.told, 2);
    assert_eq!(ids(&receiver.take()), [first, then].concat());

    roles(world, &owner, &["three"]).await;
    receiver.next([ReceiverBehavior::Answer(410)]);
    assert_eq!(world.tell().await.paused, 1);
    assert_eq!(state(&owner, &path).await["pause_reason"], "gone");
    owner.post(&format!("{path}/resume"), json!(null)).await.is(200);
    owner.post(&format!("{path}/pause"), json!(null)).await.is(200);
    assert_eq!(state(&owner, &path).await["pause_reason"], "stopped");
}

async fn a_new_secret_signs_beside_the_earlier_one_until_its_time_is_over(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let receiver = WebhookReceiver::start().await;
    let (path, old) = hook(&owner, &receiver.address, &["role.created"]).await;
    let rotated = owner.post(&format!("{path}/secret"), json!({})).await.is(200);
    let new = rotated.text_of("secret");
    assert_ne!(old, new);
    roles(world, &owner, &["one"]).await;
    world.tell().await;
    let received = receiver.take();
    assert!(received[0].is_signed_with(&old) && received[0].is_signed_with(&new));
    world.clock.pass(WEBHOOK_SECRET_OVERLAP);
    roles(world, &owner, &["two"]).await;
    world.tell().await;
    let received = receiver.take();
    assert!(!received[0].is_signed_with(&old) && received[0].is_signed_with(&new));
    owner
        .post(&format!("{path}/secret"), json!({"overlap_seconds": 604_801}))
        .await
        .refused(422, "unprocessable");
}

async fn each_is_told_what_is_its_business_and_trials_reach_only_whom_they_are_for(world: &World) {
    let (acme, other, operator) =
        (world.tenant("acme").await, world.tenant("other").await, world.operator().await);
    let (owner, stranger) = (world.owner(&acme).await, world.owner(&other).await);
    let [ours, theirs, instance] = [(); 3].map(|()| WebhookReceiver::start());
    let (ours, theirs, instance) = (ours.await, theirs.await, instance.await);
    let (path, _) = hook(&owner, &ours.address, &["role.removed"]).await;
    hook(&stranger, &theirs.address, &[]).await;
    operator.post("/manage/webhooks", json!({"address": instance.address, "kinds": []})).await.is(201);
    world.tell().await;
    for receiver in [&ours, &theirs, &instance] {
        receiver.take();
    }

    let events = roles(world, &owner, &["one"]).await;
    owner.post(&format!("{path}/test"), json!(null)).await.is(204);
    world.tell().await;
    assert_eq!(ours.take().iter().map(|it| it.kind()).collect::<Vec<_>>(), ["webhook.tested"]);
    assert!(theirs.take().is_empty());
    // The instance is told of what it does by itself too.
    let of_acme = |it: &crate::harness::hooks::ReceivedWebhook| {
        it.body()["data"]["organization"] == acme.id.to_string()
    };
    let told: Vec<_> = instance.take().into_iter().filter(of_acme).collect();
    assert_eq!(ids(&told), events, "a trial is nobody else's business");

    // Another filter, and everything since a moment once more.
    let since = owner.get(&acme.path("/audit?kind=role.created")).await.body["items"][0]["at"].clone();
    let changed = json!({"kinds": ["role.created"]});
    owner.patch(&path, 1, changed.clone()).await.is(200);
    owner.patch(&path, 1, changed).await.refused(412, "precondition_failed");
    world.tell().await;
    assert!(instance.take().iter().any(|it| it.kind() == "webhook.changed"));
    assert!(ours.take().is_empty(), "what it was not told of then is not told later");
    owner.post(&format!("{path}/replay"), json!({"since": since})).await.is(200);
    world.tell().await;
    let again: Vec<_> = ours.take().into_iter().filter(|it| it.kind() == "role.created").collect();
    assert_eq!(ids(&again), events, "with the id it had before");
    let later = json!({"since": "2126-01-01T00:00:00Z"});
    assert_eq!(
        owner.post(&format!("{path}/replay"), later).await.refused(422, "unprocessable").faults(),
        ["/since"]
    );
    owner.delete(&path, None).await.is(204);
    roles(world, &owner, &["two"]).await;
    world.tell().await;
    assert!(ours.take().is_empty());
}

async fn webhooks_manage_without_audit_read_hears_of_changes_and_not_of_the_audit_log(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let receiver = WebhookReceiver::start().await;
    let narrow = world.key(&acme, owner.membership, "organization:read webhooks:manage").await;
    let reader = world.key(&acme, owner.membership, "organization:read webhooks:manage audit:read").await;
    let path = acme.path("/webhooks");
    let wanted = |kinds: &[&str]| json!({"address": receiver.address, "kinds": kinds});
    // Everything, and what people and credentials did, is the audit log.
    for kinds in
        [&[][..], &["session.started"], &["role.created", "api_key.issued"], &["organization.administered"]]
    {
        narrow.post(&path, wanted(kinds)).await.refused(403, "insufficient_scope");
    }
    let made = narrow.post(&path, wanted(&["role.created"])).await.is(201);
    let own = format!("{path}/{}", made.body["webhook"]["id"].as_str().unwrap());
    narrow
        .patch(&own, 1, json!({"kinds": ["role.created", "session.started"]}))
        .await
        .refused(403, "insufficient_scope");
    narrow.patch(&own, 1, json!({"kinds": []})).await.refused(403, "insufficient_scope");
    // Nor does anybody lead to an address of their own what others chose to hear.
    let (all, _) = hook(&reader, &receiver.address, &[]).await;
    narrow
        .patch(&all, 1, json!({"address": "https://spy.example/"}))
        .await
        .refused(403, "insufficient_scope");
    // What happened before is the audit log whatever is told from now on.
    roles(world, &owner, &["one"]).await;
    let replay = json!({"since": "2020-01-01T00:00:00Z"});
    for path in [&own, &all] {
        narrow.post(&format!("{path}/replay"), replay.clone()).await.refused(403, "insufficient_scope");
    }
    // What is not more than they hear goes on working, and so does everything for whoever reads the audit log.
    let version = narrow.get(&own).await.is(200).version();
    narrow
        .patch(&own, version, json!({"description": "ours", "kinds": ["role.created", "role.removed"]}))
        .await
        .is(200);
    narrow.post(&format!("{all}/pause"), json!(null)).await.is(200);
    reader.post(&format!("{own}/replay"), replay).await.is(200);
    let version = reader.get(&own).await.is(200).version();
    reader.patch(&own, version, json!({"kinds": []})).await.is(200);
}

async fn an_address_that_cannot_be_told_anything_is_refused_with_every_fault(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let path = acme.path("/webhooks");
    let faulty = json!({"address": "ftp://example.com/", "kinds": ["role.created", "no.such"], "description": "a\u{202e}b"});
    let refused = owner.post(&path, faulty).await.refused(422, "unprocessable");
    assert_eq!(refused.faults(), ["/address", "/description", "/kinds/1"]);
    for address in ["https://me:x@example.com/", "https://example.com/#x", "example.com"] {
        assert_eq!(
            owner.post(&path, json!({"address": address})).await.is(422).faults(),
            ["/address"],
            "{address}"
        );
    }
    let clerk = world.key(&acme, owner.membership, "members:read").await;
    clerk.get(&path).await.refused(403, "insufficient_scope");
    owner.get("/manage/webhooks").await.refused(403, "insufficient_scope");
    for _ in 0..20 {
        hook(&owner, "https://example.com/", &[]).await;
    }
    owner.post(&path, json!({"address": "https://example.com/"})).await.refused(409, "conflict");
}

async fn several_nodes_tell_an_address_once_and_in_order(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let receiver = WebhookReceiver::start().await;
    hook(&owner, &receiver.address, &["role.created"]).await;
    let events = roles(world, &owner, &["a", "b", "c", "d", "e", "f", "g", "h"]).await;
    let (one, two, three, four) = tokio::join!(world.tell(), world.tell(), world.tell(), world.tell());
    assert_eq!([one, two, three, four].map(|tally| tally.told).iter().sum::<u32>(), 8);
    assert_eq!(ids(&receiver.take()), events);
}
