//! Connections on the console: shown with what to register at the provider, tested, enabled, disabled and deleted.

use super::{console_path, list_event_kinds};
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::flow_client::PASSWORD;
use crate::harness::oidc_provider::{OidcProviderBehavior, TestOidcProvider};
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

pub(super) fn csrf_of(page: &str) -> String {
    page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

both_engines!(
    console_connection_is_displayed_tested_enabled_disabled_and_deleted_as_by_the_api,
    console_saml_connection_shows_certificates_and_is_disabled_without_an_owner,
    console_connection_enabling_needs_step_up_and_is_hidden_from_others,
    console_connection_marks_its_unverified_domains
);

async fn console_connection_marks_its_unverified_domains(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let created = world.create_oidc_provider().await.create_connection(&owner, "acme.example").await;
    owner.post(&acme.path("/domains"), json!({"domain": "late.example"})).await.assert_status(201);
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let id = created["id"].as_str().unwrap();
    let (one, path) =
        (console_path(&acme, &format!("/connections/{id}")), acme.path(&format!("/connections/{id}")));
    let switches = async |ana: &mut PageBrowser<'_>| {
        let page = ana.open_page(&one).await;
        let (_, off) = ana.submit_form(&page, "id=\"switch-off\"", &[("action", "disable")]).await;
        ana.submit_form(&off, "id=\"switch-on\"", &[("action", "enable")]).await.1
    };
    let on = switches(&mut ana.reader).await;
    assert!(on.contains("Connection enabled. Users of its domains now sign in at the provider."), "{on}");
    owner.patch(&path, 3, json!({"domains": ["acme.example", "late.example"]})).await.assert_status(200);
    let on = switches(&mut ana.reader).await;
    assert!(on.contains("it has a domain that is not verified, or none."), "{on}");
    // The page marks the unverified one and links to where it is verified.
    let facts = on.split("id=\"connection\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert!(
        facts.contains("<code>late.example</code> <span class=\"tag warn\">pending verification</span>")
            && !facts.contains("<code>acme.example</code> <span class=\"tag warn\">")
            && facts.contains("id=\"verify-domains\""),
        "{facts}"
    );
    owner.patch(&path, 6, json!({"domains": []})).await.assert_status(200);
    let on = switches(&mut ana.reader).await;
    assert!(on.contains("it has a domain that is not verified, or none."), "{on}");
}

async fn console_connection_is_displayed_tested_enabled_disabled_and_deleted_as_by_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let created = provider.create_connection(&owner, "acme.example").await;
    let id = created["id"].as_str().unwrap();
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (list_path, path) = (console_path(&acme, "/connections"), acme.path(&format!("/connections/{id}")));
    let one = format!("{list_path}/{id}");
    let list = ana.reader.open_page(&list_path).await;
    assert!(
        list.contains(&format!("href=\"{one}\""))
            && list.contains(&provider.issuer)
            && list.contains("active"),
        "{list}"
    );
    // The page shows the redirect URI that the API returns, and never the client secret.
    let page = ana.reader.open_page(&one).await;
    let callback = created["callback"].as_str().unwrap();
    assert!(
        page.contains(&format!("id=\"callback\">{callback}</code>"))
            && page.contains("acme.example")
            && page.contains("openid email profile"),
        "{page}"
    );
    assert!(!page.contains(crate::harness::oidc_provider::CLIENT_SECRET), "{page}");
    test_connection_before_and_after_the_provider_refuses(&mut ana.reader, &provider, &page).await;
    assert!(!ana.reader.open_page(&one).await.contains("invalid_client"), "the error is displayed once");
    let on = disable_and_enable_keep_concurrent_changes(&mut ana.reader, &owner, &path, &page).await;
    delete_and_send_the_old_forms_again(&mut ana.reader, &owner, &path, &on).await;
    let expected = [
        "connection.changed",
        "connection.changed",
        "connection.removed",
        "connection.tested",
        "connection.tested",
    ];
    assert_eq!(list_event_kinds(&owner, ana.membership).await, expected);
}

/// The test reports the first thing that is wrong, with the error of the provider.
async fn test_connection_before_and_after_the_provider_refuses(
    ana: &mut PageBrowser<'_>,
    provider: &TestOidcProvider,
    connection_page: &str,
) {
    let (_, after) = ana.submit_form(connection_page, "id=\"test\"", &[("action", "test")]).await;
    assert!(
        after.contains("The checks passed: the discovery document") && !after.contains("id=\"wrong\""),
        "{after}"
    );
    provider.set_behavior(OidcProviderBehavior {
        token_response: Some((401, r#"{"error":"invalid_client"}"#.into())),
        ..OidcProviderBehavior::default()
    });
    let (_, after) = ana.submit_form(connection_page, "id=\"test\"", &[("action", "test")]).await;
    assert!(
        after.contains("The provider did not accept the client authentication of this service")
            && after.contains("invalid_client"),
        "{after}"
    );
}

/// The forms set only whether the connection is enabled; changes made since the page was opened stay.
async fn disable_and_enable_keep_concurrent_changes(
    ana: &mut PageBrowser<'_>,
    owner: &ApiCaller<'_>,
    path: &str,
    connection_page: &str,
) -> String {
    owner
        .patch(path, 1, json!({"name": "Acme & Co", "two_factors": {"amr": ["mfa"]}}))
        .await
        .assert_status(200);
    let (_, off) = ana.submit_form(connection_page, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(
        off.contains("Connection disabled.")
            && off.contains("id=\"switch-on\"")
            && off
                .contains("Other settings of this connection were made with the management API and are kept"),
        "{off}"
    );
    let stands = owner.get(path).await.assert_status(200).body;
    assert_eq!(
        (&stands["enabled"], &stands["name"], &stands["two_factors"], &stands["has_secret"]),
        (&json!(false), &json!("Acme & Co"), &json!({"amr": ["mfa"]}), &json!(true))
    );
    assert_eq!(stands["domains"], json!(["acme.example"]));
    let (_, on) = ana.submit_form(&off, "id=\"switch-on\"", &[("action", "enable")]).await;
    assert!(
        on.contains("Connection enabled. Users of its domains now sign in at the provider.")
            && owner.get(path).await.assert_status(200).body["enabled"] == true,
        "{on}"
    );
    on
}

/// A form of the deleted connection leads to the list, which says that the connection no longer exists.
async fn delete_and_send_the_old_forms_again(
    ana: &mut PageBrowser<'_>,
    owner: &ApiCaller<'_>,
    path: &str,
    on: &str,
) {
    let (_, gone) = ana.submit_form(on, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(gone.contains("Connection deleted.") && gone.contains("No identity providers yet."), "{gone}");
    owner.get(path).await.assert_problem(404, "not_found");
    for (button, action) in [("remove-now", "remove"), ("switch-off", "disable"), ("test", "test")] {
        let (status, late) = ana.submit_form(on, &format!("id=\"{button}\""), &[("action", action)]).await;
        assert!(
            status == 200
                && late.contains("This no longer exists")
                && late.contains("<h1>Identity providers</h1>"),
            "{action}: {late}"
        );
    }
}

async fn console_saml_connection_shows_certificates_and_is_disabled_without_an_owner(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "plumber", "permissions": ["organization:read", "sso:manage"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let created = world.create_saml_provider().create_connection(&owner, "acme.example").await;
    let one = console_path(&acme, &format!("/connections/{}", created["id"].as_str().unwrap()));
    let mut pia = world.create_console_user(&acme, "pia@example.com", "plumber").await;
    let page = pia.reader.open_page(&one).await;
    for body in [
        &created["issuer"],
        &created["entity_id"],
        &created["callback"],
        &created["saml"]["sso_url"],
        &created["certificates"][0]["sha256"],
    ] {
        assert!(page.contains(&format!(">{}</code>", body.as_str().unwrap())), "{body}: {page}");
    }
    assert!(!page.contains("BEGIN CERTIFICATE") && page.contains("<code>mail</code>"), "{page}");
    let (_, after) = pia.reader.submit_form(&page, "id=\"test\"", &[("action", "test")]).await;
    assert!(after.contains("The checks passed: a signing certificate is valid."), "{after}");
    let (_, after) = pia.reader.submit_form(&page, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(after.contains("Connection disabled."), "{after}");
}

async fn console_connection_enabling_needs_step_up_and_is_hidden_from_others(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let created = world.create_oidc_provider().await.create_connection(&owner, "acme.example").await;
    let id = created["id"].as_str().unwrap();
    let (list_path, path) = (console_path(&acme, "/connections"), acme.path(&format!("/connections/{id}")));
    let one = format!("{list_path}/{id}");
    let connection = async || owner.get(&path).await.assert_status(200).body;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    world.clock.advance(Lifetime::from_hours(2));
    // Disabling needs no step-up; enabling does, and is done after it.
    let page = ana.reader.open_page(&one).await;
    let (_, off) = ana.reader.submit_form(&page, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(off.contains("Connection disabled."), "{off}");
    let (_, proving) = ana.reader.submit_form(&off, "id=\"switch-on\"", &[("action", "enable")]).await;
    assert!(proving.contains("name=\"password\"") && connection().await["enabled"] == false, "{proving}");
    let (_, on) =
        ana.reader.submit_first_form(&proving, &[("password", PASSWORD), ("action", "password")]).await;
    assert!(
        on.contains("Connection enabled. Users of its domains now sign in at the provider.")
            && connection().await["enabled"] == true,
        "{on}"
    );
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    assert!(!rita.reader.open_page(&console_path(&acme, "")).await.contains("/console/acme/connections"));
    assert_eq!((rita.reader.open_url(&list_path).await.0, rita.reader.open_url(&one).await.0), (403, 403));
    let csrf =
        csrf_of(&rita.reader.open_page(&console_path(&acme, &format!("/members/{}", rita.membership))).await);
    let mut bia = world.create_console_user(&other, "bia@example.com", "owner").await;
    let own_csrf = csrf_of(&bia.reader.open_page(&console_path(&other, "/keys")).await);
    let through = console_path(&other, &format!("/connections/{id}"));
    assert!(!bia.reader.open_page(&console_path(&other, "/connections")).await.contains(id));
    assert_eq!((bia.reader.open_url(&through).await.0, bia.reader.open_url(&one).await.0), (404, 404));
    let stands = connection().await;
    for action in ["test", "enable", "disable", "remove", "anything"] {
        rita.reader.forge_post(&one, &world.origin(), &[("csrf", csrf.as_str()), ("action", action)]).await;
        bia.reader
            .forge_post(&through, &world.origin(), &[("csrf", own_csrf.as_str()), ("action", action)])
            .await;
        assert_eq!(
            bia.reader
                .forge_post(&one, &world.origin(), &[("csrf", own_csrf.as_str()), ("action", action)])
                .await
                .0,
            404
        );
        assert_eq!(connection().await, stands, "{action}");
    }
    let tried = owner.get(&acme.path("/audit?kind=connection.tested")).await.assert_status(200).body;
    assert_eq!(tried["items"], json!([]), "no test was recorded");
    // A suspended organization shows its connections and accepts no change.
    let before = ana.reader.open_page(&one).await;
    let operator = world.create_operator().await;
    world.create_assignment(&operator, &acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    let html = ana.reader.open_page(&one).await;
    assert!(html.contains("id=\"callback\"") && !html.contains("<form"), "{html}");
    for (button, action) in [("test", "test"), ("switch-off", "disable"), ("remove-now", "remove")] {
        let (_, after) =
            ana.reader.submit_form(&before, &format!("id=\"{button}\""), &[("action", action)]).await;
        assert!(after.contains("The organization is suspended and cannot be changed"), "{action}: {after}");
    }
    let final_connection: Value = connection().await;
    assert_eq!(final_connection, stands);
}
