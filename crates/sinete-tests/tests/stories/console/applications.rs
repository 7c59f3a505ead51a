//! Applications on the console: registered, changed, given secrets that are shown once, disabled and deleted.

use super::{console_path, list_event_kinds, role_field};
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::organizations::TestOrganization;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use serde_json::{Value, json};

/// The text of the element with this id.
pub(super) fn within<'p>(page: &'p str, id: &str) -> &'p str {
    let after = page.split(&format!("id=\"{id}\">")).nth(1).unwrap_or_else(|| panic!("no {id}: {page}"));
    after.split('<').next().unwrap()
}

pub(super) const WEB: [(&str, &str); 8] = [
    ("action", "register"),
    ("kind", "application"),
    ("name", "Ledger"),
    ("redirects", "https://ledger.example/cb\r\nhttp://localhost:8080/cb"),
    ("proof", "client_secret_basic"),
    ("grant.code", "on"),
    ("grant.refresh", "on"),
    ("scope", "openid email"),
];

/// The form with other values.
pub(super) fn with<'a>(changes: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let unchanged_fields =
        WEB.iter().copied().filter(|(name, _)| !changes.iter().any(|(other, _)| other == name));
    unchanged_fields.chain(changes.iter().copied().filter(|(_, value)| !value.is_empty())).collect()
}

both_engines!(
    console_application_lifecycle_equals_the_api,
    console_application_errors_are_displayed_beside_their_field_and_input_is_preserved,
    console_service_gets_its_roles_and_an_agent_its_creator_as_owner,
    console_application_form_sent_eight_times_creates_one,
);

async fn console_application_lifecycle_equals_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let applications_path = console_path(&acme, "/applications");
    let form = ana.reader.open_page(&applications_path).await;
    let (status, created_page) = ana.reader.submit_form(&form, "id=\"register-now\"", &WEB).await;
    let (id, secret) =
        (within(&created_page, "client-id").to_owned(), within(&created_page, "secret").to_owned());
    assert!(status == 200 && created_page.contains("Copy it now"), "{created_page}");
    let discovery = format!("{}/.well-known/openid-configuration", world.origin());
    assert_eq!(within(&created_page, "discovery"), discovery);
    // The code of the quickstarts is there, with the id of this application.
    assert!(
        created_page.contains("id=\"code-express\"")
            && created_page.contains(&format!("&#34;{id}&#34;, CLIENT_SECRET")),
        "{created_page}"
    );
    assert!(
        !created_page.contains("quickstart-express") && !created_page.contains("id=\"code-react\""),
        "{created_page}"
    );
    // It has the registered redirect URI on this machine. A path that a framework determines has to be registered.
    let sample = |slug: &str| {
        let after = created_page.split(&format!("id=\"code-{slug}\"")).nth(1).unwrap();
        after.split("</details>").next().unwrap().to_owned()
    };
    let express = sample("express");
    assert!(express.contains("app.get(&#34;/cb&#34;") && !express.contains("3000"), "{express}");
    assert!(!express.contains("add it to the redirect URIs"), "{express}");
    let spring = sample("spring");
    assert!(spring.contains("http://localhost:8080/login/oauth2/code/sinete"), "{spring}");
    assert!(spring.contains("Not registered: add it to the redirect URIs"), "{spring}");
    let app =
        ConsoleApplication { owner: &owner, acme: &acme, page: format!("{applications_path}/{id}"), id };
    let client = app.load().await;
    assert_eq!(
        client["metadata"]["redirect_uris"],
        json!(["https://ledger.example/cb", "http://localhost:8080/cb"])
    );
    assert_eq!(
        (&client["kind"], &client["metadata"]["scope"]),
        (&json!("application"), &json!("openid email"))
    );
    // The secret is on that page only, and the client authenticates with it.
    assert!(!ana.reader.cookies.values().any(|value| value.contains(&secret)));
    let one = ana.reader.open_page(&app.page).await;
    assert!(!one.contains(&secret) && one.contains("https://ledger.example/cb"), "{one}");
    assert!(app.accepts_secret(&secret).await && !app.accepts_secret("wrong").await);
    // The same form again registers no second application and does not show the secret again.
    let (_, repeated_page) = ana.reader.submit_form(&form, "id=\"register-now\"", &WEB).await;
    assert!(
        repeated_page.contains("This form was already submitted") && !repeated_page.contains(&secret),
        "{repeated_page}"
    );
    assert_eq!(
        owner.get(&acme.path("/clients")).await.assert_status(200).body["items"].as_array().unwrap().len(),
        1
    );
    let changed = change_application_and_keep_other_members(&app, &mut ana.reader).await;
    let (after, second) = rotate_secret(&app, &mut ana.reader, &changed, &secret).await;
    disable_enable_and_delete(&app, &mut ana.reader, &after, &second).await;
    let expected = [
        "client.changed",
        "client.created",
        "client.disabled",
        "client.enabled",
        "client.removed",
        "client_secret.added",
        "client_secret.revoked",
    ];
    assert_eq!(list_event_kinds(&owner, ana.membership).await, expected);
}

/// An application that was registered on the console.
struct ConsoleApplication<'w> {
    owner: &'w ApiCaller<'w>,
    acme: &'w TestOrganization,
    page: String,
    id: String,
}

impl ConsoleApplication<'_> {
    fn path(&self, below: &str) -> String {
        self.acme.path(&format!("/clients/{}{below}", self.id))
    }

    async fn load(&self) -> Value {
        self.owner.get(&self.path("")).await.assert_status(200).body
    }

    async fn accepts_secret(&self, secret: &str) -> bool {
        let world = self.owner.world;
        let request = world
            .http
            .post(world.public_url("/connect/introspect"))
            .basic_auth(&self.id, Some(secret))
            .form(&[("token", "x")]);
        request.send().await.unwrap().status().as_u16() == 200
    }
}

/// Metadata that has no field in the form stays as it is.
async fn change_application_and_keep_other_members(
    app: &ConsoleApplication<'_>,
    reader: &mut PageBrowser<'_>,
) -> String {
    let contacts = json!({"metadata": {"contacts": ["ops@ledger.example"]}});
    app.owner.patch(&app.path(""), 1, contacts).await.assert_status(200);
    let one = reader.open_page(&app.page).await;
    let fields = with(&[
        ("action", "change"),
        ("name", "Ledger 2"),
        ("redirects", "https://ledger.example/new"),
        ("grant.refresh", ""),
    ]);
    let (_, after) = reader.submit_form(&one, "id=\"save\"", &fields).await;
    assert!(after.contains("Application saved.") && after.contains("<h1>Ledger 2</h1>"), "{after}");
    let client = app.load().await;
    assert_eq!(client["metadata"]["contacts"], json!(["ops@ledger.example"]));
    assert_eq!(client["metadata"]["grant_types"], json!(["authorization_code"]));
    assert_eq!(client["metadata"]["redirect_uris"], json!(["https://ledger.example/new"]));
    after
}

/// Adds a second secret; the first is accepted until it is revoked.
async fn rotate_secret(
    app: &ConsoleApplication<'_>,
    reader: &mut PageBrowser<'_>,
    page: &str,
    first: &str,
) -> (String, String) {
    let fields = [("action", "add_secret"), ("overlap", "3600")];
    let (_, html) = reader.submit_form(page, "id=\"add-secret\"", &fields).await;
    let second = within(&html, "secret").to_owned();
    assert!(second != first && app.accepts_secret(&second).await && app.accepts_secret(first).await);
    let (_, repeated_page) = reader.submit_form(page, "id=\"add-secret\"", &fields).await;
    assert!(repeated_page.contains("This form was already submitted"), "{repeated_page}");
    let secrets = app.owner.get(&app.path("/secrets")).await.assert_status(200).body["items"].clone();
    assert_eq!(secrets.as_array().unwrap().len(), 2);
    let of = |stays: bool| {
        secrets.as_array().unwrap().iter().find(|it| it["expires_at"].is_null() == stays).unwrap()["id"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    let (_, after) = reader.submit_form(&repeated_page, "name=\"revoke\"", &[("revoke", &of(true))]).await;
    assert!(after.contains("This is the secret in use.") && app.accepts_secret(&second).await, "{after}");
    let (_, after) = reader.submit_form(&repeated_page, "name=\"revoke\"", &[("revoke", &of(false))]).await;
    assert!(
        after.contains("Secret revoked.")
            && !app.accepts_secret(first).await
            && app.accepts_secret(&second).await,
        "{after}"
    );
    (after, second)
}

async fn disable_enable_and_delete(
    app: &ConsoleApplication<'_>,
    reader: &mut PageBrowser<'_>,
    page: &str,
    secret: &str,
) {
    let (_, after) = reader.submit_form(page, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(after.contains("Application disabled.") && !app.accepts_secret(secret).await, "{after}");
    let (_, after) = reader.submit_form(&after, "id=\"switch-on\"", &[("action", "enable")]).await;
    assert!(after.contains("Application enabled.") && app.accepts_secret(secret).await, "{after}");
    let (_, after) = reader.submit_form(&after, "id=\"remove-now\"", &[("action", "remove")]).await;
    assert!(after.contains("Application deleted.") && after.contains("id=\"applications\""), "{after}");
    assert_eq!(reader.open_url(&app.page).await.0, 404);
    assert!(!app.accepts_secret(secret).await);
}

async fn console_application_errors_are_displayed_beside_their_field_and_input_is_preserved(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let (mut form, long) =
        (ana.reader.open_page(&console_path(&acme, "/applications")).await, "p".repeat(201));
    for (changes, expected_text) in [
        (vec![("name", "")], "Enter a name of at most 200 visible characters"),
        (vec![("redirects", "https://a.example/#x")], "needs 1 to 20 redirect URIs"),
        (vec![("redirects", "")], "needs 1 to 20 redirect URIs"),
        (vec![("redirects", "http://a.example/cb")], "needs 1 to 20 redirect URIs"),
        (vec![("redirects", "https://a.example/cb\r\nhttps://a.example/cb")], "each once"),
        (
            vec![("grant.own", "on"), ("role.01936f5e-7c2a-7def-8a1b-2c3d4e5f6079", "on")],
            "A selected role no longer exists",
        ),
        (vec![("grant.code", ""), ("grant.refresh", "")], "Select at least one grant type"),
        (vec![("grant.code", "")], "A refresh token also needs a grant type"),
        (vec![("proof", "none"), ("grant.own", "on")], "need client authentication"),
        (vec![("proof", "private_key_jwt")], "Enter the https URL of its JWKS"),
        (
            vec![("keys", "ftp://a.example/keys"), ("proof", "private_key_jwt")],
            "Enter the https URL of its JWKS",
        ),
        (vec![("scope", "members:manage")], "reserved for verified applications"),
        (vec![("scope", "no scope at all!")], "These scopes are not valid"),
        (vec![("grant.own", "on")], "The client credentials grant needs at least one role"),
        (vec![("kind", "agent")], "Enter a purpose of at most 200 visible characters"),
        (vec![("kind", "agent"), ("purpose", long.as_str())], "Use at most 200 visible characters."),
        (vec![("kind", "agent"), ("purpose", "x\u{202e}")], "Use at most 200 visible characters."),
        (vec![("kind", "robot")], "This is not possible right now."),
        (vec![("proof", "word_of_honour")], "This is not possible right now."),
    ] {
        let fields = with(&changes);
        let (_, after) = ana.reader.submit_form(&form, "id=\"register-now\"", &fields).await;
        assert!(
            after.contains(expected_text) && after.contains("id=\"register\" open"),
            "{changes:?}: {after}"
        );
        for (name, value) in &fields {
            let is_kept = match *name {
                "name" | "scope" | "keys" => after.contains(&format!("value=\"{value}\"")),
                "redirects" => value
                    .lines()
                    .all(|line| after.contains(&line.replace('#', "&#35;")) || after.contains(line)),
                _ => true,
            };
            assert!(is_kept, "the form keeps {name}: {after}");
        }
        assert!(expected_text.starts_with("That") || after.contains("id=\"trouble\""), "{after}");
        form = after;
    }
    assert!(
        owner.get(&acme.path("/clients")).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .is_empty(),
        "no application was registered"
    );
}

async fn console_service_gets_its_roles_and_an_agent_its_creator_as_owner(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let form = ana.reader.open_page(&console_path(&acme, "/applications")).await;
    let member = role_field(world.find_role(&acme, "member").await);
    let machine_fields = [
        ("grant.code", ""),
        ("grant.refresh", ""),
        ("redirects", ""),
        ("scope", ""),
        ("grant.own", "on"),
        (&member, "on"),
    ];
    let service = with(&[&machine_fields[..], &[("kind", "service")]].concat());
    let (_, created_page) = ana.reader.submit_form(&form, "id=\"register-now\"", &service).await;
    let client = owner
        .get(&acme.path(&format!("/clients/{}", within(&created_page, "client-id"))))
        .await
        .assert_status(200)
        .body;
    assert_eq!((&client["kind"], &client["roles"][0]["name"]), (&json!("service"), &json!("member")));
    // Changing the name assigns no role again and changes none.
    let one = ana
        .reader
        .open_page(&console_path(&acme, &format!("/applications/{}", within(&created_page, "client-id"))))
        .await;
    let fields: Vec<_> = service
        .iter()
        .copied()
        .filter(|(name, _)| !["action", "name", "kind"].contains(name))
        .chain([("action", "change"), ("name", "Sync")])
        .collect();
    let (_, after) = ana.reader.submit_form(&one, "id=\"save\"", &fields).await;
    assert!(after.contains("Application saved."), "{after}");
    let form = ana.reader.open_page(&console_path(&acme, "/applications")).await;
    let agent = with(&[&machine_fields[..], &[("kind", "agent"), ("purpose", "Sorts the mail")]].concat());
    let (_, created_page) = ana.reader.submit_form(&form, "id=\"register-now\"", &agent).await;
    let client = owner
        .get(&acme.path(&format!("/clients/{}", within(&created_page, "client-id"))))
        .await
        .assert_status(200)
        .body;
    assert_eq!((&client["kind"], &client["owner"]), (&json!("agent"), &json!(ana.membership.to_string())));
    // A public client has no secret.
    let form = ana.reader.open_page(&console_path(&acme, "/applications")).await;
    let (_, after) = ana
        .reader
        .submit_form(&form, "id=\"register-now\"", &with(&[("proof", "none"), ("name", "Telephone")]))
        .await;
    assert!(
        after.contains("Application registered.")
            && after.contains("<h1>Telephone</h1>")
            && after.contains("id=\"code-react\"")
            && !after.contains("id=\"code-express\"")
            && !after.contains("id=\"secrets\""),
        "{after}"
    );
    // A change to a confidential client creates a secret, which is shown once.
    let fields = with(&[("action", "change"), ("name", "Telephone")]);
    let (_, page) = ana.reader.submit_form(&after, "id=\"save\"", &fields).await;
    assert!(page.contains("id=\"secret\""), "{page}");
    let (_, repeated_page) = ana.reader.submit_form(&after, "id=\"save\"", &fields).await;
    assert!(
        repeated_page.contains("This was changed in the meantime")
            && !repeated_page.contains("id=\"secret\""),
        "{repeated_page}"
    );
}

async fn console_application_form_sent_eight_times_creates_one(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let form = ana.reader.open_page(&console_path(&acme, "/applications")).await;
    let of = |name: &str| {
        form.split(&format!("name=\"{name}\" value=\"")).nth(1).unwrap().split('"').next().unwrap().to_owned()
    };
    let (csrf, once) = (of("csrf"), of("once"));
    let racers: Vec<_> = (0..8)
        .map(|_| {
            let mut racer = world.create_page_browser("en").with_session(&ana.session);
            let (path, origin, csrf, once) =
                (console_path(&acme, "/applications"), world.origin(), csrf.clone(), once.clone());
            async move {
                let fields: Vec<(&str, &str)> =
                    WEB.into_iter().chain([("csrf", csrf.as_str()), ("once", &once)]).collect();
                racer.forge_post(&path, &origin, &fields).await.1
            }
        })
        .collect();
    let pages = join_all(racers).await;
    assert_eq!(pages.iter().filter(|page| page.contains("id=\"secret\"")).count(), 1, "{pages:?}");
    assert_eq!(
        owner.get(&acme.path("/clients")).await.assert_status(200).body["items"].as_array().unwrap().len(),
        1
    );
}
