//! Connecting a SAML provider on the console and changing what is set about it, which only owners do.

use super::connection_forms::{CONNECT, CONNECT_SAML, SAVE};
use super::connections::csrf_of;
use super::console_path;
use crate::both_engines;
use crate::harness::saml_provider::{ENTITY_ID, SSO_URL, saml_metadata};
use crate::harness::world::World;
use serde_json::json;

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
    let here = console_path(&acme, "/connections");
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
    // Neither kind is offered to whoever is no owner.
    let list = pia.reader.open_page(&here).await;
    assert!(!list.contains(CONNECT) && !list.contains(CONNECT_SAML), "{list}");
    let form = ana.reader.open_page(&here).await;
    let (_, made) = ana.reader.submit_form(&form, CONNECT_SAML, &fields).await;
    assert!(
        made.contains("The provider is connected, and switched off.")
            && made.contains(ENTITY_ID)
            && made.contains(SSO_URL),
        "{made}"
    );
    assert!(made.contains("id=\"entity-id\"") && !made.contains("EntityDescriptor"), "{made}");
    let all = owner.get(&acme.path("/connections")).await.assert_status(200).body;
    let id = all["items"][0]["id"].as_str().unwrap();
    let (one, path) = (format!("{here}/{id}"), acme.path(&format!("/connections/{id}")));
    let connection = async || owner.get(&path).await.assert_status(200).body;
    assert_eq!(
        (&all["items"][0]["kind"], &all["items"][0]["saml"]["email"]),
        (&json!("saml"), &json!("mail"))
    );
    // An organization is connected to it once.
    let form = ana.reader.open_page(&here).await;
    let (_, twice) = ana.reader.submit_form(&form, CONNECT_SAML, &fields).await;
    assert!(
        twice.contains("connected to this provider already") && twice.contains("id=\"connect-saml\" open"),
        "{twice}"
    );
    // What owners say about it has no fields for others, and is refused when sent.
    let seen = pia.reader.open_page(&one).await;
    let csrf = csrf_of(&seen);
    let open_id = [
        ("action", "open_id"),
        ("name", "Mine"),
        ("issuer", "https://mine.example"),
        ("client_id", "x"),
        ("authentication", "private_key"),
        ("scopes", "openid"),
        ("domains", ""),
    ];
    for fields in [&fields, &open_id] {
        let sent: Vec<_> = [("csrf", csrf.as_str()), ("once", "abcdefghijklmnopqrstuv")]
            .into_iter()
            .chain(fields.iter().copied())
            .collect();
        let (_, refused) = pia.reader.forge_post(&here, &world.origin(), &sent).await;
        assert!(refused.contains(OWNERS_ONLY), "{refused}");
    }
    assert_eq!(
        owner.get(&acme.path("/connections")).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert!(
        seen.contains(OWNERS_ONLY)
            && !seen.contains("name=\"metadata\"")
            && !seen.contains("name=\"subject\""),
        "{seen}"
    );
    let (_, refused) = pia
        .reader
        .submit_form(
            &seen,
            SAVE,
            &[("action", "change"), ("name", "Mine"), ("subject", "uid"), ("domains", "")],
        )
        .await;
    assert!(refused.contains(OWNERS_ONLY), "{refused}");
    assert_eq!((&connection().await["name"], &connection().await["version"]), (&json!("Acme"), &json!(1)));
    let (_, after) =
        pia.reader.submit_form(&seen, SAVE, &[("action", "change"), ("name", "Ours"), ("domains", "")]).await;
    assert!(after.contains("The connection is changed.") && connection().await["name"] == "Ours", "{after}");
    // Left empty, what it says about itself stays; emptied, an attribute is none.
    let shown = ana.reader.open_page(&one).await;
    let (_, after) = ana
        .reader
        .submit_form(
            &shown,
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
    assert!(after.contains("The connection is changed."), "{after}");
    let set = connection().await;
    assert_eq!(
        (&set["saml"]["subject"], set["saml"].get("email"), &set["saml"]["full_name"]),
        (&json!("uid"), None, &json!("cn"))
    );
    assert_eq!(
        (&set["certificates"], &set["saml"]["sso_url"]),
        (&all["items"][0]["certificates"], &json!(SSO_URL))
    );
    // What describes another provider changes nothing.
    let other = described.replace(ENTITY_ID, "https://other.example/idp");
    let (_, after) = ana
        .reader
        .submit_form(
            &after,
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
    assert_eq!(connection().await, set);
}
