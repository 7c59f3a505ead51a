//! Errors in the form that adds a webhook, and the limit on how many webhooks an organization has.

use super::console_path;
use crate::both_engines;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use serde_json::json;

both_engines!(console_webhook_errors_are_displayed_beside_their_field_and_no_event_type_is_not_all);

async fn console_webhook_errors_are_displayed_beside_their_field_and_no_event_type_is_not_all(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut form = ana.reader.open_page(&console_path(&acme, "/webhooks")).await;
    assert!(
        form.contains("name=\"kind.relationships.changed\"")
            && !form.contains("name=\"kind.webhook.tested\""),
        "{form}"
    );
    let good = "https://a.example/events";
    form = submit_invalid_webhooks(&mut ana.reader, form, good).await;
    let (_, after) = ana
        .reader
        .submit_form(&form, "id=\"add-now\"", &[("action", "add"), ("address", good), ("told", "chosen")])
        .await;
    assert!(after.contains("Select at least one event type"), "{after}");
    assert_eq!(
        owner.get(&acme.path("/webhooks")).await.assert_status(200).body["items"],
        json!([]),
        "none of them was added"
    );
    // An organization has at most 20 webhooks, on the console as in the API.
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
        after.contains("An organization can have at most 20 webhooks")
            && after.contains(&format!("value=\"{good}\"")),
        "{after}"
    );
}

/// Each form is shown again with its error and with what was typed; the last of these pages is returned.
async fn submit_invalid_webhooks(ana: &mut PageBrowser<'_>, mut form: String, good: &str) -> String {
    let marked = format!("x{}", "\u{202e}");
    let long = "d".repeat(201);
    for (address, description, event_selection, kind, expected_error) in [
        ("", "", "everything", "role.created", "Enter an https URL without user name"),
        ("a.example", "", "everything", "role.created", "Enter an https URL without user name"),
        (
            "https://ana:secret@a.example/",
            "",
            "everything",
            "role.created",
            "Enter an https URL without user name",
        ),
        ("https://a.example/#part", "", "everything", "role.created", "Enter an https URL without user name"),
        (good, marked.as_str(), "everything", "role.created", "Use at most 200 visible characters."),
        (good, long.as_str(), "everything", "role.created", "Use at most 200 visible characters."),
        (good, "", "chosen", "role.forgotten", "There is no such event type."),
    ] {
        let checkbox_name = format!("kind.{kind}");
        let fields = [
            ("action", "add"),
            ("address", address),
            ("description", description),
            ("told", event_selection),
            (checkbox_name.as_str(), "on"),
        ];
        let (_, after) = ana.submit_form(&form, "id=\"add-now\"", &fields).await;
        assert!(
            after.contains(expected_error)
                && after.contains("id=\"add\" open")
                && after.contains(&format!("value=\"{address}\"")),
            "{address} {expected_error}: {after}"
        );
        form = after;
    }
    form
}
