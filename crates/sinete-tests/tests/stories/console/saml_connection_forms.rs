//! Connecting a SAML provider on the console and changing the connection, which needs an owner.

use super::connection_forms::{CONNECT, CONNECT_SAML, SAVE};
use super::connections::csrf_of;
use super::console_path;
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::page_browser::PageBrowser;
use crate::harness::saml_provider::{ENTITY_ID, SSO_URL, saml_metadata};
use crate::harness::world::World;
use serde_json::{Value, json};

const OWNERS_ONLY: &str = "Only owners can connect an identity provider or change its trust settings.";

both_engines!(console_saml_connection_needs_an_owner_except_to_rename);

async fn console_saml_connection_needs_an_owner_except_to_rename(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner
        .post(
            &acme.path("/roles"),
            json!({"name": "plumber", "permissions": ["organization:read", "sso:manage"]}),
        )
        .await
        .assert_status(201);
    let (mut ana, mut pia) = (
        world.create_console_user(&acme, "ana@example.com", "owner").await,
        world.create_console_user(&acme, "pia@example.com", "plumber").await,
    );
    let list_path = console_path(&acme, "/connections");
    let described = saml_metadata();
    let fields = [
        ("action", "saml"),
        ("name", "Acme"),
        ("metadata", described.as_str()),
        ("subject", "NameID"),
        ("email", "mail"),
        ("full_name", ""),
        ("domains", ""),
    ];
    // Only an owner is offered either form.
    let list = pia.reader.open_page(&list_path).await;
    assert!(!list.contains(CONNECT) && !list.contains(CONNECT_SAML), "{list}");
    let form = ana.reader.open_page(&list_path).await;
    let (_, created_page) = ana.reader.submit_form(&form, CONNECT_SAML, &fields).await;
    assert!(
        created_page.contains("Identity provider connected,")
            && created_page.contains(ENTITY_ID)
            && created_page.contains(SSO_URL),
        "{created_page}"
    );
    assert!(
        created_page.contains("id=\"entity-id\"") && !created_page.contains("EntityDescriptor"),
        "{created_page}"
    );
    let all = owner.get(&acme.path("/connections")).await.assert_status(200).body;
    let id = all["items"][0]["id"].as_str().unwrap();
    let (one, path) = (format!("{list_path}/{id}"), acme.path(&format!("/connections/{id}")));
    assert_eq!(
        (&all["items"][0]["kind"], &all["items"][0]["saml"]["email"]),
        (&json!("saml"), &json!("mail"))
    );
    // An organization has one connection to a provider.
    let form = ana.reader.open_page(&list_path).await;
    let (_, twice) = ana.reader.submit_form(&form, CONNECT_SAML, &fields).await;
    assert!(
        twice.contains(
            "The organization already has a connection to this provider, or its issuer cannot be used"
        ) && twice.contains("id=\"connect-saml\" open"),
        "{twice}"
    );
    let page = pia.reader.open_page(&one).await;
    new_connection_of_a_non_owner_is_refused(&mut pia.reader, &list_path, &csrf_of(&page), &fields).await;
    let unchanged = owner.get(&acme.path("/connections")).await.assert_status(200).body;
    assert_eq!(unchanged["items"].as_array().unwrap().len(), 1);
    non_owner_changes_the_name_only(&mut pia.reader, &owner, &path, &page).await;
    let html = ana.reader.open_page(&one).await;
    let (after, set) = owner_changes_attributes(&mut ana.reader, &owner, &path, &html).await;
    assert_eq!(
        (&set["certificates"], &set["saml"]["sso_url"]),
        (&all["items"][0]["certificates"], &json!(SSO_URL))
    );
    metadata_of_another_provider_is_refused(&mut ana.reader, &described, &after).await;
    assert_eq!(owner.get(&path).await.assert_status(200).body, set);
}

async fn new_connection_of_a_non_owner_is_refused(
    pia: &mut PageBrowser<'_>,
    list_path: &str,
    csrf: &str,
    saml: &[(&str, &str); 7],
) {
    let open_id = [
        ("action", "open_id"),
        ("name", "Mine"),
        ("issuer", "https://mine.example"),
        ("client_id", "x"),
        ("authentication", "private_key"),
        ("scopes", "openid"),
        ("domains", ""),
    ];
    for fields in [saml, &open_id] {
        let forged_fields: Vec<_> = [("csrf", csrf), ("once", "abcdefghijklmnopqrstuv")]
            .into_iter()
            .chain(fields.iter().copied())
            .collect();
        let (_, refused) = pia.forge_post(list_path, &pia.world.origin(), &forged_fields).await;
        assert!(refused.contains(OWNERS_ONLY), "{refused}");
    }
}

/// The page has no fields for the trust settings, and a form with them is refused.
async fn non_owner_changes_the_name_only(
    pia: &mut PageBrowser<'_>,
    owner: &ApiCaller<'_>,
    path: &str,
    connection_page: &str,
) {
    assert!(
        connection_page.contains(OWNERS_ONLY)
            && !connection_page.contains("name=\"metadata\"")
            && !connection_page.contains("name=\"subject\""),
        "{connection_page}"
    );
    let (_, refused) = pia
        .submit_form(
            connection_page,
            SAVE,
            &[("action", "change"), ("name", "Mine"), ("subject", "uid"), ("domains", "")],
        )
        .await;
    assert!(refused.contains(OWNERS_ONLY), "{refused}");
    let set = owner.get(path).await.assert_status(200).body;
    assert_eq!((&set["name"], &set["version"]), (&json!("Acme"), &json!(1)));
    let (_, after) = pia
        .submit_form(connection_page, SAVE, &[("action", "change"), ("name", "Ours"), ("domains", "")])
        .await;
    let set = owner.get(path).await.assert_status(200).body;
    assert!(after.contains("Connection saved.") && set["name"] == "Ours", "{after}");
}

/// An empty metadata field keeps the metadata; an empty attribute field removes the attribute.
async fn owner_changes_attributes(
    ana: &mut PageBrowser<'_>,
    owner: &ApiCaller<'_>,
    path: &str,
    connection_page: &str,
) -> (String, Value) {
    let (_, after) = ana
        .submit_form(
            connection_page,
            SAVE,
            &[
                ("action", "change"),
                ("name", "Ours"),
                ("metadata", ""),
                ("subject", "uid"),
                ("email", ""),
                ("full_name", "cn"),
                ("domains", ""),
            ],
        )
        .await;
    assert!(after.contains("Connection saved."), "{after}");
    let set = owner.get(path).await.assert_status(200).body;
    assert_eq!(
        (&set["saml"]["subject"], set["saml"].get("email"), &set["saml"]["full_name"]),
        (&json!("uid"), None, &json!("cn"))
    );
    (after, set)
}

async fn metadata_of_another_provider_is_refused(ana: &mut PageBrowser<'_>, described: &str, page: &str) {
    let other = described.replace(ENTITY_ID, "https://other.example/idp");
    let (_, after) = ana
        .submit_form(
            page,
            SAVE,
            &[
                ("action", "change"),
                ("name", "Ours"),
                ("metadata", other.as_str()),
                ("subject", "uid"),
                ("full_name", "cn"),
                ("domains", ""),
            ],
        )
        .await;
    assert!(
        after.contains("describes another provider")
            && after.contains("id=\"settings\" open")
            && !after.contains("EntityDescriptor"),
        "{after}"
    );
}
