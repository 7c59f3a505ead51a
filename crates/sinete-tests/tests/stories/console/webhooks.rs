//! Webhooks on the console: added, changed, paused, tested, replayed, given another secret, deleted.

use super::applications::within;
use super::{console_path, list_event_kinds};
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::page_browser::PageBrowser;
use crate::harness::webhook_receiver::{ReceivedWebhook, ReceiverBehavior, WebhookReceiver};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::{AttemptId, EventId};
use sinete_core::time::Lifetime;
use sinete_store::WriteBatch;
use sinete_store::events::webhooks::attempts;
use sinete_store::events::webhooks::attempts::{WebhookAttemptOutcome, WebhookAttemptRow};

/// The CSRF token of a page.
pub(super) fn csrf_of(page: &str) -> String {
    page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// Whether the checkbox of an event type is ticked.
pub(super) fn is_ticked(page: &str, kind: &str) -> bool {
    page.contains(&format!("name=\"kind.{kind}\" value=\"on\" checked"))
}

both_engines!(
    console_webhook_lifecycle_equals_the_api,
    console_webhook_shows_deliveries_and_supports_test_replay_and_secret_rotation
);

async fn console_webhook_lifecycle_equals_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (receiver, list_path) = (WebhookReceiver::start().await, console_path(&acme, "/webhooks"));
    let form = ana.reader.open_page(&list_path).await;
    let fields = [
        ("action", "add"),
        ("address", receiver.address.as_str()),
        ("description", " Our directory "),
        ("told", "chosen"),
        ("kind.role.created", "on"),
    ];
    let (_, created_page) = ana.reader.submit_form(&form, "id=\"add-now\"", &fields).await;
    let secret = within(&created_page, "secret").to_owned();
    assert!(secret.starts_with("whsec_") && created_page.contains("Our directory"), "{created_page}");
    let all = owner.get(&acme.path("/webhooks")).await.assert_status(200).body;
    assert_eq!(
        (&all["items"][0]["kinds"], &all["items"][0]["description"]),
        (&json!(["role.created"]), &json!("Our directory"))
    );
    let hook = ConsoleWebhook::new(&owner, &receiver, all["items"][0]["id"].as_str().unwrap());
    // The secret is shown once: not in the list, and not when the same form is sent again.
    let (_, repeated_page) = ana.reader.submit_form(&form, "id=\"add-now\"", &fields).await;
    assert!(
        repeated_page.contains("This form was already submitted") && !repeated_page.contains("whsec_"),
        "{repeated_page}"
    );
    assert_eq!(
        owner.get(&acme.path("/webhooks")).await.assert_status(200).body["items"].as_array().unwrap().len(),
        1
    );
    assert!(
        repeated_page.contains(&format!("href=\"{}\"", hook.page)) && repeated_page.contains("active"),
        "{repeated_page}"
    );
    owner.post(&acme.path("/roles"), json!({"name": "one"})).await.assert_status(201);
    world.deliver_webhooks().await;
    let received = receiver.take_received();
    assert!(received.len() == 1 && received[0].is_signed_with(&secret), "{received:?}");
    let resumed = pause_and_resume(&hook, &mut ana.reader).await;
    let changed = change_to_all_event_types(&hook, &mut ana.reader, &resumed).await;
    delete_and_send_the_form_again(&hook, &mut ana.reader, &changed).await;
    let mut kinds = list_event_kinds(&owner, ana.membership).await;
    kinds.dedup();
    assert_eq!(
        kinds,
        ["webhook.changed", "webhook.created", "webhook.paused", "webhook.removed", "webhook.resumed"]
    );
}

/// A webhook of an organization, with its receiver.
struct ConsoleWebhook<'w> {
    owner: &'w ApiCaller<'w>,
    receiver: &'w WebhookReceiver,
    page: String,
    path: String,
}

impl<'w> ConsoleWebhook<'w> {
    fn new(owner: &'w ApiCaller<'w>, receiver: &'w WebhookReceiver, id: &str) -> Self {
        let below = format!("/webhooks/{id}");
        Self { owner, receiver, page: console_path(&owner.tenant, &below), path: owner.tenant.path(&below) }
    }

    async fn load(&self) -> Value {
        self.owner.get(&self.path).await.assert_status(200).body
    }

    async fn create_role(&self, name: &str) {
        self.owner.post(&self.owner.tenant.path("/roles"), json!({"name": name})).await.assert_status(201);
    }

    async fn deliver(&self) -> Vec<ReceivedWebhook> {
        self.owner.world.deliver_webhooks().await;
        self.receiver.take_received()
    }
}

/// A paused webhook receives nothing, not even a test event; events wait until it is resumed.
async fn pause_and_resume(hook: &ConsoleWebhook<'_>, ana: &mut PageBrowser<'_>) -> String {
    let reopened_page = ana.open_page(&hook.page).await;
    let (_, paused) = ana.submit_form(&reopened_page, "id=\"pause\"", &[("action", "pause")]).await;
    assert!(
        paused.contains("Webhook paused.") && paused.contains("Paused on") && !paused.contains("id=\"test\""),
        "{paused}"
    );
    let (_, after) = ana.submit_form(&reopened_page, "id=\"test\"", &[("action", "test")]).await;
    assert!(after.contains("The webhook is paused. Resume it first."), "{after}");
    hook.create_role("three").await;
    assert!(hook.deliver().await.is_empty());
    let (_, after) = ana.submit_form(&paused, "id=\"resume\"", &[("action", "resume")]).await;
    assert!(after.contains("Webhook resumed") && hook.load().await["state"] == "working", "{after}");
    assert_eq!(hook.deliver().await.len(), 1);
    after
}

async fn change_to_all_event_types(
    hook: &ConsoleWebhook<'_>,
    ana: &mut PageBrowser<'_>,
    page: &str,
) -> String {
    let fields = [
        ("action", "change"),
        ("address", hook.receiver.address.as_str()),
        ("description", ""),
        ("told", "everything"),
        ("kind.role.created", "on"),
    ];
    let (_, after) = ana.submit_form(page, "id=\"save\"", &fields).await;
    assert!(after.contains("Webhook saved.") && after.contains("All events of the audit log"), "{after}");
    let webhook = hook.load().await;
    assert_eq!((&webhook["kinds"], &webhook["description"]), (&json!([]), &json!("")));
    after
}

async fn delete_and_send_the_form_again(hook: &ConsoleWebhook<'_>, ana: &mut PageBrowser<'_>, page: &str) {
    let (_, gone) = ana.submit_form(page, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(gone.contains("Webhook deleted.") && gone.contains("No webhooks yet."), "{gone}");
    hook.owner.get(&hook.path).await.assert_problem(404, "not_found");
    assert_eq!(ana.open_url(&hook.page).await.0, 404);
    let (status, late) = ana.submit_form(page, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(
        status == 200 && late.contains("This no longer exists") && late.contains("<h1>Webhooks</h1>"),
        "{late}"
    );
}

async fn console_webhook_shows_deliveries_and_supports_test_replay_and_secret_rotation(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let receiver = WebhookReceiver::start().await;
    let response = owner
        .post(&acme.path("/webhooks"), json!({"address": receiver.address, "kinds": ["role.created"]}))
        .await
        .assert_status(201);
    let (secret, id) = (response.text_member("secret"), response.body["webhook"]["id"].as_str().unwrap());
    let hook = ConsoleWebhook::new(&owner, &receiver, id);
    let deliveries_page = deliveries_are_listed_newest_first(&hook, &mut ana.reader, &secret).await;
    let audit_log = owner.get(&acme.path("/audit?kind=role.created")).await.assert_status(200).body;
    let event = audit_log["items"][0]["id"].as_str().unwrap();
    assert!(
        deliveries_page
            .contains(&format!("href=\"{}\"", console_path(&acme, &format!("/audit-log/{event}")))),
        "{deliveries_page}"
    );
    // A test event is sent whatever event types the webhook has, at once, and once.
    let (_, after) = ana.reader.submit_form(&deliveries_page, "id=\"test\"", &[("action", "test")]).await;
    assert!(after.contains("id=\"answer\"") && after.contains("Status 204 after"), "{after}");
    let received_webhooks = receiver.take_received();
    assert_eq!(received_webhooks.iter().map(ReceivedWebhook::kind).collect::<Vec<_>>(), ["webhook.tested"]);
    assert!(received_webhooks[0].is_signed_with(&secret));
    assert!(hook.deliver().await.is_empty());
    replay_sends_events_with_their_ids(&hook, &mut ana.reader, &deliveries_page, event).await;
    let newer = rotate_secret_once(&hook, &mut ana.reader, &secret).await;
    hook.create_role("two").await;
    let received = hook.deliver().await;
    assert!(
        received.len() == 1
            && received.iter().all(|hook| hook.is_signed_with(&secret) && hook.is_signed_with(&newer)),
        "{received:?}"
    );
    assert_eq!(
        list_event_kinds(&owner, ana.membership).await,
        ["webhook.replayed", "webhook.secret_rotated", "webhook.tested"]
    );
}

async fn deliveries_are_listed_newest_first(
    hook: &ConsoleWebhook<'_>,
    ana: &mut PageBrowser<'_>,
    secret: &str,
) -> String {
    let world = ana.world;
    hook.create_role("one").await;
    hook.receiver.script_responses([ReceiverBehavior::Answer(503)]);
    world.deliver_webhooks().await;
    let failing = ana.open_page(&hook.page).await;
    assert!(
        failing.contains("status 503")
            && failing.contains("failing")
            && failing.contains("Next retry")
            && !failing.contains("whsec_"),
        "{failing}"
    );
    world.clock.advance(Lifetime::from_seconds(10));
    world.deliver_webhooks().await;
    let deliveries_page = ana.open_page(&hook.page).await;
    let (success_position, failed) =
        (deliveries_page.find("status 204").unwrap(), deliveries_page.find("status 503").unwrap());
    assert!(
        success_position < failed
            && deliveries_page.contains("active")
            && !deliveries_page.contains("Next retry"),
        "{deliveries_page}"
    );
    let received = hook.receiver.take_received();
    assert!(received.len() == 2 && received.iter().all(|hook| hook.is_signed_with(secret)), "{received:?}");
    deliveries_page
}

async fn replay_sends_events_with_their_ids(
    hook: &ConsoleWebhook<'_>,
    ana: &mut PageBrowser<'_>,
    page: &str,
    event: &str,
) {
    let (_, after) =
        ana.submit_form(page, "id=\"replay-now\"", &[("action", "replay"), ("since", "2020-01-01")]).await;
    assert!(after.contains("All events since that day are queued again."), "{after}");
    let repeated: Vec<String> = hook.deliver().await.iter().map(|hook| hook.id.clone()).collect();
    assert!(repeated.iter().any(|id| id == event), "{repeated:?}");
    for day in ["", "soon", "2026-02-30", "2999-01-01"] {
        let (_, after) =
            ana.submit_form(page, "id=\"replay-now\"", &[("action", "replay"), ("since", day)]).await;
        assert!(
            after.contains("Enter a day that is not in the future") && after.contains("id=\"replay\" open"),
            "{day}: {after}"
        );
    }
}

/// The new secret is shown once; the earlier one signs too for as long as was chosen.
async fn rotate_secret_once(hook: &ConsoleWebhook<'_>, ana: &mut PageBrowser<'_>, earlier: &str) -> String {
    let stale = ana.open_page(&hook.page).await;
    let rotate = ana.open_page(&hook.page).await;
    let fields = [("action", "rotate"), ("overlap", "3600")];
    let (_, page) = ana.submit_form(&rotate, "id=\"rotate\"", &fields).await;
    let newer = within(&page, "secret").to_owned();
    assert!(newer.starts_with("whsec_") && newer != earlier, "{page}");
    let (_, repeated_page) =
        ana.submit_form(&rotate, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "0")]).await;
    assert!(
        repeated_page.contains("This form was already submitted")
            && repeated_page.contains("Previous secret also signs"),
        "{repeated_page}"
    );
    // A page that was opened before the rotation does not end the secret that still signs.
    let (_, slow) = ana.submit_form(&stale, "id=\"rotate\"", &fields).await;
    assert!(slow.contains("This was changed in the meantime") && !slow.contains("whsec_"), "{slow}");
    for overlap in ["604801", "soon", "-1"] {
        let (_, after) = ana
            .submit_form(&repeated_page, "id=\"rotate\"", &[("action", "rotate"), ("overlap", overlap)])
            .await;
        assert!(
            after.contains("This is not possible right now.") && !after.contains("whsec_"),
            "{overlap}: {after}"
        );
    }
    newer
}

/// Records a delivery that the webhook accepted.
pub(super) async fn attempt(world: &crate::harness::world::World, webhook: &str) {
    world.clock.advance(Lifetime::from_seconds(1));
    let engine = world.server.engine();
    let attempted = WebhookAttemptRow {
        id: AttemptId::mint(engine.now(), engine.entropy()),
        event: EventId::mint(engine.now(), engine.entropy()),
        kind: "role.created".to_owned(),
        status: Some(200),
        outcome: WebhookAttemptOutcome::Delivered,
        at: engine.now(),
    };
    let batch =
        WriteBatch::new().with_statement(attempts::record_attempt(webhook.parse().unwrap(), &attempted));
    engine.store().commit(batch).await.unwrap().into_result().unwrap();
}
