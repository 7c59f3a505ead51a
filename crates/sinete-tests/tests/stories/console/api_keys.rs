//! API keys on the console: created, shown once, revoked.

use super::console_path;
use crate::both_engines;
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use serde_json::json;
use sinete_core::time::Lifetime;

/// The key that a page shows.
fn shown(page: &str) -> String {
    let secret = page.split("id=\"secret\">").nth(1).unwrap_or_else(|| panic!("no key: {page}"));
    secret.split('<').next().unwrap().to_owned()
}

both_engines!(
    console_api_key_is_displayed_once_works_and_is_revoked,
    console_api_key_form_sent_eight_times_creates_one,
    console_api_key_needs_name_scope_and_step_up_within_its_creators_permissions,
    console_api_keys_are_hidden_without_permission_and_from_other_organizations
);

async fn console_api_key_is_displayed_once_works_and_is_revoked(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let keys_path = console_path(&acme, "/keys");
    let form = ana.reader.open_page(&keys_path).await;
    let fields = [("action", "make"), ("name", "Ledger"), ("scope.members:read", "on"), ("days", "30")];
    let (status, created_page) = ana.reader.submit_form(&form, "id=\"make-key-now\"", &fields).await;
    let secret = shown(&created_page);
    assert!(
        status == 200 && secret.starts_with("sn_ak_") && created_page.contains("Copy it now"),
        "{created_page}"
    );
    // The key is on that page only: not in a cookie, and not on a later page.
    assert!(!ana.reader.cookies.values().any(|value| value.contains(&secret)));
    let list_page = ana.reader.open_page(&keys_path).await;
    assert!(
        !list_page.contains(&secret) && list_page.contains("Ledger") && list_page.contains("members:read"),
        "{list_page}"
    );
    // The key has the chosen scope and nothing else.
    let by_key = async |path: String| {
        world.http.get(world.public_url(&path)).bearer_auth(&secret).send().await.unwrap().status().as_u16()
    };
    assert_eq!(by_key(acme.path("/members")).await, 200);
    assert_eq!(by_key(acme.path("/audit")).await, 403);
    let keys = owner.get(&acme.path("/api-keys")).await.assert_status(200);
    let key =
        keys.body["items"].as_array().unwrap().iter().find(|it| it["name"] == "Ledger").unwrap().clone();
    assert_eq!(
        (&key["membership"], &key["scope"]),
        (&json!(ana.membership.to_string()), &json!("members:read"))
    );
    // The same form again creates no second key and does not show the first one again.
    let (_, repeated_page) = ana.reader.submit_form(&form, "id=\"make-key-now\"", &fields).await;
    assert!(
        repeated_page.contains("This key was already created and shown") && !repeated_page.contains("sn_ak_"),
        "{repeated_page}"
    );
    let keys = owner.get(&acme.path("/api-keys")).await.assert_status(200);
    assert_eq!(keys.body["items"].as_array().unwrap().iter().filter(|it| it["name"] == "Ledger").count(), 1);
    let id = key["id"].as_str().unwrap();
    world.clock.advance(Lifetime::from_hours(2));
    let (_, after) = ana.reader.submit_form(&list_page, "name=\"revoke\"", &[("revoke", id)]).await;
    assert!(after.contains("API key revoked.") && after.contains("Revoked on"), "{after}");
    assert_eq!(by_key(acme.path("/members")).await, 401);
    let audit_log = owner.get(&acme.path("/audit")).await.assert_status(200);
    let key_events =
        audit_log.body["items"].as_array().unwrap().iter().filter(|it| it["subject"]["id"] == *id);
    let key_events: Vec<_> = key_events.map(|it| (it["kind"].clone(), it["actor"]["id"].clone())).collect();
    let by = json!(ana.membership.to_string());
    assert_eq!(key_events, [(json!("api_key.issued"), by.clone()), (json!("api_key.revoked"), by)]);
}

async fn console_api_key_form_sent_eight_times_creates_one(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let form = ana.reader.open_page(&console_path(&acme, "/keys")).await;
    let of = |name: &str| {
        form.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let (csrf, once) = (of("csrf"), of("once"));
    let racers: Vec<_> = (0..8)
        .map(|_| {
            let mut racer = world.create_page_browser("en").with_session(&ana.session);
            let fields = [
                ("csrf", csrf.clone()),
                ("once", once.clone()),
                ("action", "make".into()),
                ("name", "Race".into()),
                ("scope.members:read", "on".into()),
            ];
            let (path, origin) = (console_path(&acme, "/keys"), world.origin());
            async move {
                let fields: Vec<(&str, &str)> =
                    fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
                racer.forge_post(&path, &origin, &fields).await.1
            }
        })
        .collect();
    let pages = join_all(racers).await;
    assert_eq!(pages.iter().filter(|page| page.contains("id=\"secret\"")).count(), 1, "{pages:?}");
    let keys = owner.get(&acme.path("/api-keys")).await.assert_status(200);
    assert_eq!(keys.body["items"].as_array().unwrap().iter().filter(|it| it["name"] == "Race").count(), 1);
}

async fn console_api_key_needs_name_scope_and_step_up_within_its_creators_permissions(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ada = world.create_console_user(&acme, "ada@example.com", "admin").await;
    let keys_path = console_path(&acme, "/keys");
    let form = ada.reader.open_page(&keys_path).await;
    assert!(
        !form.contains("scope.organization:delete"),
        "permissions that she lacks are not offered: {form}"
    );
    let count = async || {
        owner.get(&acme.path("/api-keys")).await.assert_status(200).body["items"].as_array().unwrap().len()
    };
    let before = count().await;
    let (_, after) = ada
        .reader
        .submit_form(&form, "id=\"make-key-now\"", &[("action", "make"), ("scope.audit:read", "on")])
        .await;
    assert!(
        after.contains("Enter a name of at most 200 visible characters")
            && after.contains("name=\"scope.audit:read\" value=\"on\" checked"),
        "{after}"
    );
    let (_, after) = ada
        .reader
        .submit_form(&after, "id=\"make-key-now\"", &[("action", "make"), ("name", "Ledger")])
        .await;
    assert!(after.contains("Select at least one scope") && after.contains("value=\"Ledger\""), "{after}");
    let fields = [("action", "make"), ("name", "Ledger"), ("scope.organization:delete", "on")];
    let (_, after) = ada.reader.submit_form(&after, "id=\"make-key-now\"", &fields).await;
    assert!(after.contains("You can grant only permissions that you hold yourself"), "{after}");
    let mut after = after;
    for days in ["0", "400", "long"] {
        let fields = [("action", "make"), ("name", "Ledger"), ("scope.audit:read", "on"), ("days", days)];
        (_, after) = ada.reader.submit_form(&after, "id=\"make-key-now\"", &fields).await;
        assert!(
            after.contains("An API key can be valid for 1 to 365 days") && after.contains("value=\"Ledger\""),
            "{days}: {after}"
        );
    }
    let many: Vec<_> = (0..70).map(|number| format!("scope.part{number}:read")).collect();
    let checked_fields = many.iter().map(|name| (name.as_str(), "on"));
    let fields: Vec<_> = [("action", "make"), ("name", "Ledger")].into_iter().chain(checked_fields).collect();
    let (_, after) = ada.reader.submit_form(&after, "id=\"make-key-now\"", &fields).await;
    assert!(after.contains("This is too much for one form"), "{after}");
    assert_eq!(count().await, before, "no API key was created");
    world.clock.advance(Lifetime::from_hours(2));
    let fields = [("action", "make"), ("name", "Ledger"), ("scope.audit:read", "on")];
    let (_, proving) = ada.reader.submit_form(&after, "id=\"make-key-now\"", &fields).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    assert_eq!(count().await, before, "no API key is created before the step-up");
    let password = crate::harness::flow_client::PASSWORD;
    let (_, created_page) =
        ada.reader.submit_first_form(&proving, &[("password", password), ("action", "password")]).await;
    assert!(shown(&created_page).starts_with("sn_ak_"), "{created_page}");
    assert_eq!(count().await, before + 1);
}

async fn console_api_keys_are_hidden_without_permission_and_from_other_organizations(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let front = rita.reader.open_page(&console_path(&acme, "/members")).await;
    assert!(!front.contains("/console/acme/keys"), "{front}");
    assert_eq!(rita.reader.open_url(&console_path(&acme, "/keys")).await.0, 403);
    let keys = owner.get(&acme.path("/api-keys")).await.assert_status(200);
    let id = keys.body["items"][0]["id"].as_str().unwrap().to_owned();
    // The owner of another organization names a key of this one.
    let mut bia = world.create_console_user(&other, "bia@example.com", "owner").await;
    let form = bia.reader.open_page(&console_path(&other, "/keys")).await;
    let (_, after) = bia.reader.submit_form(&form, "id=\"make-key-now\"", &[("revoke", &id)]).await;
    assert!(after.contains("This no longer exists"), "{after}");
    assert_eq!(bia.reader.open_url(&console_path(&acme, "/keys")).await.0, 404);
    owner.get(&acme.path("/members")).await.assert_status(200);
}
