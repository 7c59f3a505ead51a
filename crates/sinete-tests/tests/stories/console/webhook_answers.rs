//! Events that the console sends at once: the answer is on the page, and the queue with its retry schedule stays.

use super::console_path;
use super::webhooks::csrf_of;
use crate::both_engines;
use crate::harness::webhook_receiver::{ReceivedWebhook, ReceiverBehavior, WebhookReceiver};
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    console_webhook_test_is_sent_at_once_whatever_the_retry_schedule,
    console_webhook_test_reports_an_unreachable_receiver_with_the_next_step,
    console_webhook_delivery_is_resent_with_its_id_only_with_permission_to_replay
);

async fn console_webhook_test_is_sent_at_once_whatever_the_retry_schedule(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let receiver = WebhookReceiver::start().await;
    let response =
        owner.post(&acme.path("/webhooks"), json!({"address": receiver.address})).await.assert_status(201);
    let page =
        console_path(&acme, &format!("/webhooks/{}", response.body["webhook"]["id"].as_str().unwrap()));
    // It fails, and the next attempt is later.
    receiver.script_responses([ReceiverBehavior::Answer(500)]);
    owner.post(&acme.path("/roles"), json!({"name": "one"})).await.assert_status(201);
    world.deliver_webhooks().await;
    receiver.take_received();
    let failing = ana.reader.open_page(&page).await;
    assert!(failing.contains("Next retry"), "{failing}");
    let (status, tested) = ana.reader.submit_form(&failing, "id=\"test\"", &[("action", "test")]).await;
    assert_eq!(status, 200);
    assert!(tested.contains("Status 204 after") && tested.contains("Next retry"), "{tested}");
    let received_webhooks = receiver.take_received();
    assert_eq!(received_webhooks.iter().map(ReceivedWebhook::kind).collect::<Vec<_>>(), ["webhook.tested"]);
    // Reading the page again sends nothing and shows no answer.
    let reopened_page = ana.reader.open_page(&page).await;
    assert!(
        !reopened_page.contains("id=\"answer\"") && receiver.take_received().is_empty(),
        "{reopened_page}"
    );
}

async fn console_webhook_test_reports_an_unreachable_receiver_with_the_next_step(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let receiver = WebhookReceiver::start().await;
    let response =
        owner.post(&acme.path("/webhooks"), json!({"address": receiver.address})).await.assert_status(201);
    let page =
        console_path(&acme, &format!("/webhooks/{}", response.body["webhook"]["id"].as_str().unwrap()));
    let html = ana.reader.open_page(&page).await;
    receiver.script_responses([ReceiverBehavior::Answer(503)]);
    let (_, refused) = ana.reader.submit_form(&html, "id=\"test\"", &[("action", "test")]).await;
    assert!(refused.contains("Status 503 after") && refused.contains("id=\"answer-help\""), "{refused}");
    drop(receiver);
    let (status, away) = ana.reader.submit_form(&html, "id=\"test\"", &[("action", "test")]).await;
    assert_eq!(status, 200);
    assert!(away.contains("There was no answer in time") && away.contains("id=\"answer-help\""), "{away}");
}

async fn console_webhook_delivery_is_resent_with_its_id_only_with_permission_to_replay(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let receiver = WebhookReceiver::start().await;
    let body = json!({"address": receiver.address, "kinds": ["role.created"]});
    let response = owner.post(&acme.path("/webhooks"), body).await.assert_status(201);
    let page =
        console_path(&acme, &format!("/webhooks/{}", response.body["webhook"]["id"].as_str().unwrap()));
    owner.post(&acme.path("/roles"), json!({"name": "one"})).await.assert_status(201);
    world.deliver_webhooks().await;
    let first = receiver.take_received();
    assert_eq!(first.len(), 1);
    let html = ana.reader.open_page(&page).await;
    let (_, result_page) = ana.reader.submit_form(&html, "value=\"resend\"", &[("action", "resend")]).await;
    assert!(result_page.contains("Status 204 after"), "{result_page}");
    let second = receiver.take_received();
    assert_eq!((second.len(), &second[0].id, &second[0].text), (1, &first[0].id, &first[0].text));
    // A member with `webhooks:manage` and without `audit:read` sees no button and cannot send an event.
    let role = json!({"name": "hooks", "permissions": ["organization:read", "webhooks:manage"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut bruno = world.create_console_user(&acme, "bruno@example.com", "hooks").await;
    let html = bruno.reader.open_page(&page).await;
    assert!(!html.contains("value=\"resend\""), "{html}");
    let csrf = csrf_of(&html);
    let forged = [("csrf", csrf.as_str()), ("action", "resend"), ("event", first[0].id.as_str())];
    bruno.reader.forge_post(&page, &world.origin(), &forged).await;
    // The event of another organization does not exist for them.
    let globex = world.create_organization("globex").await;
    let other = world.create_owner(&globex).await;
    other.post(&globex.path("/roles"), json!({"name": "two"})).await.assert_status(201);
    let log = other.get(&globex.path("/audit?kind=role.created")).await.assert_status(200).body;
    let csrf = csrf_of(&ana.reader.open_page(&page).await);
    let event = log["items"][0]["id"].as_str().unwrap();
    let forged = [("csrf", csrf.as_str()), ("action", "resend"), ("event", event)];
    ana.reader.forge_post(&page, &world.origin(), &forged).await;
    assert!(receiver.take_received().is_empty());
}
