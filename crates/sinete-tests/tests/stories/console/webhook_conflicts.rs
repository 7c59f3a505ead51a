//! Two administrators change the same webhook, and one form is sent eight times.

use super::console_path;
use super::webhooks::is_ticked;
use crate::both_engines;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use serde_json::json;

both_engines!(
    console_webhook_form_sent_eight_times_creates_one_webhook_and_one_secret,
    console_webhook_conflict_is_reported_and_keeps_both_changes
);

async fn console_webhook_form_sent_eight_times_creates_one_webhook_and_one_secret(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let list_path = console_path(&acme, "/webhooks");
    let races = async |form: String, within: &str, fields: &[(&str, &str)]| {
        let racers: Vec<_> = (0..8)
            .map(|_| {
                let mut racer = world.create_page_browser("en").with_session(&ana.session);
                let form = form.clone();
                async move { racer.submit_form(&form, within, fields).await.1 }
            })
            .collect();
        let pages = join_all(racers).await;
        assert_eq!(pages.iter().filter(|page| page.contains("id=\"secret\"")).count(), 1, "{pages:?}");
        assert_eq!(
            pages.iter().filter(|page| page.contains("This form was already submitted")).count(),
            7,
            "{pages:?}"
        );
    };
    let webhooks = async || owner.get(&acme.path("/webhooks")).await.assert_status(200).body["items"].clone();
    let mut looker = world.create_page_browser("en").with_session(&ana.session);
    let form = looker.open_page(&list_path).await;
    races(
        form,
        "id=\"add-now\"",
        &[("action", "add"), ("address", "https://a.example/"), ("told", "everything")],
    )
    .await;
    let all = webhooks().await;
    assert_eq!((all.as_array().unwrap().len(), &all[0]["version"]), (1, &json!(1)));
    let form = looker.open_page(&format!("{list_path}/{}", all[0]["id"].as_str().unwrap())).await;
    races(form, "id=\"rotate\"", &[("action", "rotate"), ("overlap", "86400")]).await;
    assert_eq!(webhooks().await[0]["version"], 2, "one secret was created");
}

async fn console_webhook_conflict_is_reported_and_keeps_both_changes(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let webhook_body = json!({"address": "https://a.example/", "description": "Mine", "kinds": ["role.created", "role.changed", "session.started"]});
    let response = owner.post(&acme.path("/webhooks"), webhook_body.clone()).await;
    // The form keeps an event type that was set over the API although no audit log contains it.
    let id = response.assert_status(201).body["webhook"]["id"].as_str().unwrap().to_owned();
    let (one, path) =
        (console_path(&acme, &format!("/webhooks/{id}")), acme.path(&format!("/webhooks/{id}")));
    let webhook = async || owner.get(&path).await.assert_status(200).body;
    let before = ana.reader.open_page(&one).await;
    assert!(
        is_ticked(&before, "role.created")
            && is_ticked(&before, "session.started")
            && !is_ticked(&before, "api.created"),
        "{before}"
    );
    let other =
        json!({"address": "https://b.example/", "kinds": ["role.created", "session.started", "domain.lost"]});
    owner.patch(&path, 1, other).await.assert_status(200);
    let mine = [
        ("action", "change"),
        ("address", "https://a.example/"),
        ("description", "Ours"),
        ("told", "chosen"),
        ("kind.role.changed", "on"),
        ("kind.session.started", "on"),
        ("kind.api.created", "on"),
    ];
    let (_, slow) = ana.reader.submit_form(&before, "id=\"save\"", &mine).await;
    assert!(
        slow.contains("This was changed in the meantime") && slow.contains("id=\"settings\" open"),
        "{slow}"
    );
    assert_eq!(
        (&webhook().await["description"], &webhook().await["version"]),
        (&json!("Mine"), &json!(2)),
        "nothing was saved"
    );
    assert_conflict_page_shows_both_changes(&slow);
    let fields = [
        ("action", "change"),
        ("address", "https://b.example/"),
        ("description", "Ours"),
        ("told", "chosen"),
        ("kind.session.started", "on"),
        ("kind.domain.lost", "on"),
        ("kind.api.created", "on"),
    ];
    let (_, after) = ana.reader.submit_form(&slow, "id=\"save\"", &fields).await;
    assert!(after.contains("Webhook saved."), "{after}");
    let stands = webhook().await;
    assert_eq!((&stands["address"], &stands["description"]), (&json!("https://b.example/"), &json!("Ours")));
    assert_eq!(stands["kinds"], json!(["api.created", "domain.lost", "session.started"]));
    form_with_an_error_keeps_what_was_typed(&mut ana.reader, &after).await;
    assert_eq!(webhook().await, stands);
}

/// The form has the fields that were changed on the old page; the other fields have the values saved meanwhile.
fn assert_conflict_page_shows_both_changes(slow: &str) {
    let facts = slow.split("</dl>").next().unwrap();
    assert!(
        facts.contains("https://b.example/") && facts.contains("<h1>Mine</h1>"),
        "the saved values: {facts}"
    );
    assert!(
        slow.contains("value=\"Ours\"")
            && slow.contains("value=\"https://b.example/\"")
            && !slow.contains("value=\"https://a.example/\""),
        "{slow}"
    );
    let checked_boxes = ["role.created", "role.changed", "session.started", "domain.lost", "api.created"]
        .map(|kind| is_ticked(slow, kind));
    assert_eq!(checked_boxes, [false, false, true, true, true]);
}

async fn form_with_an_error_keeps_what_was_typed(ana: &mut PageBrowser<'_>, page: &str) {
    let (_, wrong) = ana
        .submit_form(
            page,
            "id=\"save\"",
            &[("action", "change"), ("address", "ftp://c"), ("description", "New"), ("told", "everything")],
        )
        .await;
    assert!(
        wrong.contains("Enter an https URL without user name")
            && wrong.contains("value=\"ftp://c\"")
            && wrong.contains("value=\"New\""),
        "{wrong}"
    );
    assert!(wrong.contains("value=\"everything\" checked"), "{wrong}");
}
