//! Connecting a provider on the console and changing what is set about it: behind a proof, with secrets that are typed and
//! never kept.

use super::connections::csrf_of;
use super::console_path;
use crate::both_engines;
use crate::harness::oidc_provider::{CLIENT_ID, CLIENT_SECRET};
use crate::harness::saml_provider::{ENTITY_ID, SSO_URL, saml_metadata};
use crate::harness::world::World;
use serde_json::json;

pub(super) const CONNECT: &str = "id=\"connect-open-id-now\"";
const CONNECT_SAML: &str = "id=\"connect-saml-now\"";
pub(super) const SAVE: &str = "id=\"save\"";
const OWNERS_ONLY: &str = "Only owners can connect an identity provider or change its trust settings.";

both_engines!(
    console_connection_is_created_and_changed_as_by_the_api,
    console_saml_connection_needs_an_owner_except_to_rename,
    console_connection_errors_are_shown_beside_their_field_without_the_secret,
);

async fn console_connection_is_created_and_changed_as_by_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let provider = world.create_oidc_provider().await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let here = console_path(&acme, "/connections");
    owner.post(&acme.path("/domains"), json!({"domain": "acme.example"})).await.assert_status(201);
    let form = ana.reader.open_page(&here).await;
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
    let (_, made) = ana.reader.submit_form(&form, CONNECT, &fields).await;
    assert!(
        made.contains("The provider is connected, and switched off.")
            && made.contains("id=\"callback\"")
            && !made.contains(CLIENT_SECRET),
        "{made}"
    );
    let all = owner.get(&acme.path("/connections")).await.assert_status(200).body;
    let (id, set) = (all["items"][0]["id"].as_str().unwrap(), &all["items"][0]);
    assert_eq!(
        (&set["name"], &set["enabled"], &set["has_secret"]),
        (&json!("Acme"), &json!(false), &json!(true))
    );
    assert_eq!((&set["scopes"], &set["domains"]), (&json!(["openid", "email"]), &json!(["acme.example"])));
    let (one, path) = (format!("{here}/{id}"), acme.path(&format!("/connections/{id}")));
    let connection = async || owner.get(&path).await.assert_status(200).body;
    // The secret that was typed is the one the provider takes.
    let (_, tried) = ana.reader.submit_form(&made, "id=\"test\"", &[("action", "test")]).await;
    assert!(tried.contains("Everything that is set works."), "{tried}");
    // The same form makes no second one.
    let (_, again) = ana.reader.submit_form(&form, CONNECT, &fields).await;
    assert!(again.contains("That form was sent before"), "{again}");
    assert_eq!(
        owner.get(&acme.path("/connections")).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    // Left empty, the secret stays; what the form does not speak of does too.
    owner.patch(&path, 1, json!({"two_factors": {"amr": ["mfa"]}, "enabled": true})).await.assert_status(200);
    let shown = ana.reader.open_page(&one).await;
    assert!(
        shown.contains("There is one, which is never shown.")
            && shown.contains("More is set about it over the management API"),
        "{shown}"
    );
    assert!(!shown.contains("name=\"issuer\""), "who it is stays: {shown}");
    let change = |name, authentication, scopes| {
        [
            ("action", "change"),
            ("name", name),
            ("client_id", CLIENT_ID),
            ("authentication", authentication),
            ("client_secret", ""),
            ("scopes", scopes),
            ("domains", ""),
        ]
    };
    let (_, after) =
        ana.reader.submit_form(&shown, SAVE, &change("Acme & Co", "client_secret", "openid")).await;
    assert!(after.contains("The connection is changed.") && after.contains("Acme &#38; Co"), "{after}");
    let set = connection().await;
    assert_eq!(
        (&set["name"], &set["has_secret"], &set["scopes"], &set["domains"]),
        (&json!("Acme & Co"), &json!(true), &json!(["openid"]), &json!([]))
    );
    assert_eq!((&set["two_factors"], &set["enabled"]), (&json!({"amr": ["mfa"]}), &json!(true)));
    let (_, tried) = ana.reader.submit_form(&after, "id=\"test\"", &[("action", "test")]).await;
    assert!(tried.contains("Everything that is set works."), "{tried}");
    // With a signature there is no secret any more, and the keys are among what to register.
    let (_, after) =
        ana.reader.submit_form(&after, SAVE, &change("Acme & Co", "private_key", "openid")).await;
    assert!(
        after.contains("The connection is changed.") && after.contains("/.well-known/jwks.json"),
        "{after}"
    );
    assert_eq!(
        (&connection().await["has_secret"], &connection().await["authentication"]),
        (&json!(false), &json!("private_key"))
    );
    let trail =
        owner.get(&acme.path(&format!("/audit?actor={}&limit=200", ana.membership))).await.assert_status(200);
    let kinds: Vec<&str> =
        trail.body["items"].as_array().unwrap().iter().map(|it| it["kind"].as_str().unwrap()).collect();
    let count = |kind| kinds.iter().filter(|it| **it == kind).count();
    assert_eq!(
        (count("connection.created"), count("connection.changed"), count("connection.tested")),
        (1, 2, 2),
        "{kinds:?}"
    );
    assert!(!trail.text.contains(CLIENT_SECRET));
}

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

async fn console_connection_errors_are_shown_beside_their_field_without_the_secret(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (right, long) = ("https://login.acme.example", "s".repeat(1025));
    let mut form = ana.reader.open_page(&console_path(&acme, "/connections")).await;
    for (name, issuer, client, secret, scopes, domains, said) in [
        ("", right, "sinete", "hush", "openid", "", "Give it a name of at most 200 characters"),
        (
            "Acme",
            "login.acme.example",
            "sinete",
            "hush",
            "openid",
            "",
            "Give the https address by which the provider names itself",
        ),
        (
            "Acme",
            "http://login.acme.example",
            "sinete",
            "hush",
            "openid",
            "",
            "Give the https address by which the provider names itself",
        ),
        ("Acme", right, "", "hush", "openid", "", "Give the name by which the provider knows this service"),
        ("Acme", right, "sinete", "", "openid", "", "Give the secret as the provider shows it"),
        ("Acme", right, "sinete", long.as_str(), "openid", "", "Give the secret as the provider shows it"),
        ("Acme", right, "sinete", "hush", "", "", "Give 1 to 20 scopes"),
        ("Acme", right, "sinete", "hush", "email", "", "Give 1 to 20 scopes"),
        (
            "Acme",
            right,
            "sinete",
            "hush",
            "openid",
            "nobody.example",
            "Give domains that the organization has",
        ),
        ("Acme", right, "sinete", "hush", "openid", "com", "Give domains that the organization has"),
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
        let (_, after) = ana.reader.submit_form(&form, CONNECT, &fields).await;
        assert!(after.contains(said) && after.contains("id=\"connect-open-id\" open"), "{said}: {after}");
        assert!(after.contains(&format!("name=\"issuer\" type=\"url\" autocomplete=\"off\" maxlength=\"512\" required autocapitalize=\"none\" spellcheck=\"false\" value=\"{issuer}\"")), "{after}");
        // What was typed as a secret is nowhere, and whoever typed one is told.
        assert!(!after.contains("hush") && !after.contains(&long), "{after}");
        assert!(secret != "hush" || after.contains("a secret is not kept. Type it again."), "{after}");
        form = after;
    }
    let typed = [
        ("action", "open_id"),
        ("name", "Acme"),
        ("issuer", right),
        ("client_id", "sinete"),
        ("authentication", "private_key"),
        ("client_secret", "hush"),
        ("scopes", "openid"),
    ];
    let (_, after) = ana.reader.submit_form(&form, CONNECT, &typed).await;
    assert!(after.contains("With a signature there is none."), "{after}");
    let described = saml_metadata();
    for (metadata, subject, email, said) in [
        ("", "NameID", "", "This is not what a SAML provider says about itself now"),
        ("<!DOCTYPE x><x/>", "NameID", "", "This is not what a SAML provider says about itself now"),
        (described.as_str(), "", "", "Give NameID, or the name of an attribute"),
        (described.as_str(), "NameID", long.as_str(), "Give the name of an attribute in at most 256"),
    ] {
        let fields = [
            ("action", "saml"),
            ("name", "Acme"),
            ("metadata", metadata),
            ("subject", subject),
            ("email", email),
            ("domains", ""),
        ];
        let (_, after) = ana.reader.submit_form(&form, CONNECT_SAML, &fields).await;
        assert!(
            after.contains(said)
                && after.contains("id=\"connect-saml\" open")
                && !after.contains("EntityDescriptor"),
            "{said}: {after}"
        );
        assert!(
            metadata.is_empty() || said.starts_with("This") || after.contains("Paste it again."),
            "{after}"
        );
    }
    assert_eq!(
        owner.get(&acme.path("/connections")).await.assert_status(200).body["items"],
        json!([]),
        "nothing was made of any of them"
    );
    // There are no more than ten of them, by page as by request.
    for number in 0..10 {
        let other = json!({"name": "A", "issuer": format!("https://a.example/{number}"), "client_id": "x", "authentication": "private_key"});
        owner.post(&acme.path("/connections"), other).await.assert_status(201);
    }
    let typed = [
        ("action", "open_id"),
        ("name", "Acme"),
        ("issuer", right),
        ("client_id", "sinete"),
        ("authentication", "private_key"),
        ("scopes", "openid"),
    ];
    let (_, after) = ana.reader.submit_form(&form, CONNECT, &typed).await;
    assert!(
        after.contains("at most 10 providers") && after.contains(&format!("value=\"{right}\"")),
        "{after}"
    );
}

/// What a cookie of ours holds, as far as it is text.
pub(super) fn read(value: &str) -> String {
    use base64::Engine as _;
    let bytes = base64::engine::general_purpose::URL_SAFE_NO_PAD.decode(value).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}
