//! Connecting an OpenID Provider on the console and changing the connection: after a step-up, and without keeping a typed
//! secret.

use super::console_path;
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::oidc_provider::{CLIENT_ID, CLIENT_SECRET};
use crate::harness::page_browser::PageBrowser;
use crate::harness::saml_provider::saml_metadata;
use crate::harness::world::World;
use serde_json::json;

pub(super) const CONNECT: &str = "id=\"connect-open-id-now\"";
pub(super) const CONNECT_SAML: &str = "id=\"connect-saml-now\"";
pub(super) const SAVE: &str = "id=\"save\"";

both_engines!(
    console_connection_is_created_and_changed_as_by_the_api,
    console_connection_errors_are_displayed_beside_their_field_without_the_secret
);

async fn console_connection_is_created_and_changed_as_by_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let list_path = console_path(&acme, "/connections");
    owner.post(&acme.path("/domains"), json!({"domain": "acme.example"})).await.assert_status(201);
    let form = ana.reader.open_page(&list_path).await;
    let fields = [
        ("action", "open_id"),
        ("name", " Acme "),
        ("issuer", provider.issuer.as_str()),
        ("client_id", CLIENT_ID),
        ("authentication", "client_secret"),
        ("client_secret", CLIENT_SECRET),
        ("scopes", "openid  email"),
        ("domains", "acme.example\r\n"),
    ];
    let (_, created_page) = ana.reader.submit_form(&form, CONNECT, &fields).await;
    assert!(
        created_page.contains("Identity provider connected,")
            && created_page.contains("id=\"callback\"")
            && !created_page.contains(CLIENT_SECRET),
        "{created_page}"
    );
    let all = owner.get(&acme.path("/connections")).await.assert_status(200).body;
    let (id, set) = (all["items"][0]["id"].as_str().unwrap(), &all["items"][0]);
    assert_eq!(
        (&set["name"], &set["enabled"], &set["has_secret"]),
        (&json!("Acme"), &json!(false), &json!(true))
    );
    assert_eq!((&set["scopes"], &set["domains"]), (&json!(["openid", "email"]), &json!(["acme.example"])));
    let (one, path) = (format!("{list_path}/{id}"), acme.path(&format!("/connections/{id}")));
    // The provider accepts the secret that was typed.
    let (_, tried) = ana.reader.submit_form(&created_page, "id=\"test\"", &[("action", "test")]).await;
    assert!(tried.contains("The checks passed: the discovery document"), "{tried}");
    // The same form creates no second connection.
    let (_, repeated_page) = ana.reader.submit_form(&form, CONNECT, &fields).await;
    assert!(repeated_page.contains("This form was already submitted"), "{repeated_page}");
    assert_eq!(
        owner.get(&acme.path("/connections")).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let after = change_and_keep_the_secret(&mut ana.reader, &owner, &one, &path).await;
    change_to_private_key_jwt(&mut ana.reader, &owner, &after, &path).await;
    let audit_log =
        owner.get(&acme.path(&format!("/audit?actor={}&limit=200", ana.membership))).await.assert_status(200);
    let kinds: Vec<&str> =
        audit_log.body["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    let count = |kind| kinds.iter().filter(|it| **it == kind).count();
    assert_eq!(
        (count("connection.created"), count("connection.changed"), count("connection.tested")),
        (1, 2, 2),
        "{kinds:?}"
    );
    assert!(!audit_log.text.contains(CLIENT_SECRET));
}

/// The fields of the form that changes a connection.
fn change_fields(authentication: &str) -> [(&str, &str); 7] {
    [
        ("action", "change"),
        ("name", "Acme & Co"),
        ("client_id", CLIENT_ID),
        ("authentication", authentication),
        ("client_secret", ""),
        ("scopes", "openid"),
        ("domains", ""),
    ]
}

/// An empty secret field keeps the secret, and settings without a field stay as they are.
async fn change_and_keep_the_secret(
    ana: &mut PageBrowser<'_>,
    owner: &ApiCaller<'_>,
    one: &str,
    path: &str,
) -> String {
    owner.patch(path, 1, json!({"two_factors": {"amr": ["mfa"]}, "enabled": true})).await.assert_status(200);
    let page = ana.open_page(one).await;
    assert!(
        page.contains("A secret is set and never shown.")
            && page
                .contains("Other settings of this connection were made with the management API and are kept"),
        "{page}"
    );
    assert!(!page.contains("name=\"issuer\""), "the issuer cannot be changed: {page}");
    let (_, after) = ana.submit_form(&page, SAVE, &change_fields("client_secret")).await;
    assert!(after.contains("Connection saved.") && after.contains("Acme &#38; Co"), "{after}");
    let set = owner.get(path).await.assert_status(200).body;
    assert_eq!(
        (&set["name"], &set["has_secret"], &set["scopes"], &set["domains"]),
        (&json!("Acme & Co"), &json!(true), &json!(["openid"]), &json!([]))
    );
    assert_eq!((&set["two_factors"], &set["enabled"]), (&json!({"amr": ["mfa"]}), &json!(true)));
    let (_, tried) = ana.submit_form(&after, "id=\"test\"", &[("action", "test")]).await;
    assert!(tried.contains("The checks passed: the discovery document"), "{tried}");
    after
}

/// The secret is deleted, and the page shows the JWKS URL to register at the provider.
async fn change_to_private_key_jwt(ana: &mut PageBrowser<'_>, owner: &ApiCaller<'_>, page: &str, path: &str) {
    let (_, after) = ana.submit_form(page, SAVE, &change_fields("private_key")).await;
    assert!(after.contains("Connection saved.") && after.contains("/.well-known/jwks.json"), "{after}");
    let set = owner.get(path).await.assert_status(200).body;
    assert_eq!((&set["has_secret"], &set["authentication"]), (&json!(false), &json!("private_key")));
}

async fn console_connection_errors_are_displayed_beside_their_field_without_the_secret(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let valid_issuer = "https://login.acme.example";
    let form = ana.reader.open_page(&console_path(&acme, "/connections")).await;
    let form = submit_invalid_oidc_connections(&mut ana.reader, form, valid_issuer).await;
    let fields = [
        ("action", "open_id"),
        ("name", "Acme"),
        ("issuer", valid_issuer),
        ("client_id", "sinete"),
        ("authentication", "private_key"),
        ("client_secret", "hush"),
        ("scopes", "openid"),
    ];
    let (_, after) = ana.reader.submit_form(&form, CONNECT, &fields).await;
    assert!(after.contains("Enter the client secret, at most 1024 characters."), "{after}");
    submit_invalid_saml_connections(&mut ana.reader, &form).await;
    assert_eq!(
        owner.get(&acme.path("/connections")).await.assert_status(200).body["items"],
        json!([]),
        "no connection was created"
    );
    // An organization has at most ten connections, on the console as in the API.
    for number in 0..10 {
        let other = json!({"name": "A", "issuer": format!("https://a.example/{number}"), "client_id": "x", "authentication": "private_key"});
        owner.post(&acme.path("/connections"), other).await.assert_status(201);
    }
    let fields = [
        ("action", "open_id"),
        ("name", "Acme"),
        ("issuer", valid_issuer),
        ("client_id", "sinete"),
        ("authentication", "private_key"),
        ("scopes", "openid"),
    ];
    let (_, after) = ana.reader.submit_form(&form, CONNECT, &fields).await;
    assert!(
        after.contains("An organization can have at most 10 identity providers")
            && after.contains(&format!("value=\"{valid_issuer}\"")),
        "{after}"
    );
}

/// Each form is shown again with its error and without the secret; the last of these pages is returned.
async fn submit_invalid_oidc_connections(
    ana: &mut PageBrowser<'_>,
    mut form: String,
    valid_issuer: &str,
) -> String {
    let long = "s".repeat(1025);
    for (name, issuer, client, secret, scopes, domains, expected_error) in [
        ("", valid_issuer, "sinete", "hush", "openid", "", "Enter a name of at most 200 visible characters"),
        (
            "Acme",
            "login.acme.example",
            "sinete",
            "hush",
            "openid",
            "",
            "Enter the issuer as an https URL without ?",
        ),
        (
            "Acme",
            "http://login.acme.example",
            "sinete",
            "hush",
            "openid",
            "",
            "Enter the issuer as an https URL without ?",
        ),
        ("Acme", valid_issuer, "", "hush", "openid", "", "Enter the client ID"),
        ("Acme", valid_issuer, "sinete", "", "openid", "", "Enter the client secret"),
        ("Acme", valid_issuer, "sinete", long.as_str(), "openid", "", "Enter the client secret"),
        ("Acme", valid_issuer, "sinete", "hush", "", "", "Enter 1 to 20 scopes"),
        ("Acme", valid_issuer, "sinete", "hush", "email", "", "Enter 1 to 20 scopes"),
        (
            "Acme",
            valid_issuer,
            "sinete",
            "hush",
            "openid",
            "nobody.example",
            "Enter domains of the organization",
        ),
        ("Acme", valid_issuer, "sinete", "hush", "openid", "com", "Enter domains of the organization"),
    ] {
        let fields = [
            ("action", "open_id"),
            ("name", name),
            ("issuer", issuer),
            ("client_id", client),
            ("authentication", "client_secret"),
            ("client_secret", secret),
            ("scopes", scopes),
            ("domains", domains),
        ];
        let (_, after) = ana.submit_form(&form, CONNECT, &fields).await;
        assert!(
            after.contains(expected_error) && after.contains("id=\"connect-open-id\" open"),
            "{expected_error}: {after}"
        );
        assert!(after.contains(&format!("name=\"issuer\" type=\"url\" autocomplete=\"off\" maxlength=\"512\" required autocapitalize=\"none\" spellcheck=\"false\" value=\"{issuer}\"")), "{after}");
        // The typed secret is not in the page, which says so.
        assert!(!after.contains("hush") && !after.contains(&long), "{after}");
        assert!(
            secret != "hush" || after.contains("For security, the secret you entered was not kept."),
            "{after}"
        );
        form = after;
    }
    form
}

async fn submit_invalid_saml_connections(ana: &mut PageBrowser<'_>, form: &str) {
    let long = "s".repeat(1025);
    let described = saml_metadata();
    for (metadata, subject, email, expected_error) in [
        ("", "NameID", "", "This is not valid SAML metadata of an identity provider"),
        ("<!DOCTYPE x><x/>", "NameID", "", "This is not valid SAML metadata of an identity provider"),
        (described.as_str(), "", "", "Enter NameID"),
        (
            described.as_str(),
            "NameID",
            long.as_str(),
            "Enter an attribute name of at most 256 visible characters",
        ),
    ] {
        let fields = [
            ("action", "saml"),
            ("name", "Acme"),
            ("metadata", metadata),
            ("subject", subject),
            ("email", email),
            ("domains", ""),
        ];
        let (_, after) = ana.submit_form(form, CONNECT_SAML, &fields).await;
        assert!(
            after.contains(expected_error)
                && after.contains("id=\"connect-saml\" open")
                && !after.contains("EntityDescriptor"),
            "{expected_error}: {after}"
        );
        assert!(
            metadata.is_empty() || expected_error.starts_with("This") || after.contains("Paste it again."),
            "{after}"
        );
    }
}

/// The content of a cookie, if it is text.
pub(super) fn read(value: &str) -> String {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(value).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
