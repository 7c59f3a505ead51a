//! Forms too large to keep during a step-up: the step-up comes first, and nothing is lost without a notice.

use super::applications::within;
use super::console_path;
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::events::security_event::EventKind;
use sinete_core::time::Lifetime;

/// The checkboxes for event types on a page, the ticked ones or all of them.
fn boxes(page: &str, should_be_checked: bool) -> Vec<&str> {
    let after = page.split("name=\"").filter(|rest| rest.starts_with("kind."));
    let after =
        after.filter(|rest| !should_be_checked || rest.split('>').next().unwrap().ends_with(" checked"));
    after.map(|rest| rest.split('"').next().unwrap()).collect()
}

both_engines!(
    console_webhook_with_every_event_type_is_saved_after_step_up,
    console_webhook_event_types_are_limited_as_in_the_api
);

async fn console_webhook_with_every_event_type_is_saved_after_step_up(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let list_path = console_path(&acme, "/webhooks");
    let webhooks = async || owner.get(&acme.path("/webhooks")).await.assert_status(200).body["items"].clone();
    world.clock.advance(Lifetime::from_hours(2));
    // The step-up comes before the form.
    let list = ana.reader.open_page(&list_path).await;
    assert!(
        list.contains("You need to sign in again before you can use this form.")
            && !list.contains("id=\"add-now\""),
        "{list}"
    );
    let (_, proving) = ana.reader.submit_form(&list, "id=\"prove\"", &[("form", "add")]).await;
    let (_, form) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(form.contains("You are verified.") && form.contains("id=\"add\" open"), "{form}");
    let all = boxes(&form, false);
    assert!(all.len() > 60, "{all:?}");
    let build_fields =
        |action, address| [("action", action), ("address", address), ("description", ""), ("told", "chosen")];
    let every = |action, address| {
        build_fields(action, address)
            .into_iter()
            .chain(all.iter().map(|name| (*name, "on")))
            .collect::<Vec<_>>()
    };
    // An error clears no checkbox.
    let (_, wrong) = ana.reader.submit_form(&form, "id=\"add-now\"", &every("add", "ftp://a.example")).await;
    assert!(
        wrong.contains("Enter an https URL without user name")
            && !wrong.contains("id=\"lost\"")
            && boxes(&wrong, true) == all,
        "{wrong}"
    );
    // The step-up expired meanwhile: the whole form waits for another one.
    world.clock.advance(Lifetime::from_minutes(6));
    let (_, proving) =
        ana.reader.submit_form(&wrong, "id=\"add-now\"", &every("add", "https://a.example/")).await;
    assert!(proving.contains("name=\"password\"") && webhooks().await == json!([]), "{proving}");
    let (_, created_page) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(within(&created_page, "secret").starts_with("whsec_"), "{created_page}");
    let body = webhooks().await;
    assert_eq!(body[0]["kinds"].as_array().unwrap().len(), all.len());
    // With a URL that is too long to keep it is not done, and the page says that it was not kept.
    let one = format!("{list_path}/{}", body[0]["id"].as_str().unwrap());
    let page = ana.reader.open_page(&one).await;
    world.clock.advance(Lifetime::from_minutes(6));
    let long = format!("https://a.example/{}", "p".repeat(2000));
    let (_, proving) = ana.reader.submit_form(&page, "id=\"save\"", &every("change", &long)).await;
    let (_, after) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(
        after.contains("You are verified, but nothing was saved yet")
            && after.contains("id=\"lost\"")
            && after.contains("id=\"settings\" open"),
        "{after}"
    );
    assert_eq!((webhooks().await, boxes(&after, true)), (body, all.clone()), "the form has the saved values");
    let (_, after) = ana.reader.submit_form(&after, "id=\"save\"", &every("change", &long)).await;
    assert!(after.contains("Webhook saved.") && webhooks().await[0]["address"] == long, "{after}");
}

async fn console_webhook_event_types_are_limited_as_in_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let kinds: Vec<&str> = EventKind::ALL
        .iter()
        .map(|kind| kind.name())
        .filter(|kind| *kind != "webhook.tested")
        .take(100)
        .collect();
    assert_eq!(kinds.len(), 100);
    let created = owner
        .post(&acme.path("/webhooks"), json!({"address": "https://a.example/", "kinds": kinds}))
        .await
        .assert_status(201)
        .body;
    let id = created["webhook"]["id"].as_str().unwrap();
    let (one, path) =
        (console_path(&acme, &format!("/webhooks/{id}")), acme.path(&format!("/webhooks/{id}")));
    let page = ana.reader.open_page(&one).await;
    let checked_boxes = boxes(&page, true);
    assert_eq!(checked_boxes.len(), 100);
    let base_fields =
        [("action", "change"), ("address", "https://b.example/"), ("description", ""), ("told", "chosen")];
    let fields: Vec<(&str, &str)> =
        base_fields.into_iter().chain(checked_boxes.iter().map(|name| (*name, "on"))).collect();
    let (_, after) = ana.reader.submit_form(&page, "id=\"save\"", &fields).await;
    assert!(after.contains("Webhook saved."), "{after}");
    let stands: Value = owner.get(&path).await.assert_status(200).body;
    assert_eq!(
        (&stands["address"], stands["kinds"].as_array().unwrap().len()),
        (&json!("https://b.example/"), 100)
    );
    // One event type more than the API accepts is refused with an error.
    let other = boxes(&after, false)
        .into_iter()
        .find(|name| !checked_boxes.contains(name))
        .unwrap_or("kind.role.more");
    let extra_fields: Vec<(&str, &str)> = fields.iter().copied().chain([(other, "on")]).collect();
    let (_, refused) = ana.reader.submit_form(&after, "id=\"save\"", &extra_fields).await;
    assert!(
        refused.contains("class=\"trouble\"") && owner.get(&path).await.assert_status(200).body == stands,
        "{refused}"
    );
}
