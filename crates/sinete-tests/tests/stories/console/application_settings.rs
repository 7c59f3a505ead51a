//! All settings of an application on the console: every field of the API, saved part by part.

use super::application_conflicts::registered;
use super::applications::{WEB, with};
use super::console_path;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;

both_engines!(
    console_application_settings_are_changed_part_by_part_as_by_the_api,
    console_application_settings_mark_all_invalid_fields_at_once,
    console_application_settings_report_a_concurrent_change_and_keep_both,
    console_application_settings_are_only_read_without_the_permission_to_change_them,
    instance_console_registers_an_application_with_the_serves_option_and_changes_all_settings
);

/// Maximum size of a page.
const PAGE_BYTES_MAX: usize = 60_000;

/// What is typed into each part of the settings.
fn typed_parts() -> [(&'static str, Vec<(&'static str, &'static str)>); 7] {
    let grants = [
        ("metadata/grant_types.authorization_code", "on"),
        ("metadata/grant_types.refresh_token", "on"),
        ("metadata/grant_types.urn:ietf:params:oauth:grant-type:device_code", "on"),
    ];
    [
        (
            "about",
            vec![
                ("metadata/client_name", "Books"),
                ("metadata/tos_uri", "https://ledger.example/terms"),
                ("metadata/policy_uri", "https://ledger.example/privacy"),
                ("metadata/contacts", "ana@example.com\r\nbia@example.com"),
                ("metadata/localized", "{\"client_name#pt\": \"Livros\"}"),
            ],
        ),
        (
            "addresses",
            [&grants[..], &[("metadata/initiate_login_uri", "https://ledger.example/go")]].concat(),
        ),
        (
            "sign_in",
            vec![
                ("metadata/consent", "ask_for_permissions"),
                ("metadata/default_max_age", "3600"),
                ("metadata/require_auth_time", "on"),
            ],
        ),
        (
            "tokens",
            vec![
                ("metadata/scope", "openid"),
                ("metadata/role_claims.groups", "on"),
                ("metadata/id_token_signed_response_alg", "ES256"),
                ("metadata/dpop_bound_access_tokens", "on"),
            ],
        ),
        ("logout", vec![("metadata/post_logout_redirect_uris", "https://ledger.example/out")]),
        ("keys", vec![("metadata/jwks_uri", "https://ledger.example/keys")]),
        (
            "advanced",
            vec![
                ("metadata/backchannel_token_delivery_mode", "ping"),
                ("metadata/backchannel_client_notification_endpoint", "https://ledger.example/ciba"),
            ],
        ),
    ]
}

/// What the API then returns, with members that were not changed.
fn saved_members() -> Vec<(&'static str, serde_json::Value)> {
    vec![
        ("client_name", json!("Books")),
        ("tos_uri", json!("https://ledger.example/terms")),
        ("policy_uri", json!("https://ledger.example/privacy")),
        ("contacts", json!(["ana@example.com", "bia@example.com"])),
        ("localized", json!({"client_name#pt": "Livros"})),
        ("initiate_login_uri", json!("https://ledger.example/go")),
        ("consent", json!("ask_for_permissions")),
        ("default_max_age", json!(3600)),
        ("require_auth_time", json!(true)),
        ("scope", json!("openid")),
        ("role_claims", json!(["groups"])),
        ("id_token_signed_response_alg", json!("ES256")),
        ("dpop_bound_access_tokens", json!(true)),
        ("post_logout_redirect_uris", json!(["https://ledger.example/out"])),
        ("jwks_uri", json!("https://ledger.example/keys")),
        ("backchannel_token_delivery_mode", json!("ping")),
        ("backchannel_client_notification_endpoint", json!("https://ledger.example/ciba")),
        // What was not touched.
        ("redirect_uris", json!(["https://ledger.example/cb", "http://localhost:8080/cb"])),
        ("token_endpoint_auth_method", json!("client_secret_basic")),
    ]
}

async fn console_application_settings_are_changed_part_by_part_as_by_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (id, application_path) = registered(&mut ana, &acme, &WEB).await;
    let one = ana.reader.open_page(&application_path).await;
    assert!(one.contains(&format!("id=\"all-settings\" href=\"{application_path}/settings\"")), "{one}");
    let settings = format!("{application_path}/settings");
    let mut page = ana.reader.open_page(&settings).await;
    assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
    assert!(!page.contains("id=\"owner-now\""), "only an agent has an owner: {page}");
    for (part, mut fields) in typed_parts() {
        fields.push(("action", part));
        let (_, after) = ana.reader.submit_form(&page, &format!("id=\"{part}-now\""), &fields).await;
        assert!(after.contains("role=\"status\"") && !after.contains("id=\"trouble\""), "{part}: {after}");
        page = after;
    }
    let path = acme.path(&format!("/clients/{id}"));
    let client = owner.get(&path).await.assert_status(200).body;
    let metadata = &client["metadata"];
    for (member, value) in saved_members() {
        assert_eq!(metadata[member], value, "{member}: {metadata}");
    }
    assert_eq!(metadata["grant_types"].as_array().unwrap().len(), 3, "{metadata}");
    // A member that is deleted from a JSON object goes, and an emptied field is removed.
    let fields = [
        ("action", "about"),
        ("metadata/localized", "{\"client_name#es\": \"Libros\"}"),
        ("metadata/tos_uri", ""),
    ];
    ana.reader.submit_form(&page, "id=\"about-now\"", &fields).await;
    let client = owner.get(&path).await.assert_status(200).body;
    assert_eq!(client["metadata"]["localized"], json!({"client_name#es": "Libros"}));
    assert!(client["metadata"].get("tos_uri").is_none(), "{client}");
}

async fn console_application_settings_mark_all_invalid_fields_at_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (_, application_path) = registered(&mut ana, &acme, &WEB).await;
    let page = ana.reader.open_page(&format!("{application_path}/settings")).await;
    let fields = [
        ("action", "about"),
        ("metadata/client_name", "Books"),
        ("metadata/tos_uri", "http://ledger.example/terms"),
        ("metadata/policy_uri", "http://ledger.example/privacy"),
    ];
    let (_, after) = ana.reader.submit_form(&page, "id=\"about-now\"", &fields).await;
    for wrong in ["tos_uri", "policy_uri"] {
        assert!(after.contains(&format!("id=\"about-metadata-{wrong}-error\"")), "{wrong}: {after}");
    }
    assert!(!after.contains("id=\"about-metadata-client_name-error\""), "{after}");
    // The form is open, and the input is there.
    assert!(after.contains("id=\"about\" open"), "{after}");
    assert!(after.contains("value=\"http://ledger.example/terms\"") && after.contains("value=\"Books\""));
    // No grant type is an error, and not the default grant types.
    let (_, after) = ana.reader.submit_form(&page, "id=\"addresses-now\"", &[("action", "addresses")]).await;
    assert!(after.contains("id=\"addresses-metadata-grant_types-error\""), "{after}");
    // What is no JSON is found before the API is called.
    let fields = [("action", "keys"), ("metadata/jwks", "{")];
    let (_, after) = ana.reader.submit_form(&page, "id=\"keys-now\"", &fields).await;
    assert!(after.contains("id=\"keys-metadata-jwks-error\""), "{after}");
}

async fn console_application_settings_report_a_concurrent_change_and_keep_both(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (id, application_path) = registered(&mut ana, &acme, &WEB).await;
    let page = ana.reader.open_page(&format!("{application_path}/settings")).await;
    let path = acme.path(&format!("/clients/{id}"));
    let other = json!({"metadata": {"policy_uri": "https://ledger.example/privacy"}});
    owner.patch(&path, 1, other).await.assert_status(200);
    let fields = [("action", "about"), ("metadata/tos_uri", "https://ledger.example/terms")];
    let (_, after) = ana.reader.submit_form(&page, "id=\"about-now\"", &fields).await;
    assert!(after.contains("This was changed in the meantime."), "{after}");
    assert!(after.contains("value=\"https://ledger.example/terms\""), "{after}");
    assert!(after.contains("value=\"https://ledger.example/privacy\""), "{after}");
    ana.reader.submit_form(&after, "id=\"about-now\"", &fields).await;
    let client = owner.get(&path).await.assert_status(200).body;
    assert_eq!(client["metadata"]["tos_uri"], "https://ledger.example/terms");
    assert_eq!(client["metadata"]["policy_uri"], "https://ledger.example/privacy");
}

async fn console_application_settings_are_only_read_without_the_permission_to_change_them(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (id, application_path) = registered(&mut ana, &acme, &with(&[("scope", "openid phone")])).await;
    let settings = format!("{application_path}/settings");
    for (name, permissions) in [
        ("reader", json!(["organization:read", "clients:read"])),
        // Agents are another permission.
        ("keeper", json!(["organization:read", "clients:read", "agents:manage"])),
    ] {
        let role = json!({"name": name, "permissions": permissions});
        owner.post(&acme.path("/roles"), role).await.assert_status(201);
        let mut user = world.create_console_user(&acme, &format!("{name}@example.com"), name).await;
        let page = user.reader.open_page(&settings).await;
        assert!(page.contains("https://ledger.example/cb") && page.contains("openid phone"), "{page}");
        assert!(!page.contains("-now\""), "{name}: {page}");
        let account_page = user.reader.open_page("/my-account").await;
        let csrf = account_page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap();
        let forged =
            [("csrf", csrf), ("action", "about"), ("version", "1"), ("metadata/client_name", "Mine")];
        let (_, after) = user.reader.forge_post(&settings, &world.origin(), &forged).await;
        assert!(!after.contains(">Mine"), "{name}: {after}");
        let client = owner.get(&acme.path(&format!("/clients/{id}"))).await.assert_status(200).body;
        assert_eq!(client["metadata"]["client_name"], "Ledger", "{name}");
    }
    // Without the permission to read, the page does not exist for the user.
    let mut member = world.create_console_user(&acme, "member@example.com", "member").await;
    assert_ne!(member.reader.open_url(&settings).await.0, 200);
    let globex = world.create_organization("globex").await;
    let elsewhere = console_path(&globex, &format!("/applications/{id}/settings"));
    assert_eq!(ana.reader.open_url(&elsewhere).await.0, 404);
}

async fn instance_console_registers_an_application_with_the_serves_option_and_changes_all_settings(
    world: &World,
) {
    let operators = world.find_organization("operator").await;
    let operator = world.create_operator().await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let list = ana.reader.open_page("/instance/applications").await;
    let fields = [
        ("action", "register"),
        ("type", "spa"),
        ("metadata/serves", "everyone"),
        ("metadata/client_name", "Shop"),
        ("metadata/redirect_uris", "https://shop.example/callback"),
        ("id", "shop"),
    ];
    let (_, created_page) = ana.reader.submit_form(&list, "id=\"register-now\"", &fields).await;
    assert!(created_page.contains("href=\"/instance/applications/shop/settings\""), "{created_page}");
    let client = operator.get("/manage/clients/shop").await.assert_status(200).body;
    assert_eq!(client["metadata"]["serves"], "everyone");
    assert_eq!(client["metadata"]["token_endpoint_auth_method"], "none");
    let page = ana.reader.open_page("/instance/applications/shop/settings").await;
    assert!(page.len() < PAGE_BYTES_MAX, "{} bytes", page.len());
    let fields = [("action", "sign_in"), ("metadata/serves", "organizations")];
    let (_, page) = ana.reader.submit_form(&page, "id=\"sign_in-now\"", &fields).await;
    // A client that authenticates with a secret from then on gets one, which is shown once.
    let fields = [("action", "keys"), ("metadata/token_endpoint_auth_method", "client_secret_post")];
    let (_, html) = ana.reader.submit_form(&page, "id=\"keys-now\"", &fields).await;
    assert!(html.contains("id=\"shown-once\"") && html.contains("class=\"secret"), "{html}");
    let client = operator.get("/manage/clients/shop").await.assert_status(200).body;
    assert_eq!(client["metadata"]["serves"], "organizations");
    assert_eq!(client["metadata"]["token_endpoint_auth_method"], "client_secret_post");
    // An ID that is taken is refused, and the client keeps its settings.
    let list = ana.reader.open_page("/instance/applications").await;
    let duplicate_fields = [
        ("action", "register"),
        ("type", "spa"),
        ("metadata/serves", "any"),
        ("metadata/client_name", "Other"),
        ("metadata/redirect_uris", "https://other.example/callback"),
        ("id", "shop"),
    ];
    let (_, refused) = ana.reader.submit_form(&list, "id=\"register-now\"", &duplicate_fields).await;
    assert!(refused.contains("role=\"alert\""), "{refused}");
    let client = operator.get("/manage/clients/shop").await.assert_status(200).body;
    assert_eq!(client["metadata"]["client_name"], "Shop");
    // Members of other organizations find nothing.
    let acme = world.create_organization("acme").await;
    let mut bia = world.create_console_user(&acme, "bia@example.com", "owner").await;
    assert_eq!(bia.reader.open_url("/instance/applications/shop/settings").await.0, 404);
}
