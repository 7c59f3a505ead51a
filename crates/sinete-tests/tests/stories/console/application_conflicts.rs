//! Applications that are changed while their form is open: fields that were not touched keep the saved value, and typed
//! text is kept whole or not at all.

use super::applications::{WEB, with, within};
use super::{ConsoleUser, console_path, role_field};
use crate::both_engines;
use crate::harness::flow_client::PASSWORD;
use crate::harness::organizations::TestOrganization;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

/// The fields of the form for an application's settings, as a browser would send them.
pub(super) fn filled(page: &str) -> Vec<(String, String)> {
    let form = page
        .split("<form")
        .find(|form| form.contains("id=\"save\""))
        .unwrap_or_else(|| panic!("no form: {page}"));
    let of = |text: &str, name: &str| {
        let after = text.split(&format!(" {name}=\"")).nth(1)?;
        Some(after.split('"').next().unwrap().to_owned())
    };
    let mut fields = vec![("action".to_owned(), "change".to_owned())];
    for input in form.split("<input").skip(1).map(|rest| rest.split('>').next().unwrap()) {
        let (kind, is_ticked) = (of(input, "type").unwrap(), input.contains(" checked"));
        if kind != "hidden" && (kind != "checkbox" || is_ticked) {
            fields.push((of(input, "name").unwrap(), of(input, "value").unwrap()));
        }
    }
    let addresses = form
        .split("<textarea")
        .nth(1)
        .unwrap()
        .split_once('>')
        .unwrap()
        .1
        .split("</textarea>")
        .next()
        .unwrap();
    fields.push(("redirects".to_owned(), addresses.trim_start_matches('\n').replace('\n', "\r\n")));
    let proof = form.split("<option").find(|option| option.contains(" selected")).unwrap();
    fields.push(("proof".to_owned(), of(proof, "value").unwrap()));
    fields
}

/// The fields with other values; an empty value clears a checkbox.
pub(super) fn changed<'a>(
    fields: &'a [(String, String)],
    changes: &[(&'a str, &'a str)],
) -> Vec<(&'a str, &'a str)> {
    let unchanged_fields = fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let unchanged_fields =
        unchanged_fields.filter(|(name, _)| !changes.iter().any(|(other, _)| other == name));
    let is_sent = |(name, value): &(&str, &str)| !value.is_empty() || !name.contains('.');
    unchanged_fields.chain(changes.iter().copied().filter(is_sent)).collect()
}

/// Registers an application and returns its id and the path of its page.
pub(super) async fn registered(
    ana: &mut ConsoleUser<'_>,
    acme: &TestOrganization,
    fields: &[(&str, &str)],
) -> (String, String) {
    let form = ana.reader.open_page(&console_path(acme, "/applications")).await;
    let (_, created_page) = ana.reader.submit_form(&form, "id=\"register-now\"", fields).await;
    let id = within(&created_page, "client-id").to_owned();
    let application_path = console_path(acme, &format!("/applications/{id}"));
    (id, application_path)
}

fn names(client: &Value) -> Vec<&str> {
    let roles = client["roles"].as_array().map(Vec::as_slice).unwrap_or_default();
    roles.iter().map(|role| role["name"].as_str().unwrap()).collect()
}

both_engines!(
    console_application_conflict_is_reported_and_keeps_both_changes,
    console_application_save_does_not_restore_roles_removed_concurrently,
    console_application_input_is_preserved_completely_or_not_at_all,
    console_application_scope_untouched_is_unchanged_and_an_emptied_one_is_cleared,
    console_application_validation_equals_the_api_and_keys_have_one_source,
);

async fn console_application_conflict_is_reported_and_keeps_both_changes(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (id, application_path) = registered(&mut ana, &acme, &WEB).await;
    let path = acme.path(&format!("/clients/{id}"));
    let one = ana.reader.open_page(&application_path).await;
    let addresses = json!(["https://ledger.example/other"]);
    let other = json!({"purpose": "Books", "metadata": {"redirect_uris": addresses, "grant_types": ["authorization_code"]}});
    owner.patch(&path, 1, other).await.assert_status(200);
    let mine = filled(&one);
    let mine = changed(&mine, &[("name", "Mine"), ("grant.device", "on")]);
    let (_, after) = ana.reader.submit_form(&one, "id=\"save\"", &mine).await;
    assert!(
        after.contains("This was changed in the meantime") && after.contains("<h1>Ledger</h1>"),
        "{after}"
    );
    let facts = after.split("</dl>").next().unwrap();
    for saved_value in [
        "Ledger",
        "Books",
        "https://ledger.example/other",
        "Authorization code: users sign in with a browser",
    ] {
        assert!(facts.contains(saved_value), "the saved value {saved_value}: {facts}");
    }
    for absent in ["https://ledger.example/cb", "renews its tokens", "Mine"] {
        assert!(!facts.contains(absent), "{facts}");
    }
    let unchanged = owner.get(&path).await.assert_status(200).body;
    assert_eq!(unchanged["metadata"]["client_name"], "Ledger", "nothing was saved");
    // The form has the fields they changed; the other fields have the values saved meanwhile.
    let form_fields = filled(&after);
    let field = |name: &str| {
        form_fields.iter().find(|(field_name, _)| field_name == name).map(|(_, value)| value.as_str())
    };
    assert_eq!(
        [field("name"), field("purpose"), field("redirects")],
        [Some("Mine"), Some("Books"), Some("https://ledger.example/other")]
    );
    assert_eq!(
        [field("grant.code"), field("grant.refresh"), field("grant.device")],
        [Some("on"), None, Some("on")]
    );
    let (_, after) = ana.reader.submit_form(&after, "id=\"save\"", &changed(&form_fields, &[])).await;
    assert!(after.contains("<h1>Mine</h1>") && after.contains("Application saved."), "{after}");
    let client = owner.get(&path).await.assert_status(200).body;
    assert_eq!(
        (&client["purpose"], &client["metadata"]["redirect_uris"]),
        (&json!("Books"), &addresses),
        "the concurrent change is still there"
    );
    let grants = json!(["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"]);
    assert_eq!(
        (&client["metadata"]["grant_types"], &client["metadata"]["client_name"]),
        (&grants, &json!("Mine"))
    );
    // A form without the record of what its page showed changes nothing.
    let csrf = after.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
    let version = client["version"].to_string();
    let bare = [
        ("csrf", csrf),
        ("version", &version),
        ("action", "change"),
        ("name", "Forged"),
        ("scope", "openid"),
    ];
    let (_, after) = ana.reader.forge_post(&application_path, &world.origin(), &bare).await;
    assert!(after.contains("This was changed in the meantime") && !after.contains("Forged"), "{after}");
    assert_eq!(owner.get(&path).await.assert_status(200).body, client);
}

async fn console_application_save_does_not_restore_roles_removed_concurrently(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (member, admin) = (world.find_role(&acme, "member").await, world.find_role(&acme, "admin").await);
    let (member_field, tempting) = (role_field(member), role_field(admin));
    let service = with(&[("kind", "service"), ("grant.own", "on"), (&member_field, "on"), (&tempting, "on")]);
    let (id, application_path) = registered(&mut ana, &acme, &service).await;
    let path = acme.path(&format!("/clients/{id}"));
    let client = owner.get(&path).await.assert_status(200).body;
    assert_eq!(names(&client), ["admin", "member"]);
    let membership = acme.path(&format!("/members/{}", client["membership"].as_str().unwrap()));
    let one = ana.reader.open_page(&application_path).await;
    owner.put(&format!("{membership}/roles"), 1, json!({"roles": [member]})).await.assert_status(200);
    // Only the name changes; a role that was removed meanwhile is not assigned again.
    let form_fields = filled(&one);
    let (_, after) =
        ana.reader.submit_form(&one, "id=\"save\"", &changed(&form_fields, &[("name", "Sync")])).await;
    assert!(after.contains("Application saved.") && after.contains("<h1>Sync</h1>"), "{after}");
    assert_eq!(names(&owner.get(&path).await.assert_status(200).body), ["member"]);
    // A change of roles that were changed meanwhile is reported, and no role is changed.
    let one = ana.reader.open_page(&application_path).await;
    owner.put(&format!("{membership}/roles"), 2, json!({"roles": [admin]})).await.assert_status(200);
    let form_fields = filled(&one);
    let (_, after) = ana
        .reader
        .submit_form(
            &one,
            "id=\"save\"",
            &changed(&form_fields, &[(&member_field, ""), (&tempting, "on"), ("name", "Again")]),
        )
        .await;
    assert!(
        after.contains("This was changed in the meantime") && after.contains("value=\"Again\""),
        "{after}"
    );
    let client = owner.get(&path).await.assert_status(200).body;
    assert_eq!((names(&client), &client["metadata"]["client_name"]), (vec!["admin"], &json!("Sync")));
    // A membership that was removed meanwhile is not created again by a change of something else.
    let one = ana.reader.open_page(&application_path).await;
    owner.delete(&membership, None).await.assert_status(204);
    let form_fields = filled(&one);
    let (_, after) =
        ana.reader.submit_form(&one, "id=\"save\"", &changed(&form_fields, &[("name", "Late")])).await;
    assert!(after.contains("The client credentials grant needs at least one role"), "{after}");
    assert!(owner.get(&path).await.assert_status(200).body["membership"].is_null());
    // Chosen on a page that shows no roles, the roles are assigned.
    let form_fields = filled(&after);
    let (_, after) =
        ana.reader.submit_form(&after, "id=\"save\"", &changed(&form_fields, &[(&member_field, "on")])).await;
    assert!(after.contains("<h1>Late</h1>"), "{after}");
    assert_eq!(names(&owner.get(&path).await.assert_status(200).body), ["member"]);
}

async fn console_application_input_is_preserved_completely_or_not_at_all(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let long = |count: usize| -> Vec<String> {
        (0..count).map(|it| format!("https://ledger.example/{}/{it:03}", "x".repeat(170))).collect()
    };
    // A text of more than 2000 characters is shown again completely.
    let form = ana.reader.open_page(&console_path(&acme, "/applications")).await;
    let redirect_uris = long(11).join("\r\n");
    assert!((2_100..2_300).contains(&redirect_uris.len()), "{}", redirect_uris.len());
    let (_, after) = ana
        .reader
        .submit_form(
            &form,
            "id=\"register-now\"",
            &with(&[("name", "Long"), ("scope", "no scope!"), ("redirects", &redirect_uris)]),
        )
        .await;
    assert!(
        after.contains("These scopes are not valid")
            && after.contains("value=\"Long\"")
            && !after.contains("id=\"lost\""),
        "{after}"
    );
    assert!(long(11).iter().all(|address| after.contains(address.as_str())), "{after}");
    // A longer text is not kept at all, and the page says so.
    let (id, application_path) = registered(&mut ana, &acme, &WEB).await;
    let path = acme.path(&format!("/clients/{id}"));
    let redirect_uris = long(13).join("\r\n");
    assert!((2_500..2_800).contains(&redirect_uris.len()), "{}", redirect_uris.len());
    let one = ana.reader.open_page(&application_path).await;
    owner.patch(&path, 1, json!({"purpose": "Books"})).await.assert_status(200);
    let form_fields = filled(&one);
    let (_, after) = ana
        .reader
        .submit_form(&one, "id=\"save\"", &changed(&form_fields, &[("redirects", &redirect_uris)]))
        .await;
    assert!(
        after.contains("id=\"lost\"")
            && after.contains("nothing was saved")
            && !after.contains("check your input"),
        "{after}"
    );
    assert!(!after.contains("xxxx") && after.contains("https://ledger.example/cb"), "{after}");
    let form_fields = filled(&after);
    let (_, after) =
        ana.reader.submit_form(&after, "id=\"save\"", &changed(&form_fields, &[("name", "Kept")])).await;
    assert!(after.contains("<h1>Kept</h1>"), "{after}");
    let client = owner.get(&path).await.assert_status(200).body;
    assert_eq!(
        client["metadata"]["redirect_uris"],
        json!(["https://ledger.example/cb", "http://localhost:8080/cb"])
    );
    // It is not kept in part for a step-up either.
    world.clock.advance(Lifetime::from_hours(2));
    let one = ana.reader.open_page(&application_path).await;
    let form_fields = filled(&one);
    let (_, proving) = ana
        .reader
        .submit_form(&one, "id=\"save\"", &changed(&form_fields, &[("redirects", &redirect_uris)]))
        .await;
    let (_, after) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(
        after.contains("id=\"lost\"")
            && after.contains("You are verified, but nothing was saved yet")
            && !after.contains("xxxx"),
        "{after}"
    );
    assert_eq!(owner.get(&path).await.assert_status(200).body, client);
}

async fn console_application_scope_untouched_is_unchanged_and_an_emptied_one_is_cleared(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner
        .post(
            &acme.path("/roles"),
            json!({"name": "reader", "permissions": ["organization:read", "clients:read"]}),
        )
        .await
        .assert_status(201);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let metadata = |scope: Option<&str>| {
        let mut metadata = json!({"client_name": "Ledger", "redirect_uris": ["https://ledger.example/cb"], "token_endpoint_auth_method": "none"});
        if let Some(scope) = scope {
            metadata["scope"] = json!(scope);
        }
        json!({"kind": "application", "metadata": metadata})
    };
    for (scope, expected_text, not_told) in
        [(Some(""), "<dd>None", "No limit is set"), (None, "No limit is set", "<dd>None")]
    {
        let id =
            owner.post(&acme.path("/clients"), metadata(scope)).await.assert_status(201).text_member("id");
        let (path, application_path) =
            (acme.path(&format!("/clients/{id}")), console_path(&acme, &format!("/applications/{id}")));
        let before = owner.get(&path).await.assert_status(200).body["metadata"]["scope"].clone();
        let page = rita.reader.open_page(&application_path).await;
        let html = page.split("</dl>").next().unwrap();
        assert!(
            html.contains(expected_text)
                && !html.contains(not_told)
                && html.contains("openid") == scope.is_none(),
            "{scope:?}: {html}"
        );
        let one = ana.reader.open_page(&application_path).await;
        assert_eq!(one.contains("No limit is set"), scope.is_none(), "{one}");
        let form_fields = filled(&one);
        let (_, after) =
            ana.reader.submit_form(&one, "id=\"save\"", &changed(&form_fields, &[("name", "Books")])).await;
        assert!(after.contains("Application saved."), "{after}");
        let client = owner.get(&path).await.assert_status(200).body;
        assert_eq!(
            (&client["metadata"]["scope"], &client["metadata"]["client_name"]),
            (&before, &json!("Books"))
        );
        // An empty scope means no scope, not every scope.
        let form_fields = filled(&after);
        let (_, after) =
            ana.reader.submit_form(&after, "id=\"save\"", &changed(&form_fields, &[("scope", "")])).await;
        assert!(after.contains("Application saved.") && !after.contains("No limit is set"), "{after}");
        assert_eq!(owner.get(&path).await.assert_status(200).body["metadata"]["scope"], json!(""));
    }
    let (id, _) = registered(&mut ana, &acme, &with(&[("scope", "")])).await;
    assert_eq!(
        owner.get(&acme.path(&format!("/clients/{id}"))).await.assert_status(200).body["metadata"]["scope"],
        json!("")
    );
}

async fn console_application_validation_equals_the_api_and_keys_have_one_source(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let key = json!({"kty": "OKP", "crv": "Ed25519", "kid": "1", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"});
    let metadata = json!({"client_name": "Ledger", "redirect_uris": ["https://ledger.example/cb"], "token_endpoint_auth_method": "private_key_jwt", "jwks": {"keys": [key]}});
    let id = owner
        .post(&acme.path("/clients"), json!({"kind": "application", "metadata": metadata}))
        .await
        .assert_status(201)
        .text_member("id");
    let (path, application_path) =
        (acme.path(&format!("/clients/{id}")), console_path(&acme, &format!("/applications/{id}")));
    let one = ana.reader.open_page(&application_path).await;
    let form_fields = filled(&one);
    let twice = "https://ledger.example/cb\r\nhttps://ledger.example/cb";
    let (_, after) =
        ana.reader.submit_form(&one, "id=\"save\"", &changed(&form_fields, &[("redirects", twice)])).await;
    assert!(after.contains("each once") && after.contains("id=\"trouble\""), "{after}");
    assert_eq!(owner.get(&path).await.assert_status(200).version(), 1);
    let keys = "https://ledger.example/keys";
    let (_, after) =
        ana.reader.submit_form(&one, "id=\"save\"", &changed(&form_fields, &[("keys", keys)])).await;
    assert!(after.contains("Application saved."), "{after}");
    let client = owner.get(&path).await.assert_status(200).body;
    assert_eq!((&client["metadata"]["jwks_uri"], &client["metadata"]["jwks"]), (&json!(keys), &Value::Null));
}
