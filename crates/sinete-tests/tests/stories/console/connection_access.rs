//! Which members connect identity providers on the console, conflicting changes, and which actions need a step-up.

use super::connection_forms::{CONNECT, SAVE, read};
use super::connections::csrf_of;
use super::console_path;
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::flow_client::PASSWORD;
use crate::harness::organizations::TestOrganization;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use crate::stories::platform::api_conventions::join_all;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

both_engines!(
    console_connection_form_requires_step_up_first_and_stores_no_secret,
    console_connection_conflict_is_reported_and_a_form_sent_eight_times_creates_one,
    console_connection_changes_need_permission_in_the_own_organization
);

async fn console_connection_form_requires_step_up_first_and_stores_no_secret(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let list_path = console_path(&acme, "/connections");
    world.clock.advance(Lifetime::from_hours(2));
    let form = form_is_shown_after_step_up(&mut ana.reader, &list_path).await;
    let connections = Connections { owner: &owner, acme: &acme };
    let provider = world.create_oidc_provider().await;
    let created_page =
        step_up_keeps_every_field_but_the_secret(&mut ana.reader, &connections, &form, &provider.issuer)
            .await;
    let after = step_up_saves_a_change_without_a_secret(&mut ana.reader, &connections, &created_page).await;
    change_too_long_to_keep_is_reported_as_not_saved(&mut ana.reader, &connections, &after).await;
}

/// The connections of an organization, as its owner lists them.
struct Connections<'w> {
    owner: &'w ApiCaller<'w>,
    acme: &'w TestOrganization,
}

impl Connections<'_> {
    async fn list(&self) -> Value {
        self.owner.get(&self.acme.path("/connections")).await.assert_status(200).body["items"].clone()
    }
}

async fn enter_password(reader: &mut PageBrowser<'_>, page: &str) -> String {
    reader.submit_first_form(page, &[("password", PASSWORD), ("action", "password")]).await.1
}

/// A member who authenticated too long ago sees no field. After the step-up, the form they chose is open.
async fn form_is_shown_after_step_up(reader: &mut PageBrowser<'_>, list_path: &str) -> String {
    let list = reader.open_page(list_path).await;
    assert!(
        list.contains("You need to sign in again before you can use this form.")
            && !list.contains("name=\"client_secret\"")
            && !list.contains("name=\"metadata\""),
        "{list}"
    );
    let (_, proving) = reader.submit_form(&list, "id=\"prove-saml\"", &[("form", "saml")]).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    let form = enter_password(reader, &proving).await;
    assert!(
        form.contains("You are verified.")
            && form.contains("id=\"connect-saml\" open")
            && !form.contains("id=\"connect-open-id\" open"),
        "{form}"
    );
    form
}

/// The step-up expired while the form was open: after another one, every field but the secret is still filled in.
async fn step_up_keeps_every_field_but_the_secret(
    reader: &mut PageBrowser<'_>,
    connections: &Connections<'_>,
    form: &str,
    issuer: &str,
) -> String {
    reader.world.clock.advance(Lifetime::from_minutes(6));
    let port = issuer.rsplit(':').next().unwrap();
    let fields = [
        ("action", "open_id"),
        ("name", "Acme"),
        ("issuer", issuer),
        ("client_id", "sinete"),
        ("authentication", "client_secret"),
        ("client_secret", "hush, hush"),
        ("scopes", "openid"),
        ("domains", ""),
    ];
    let (_, proving) = reader.submit_form(form, CONNECT, &fields).await;
    assert!(proving.contains("name=\"password\"") && connections.list().await == json!([]), "{proving}");
    for (name, value) in &reader.cookies {
        assert!(!read(value).contains("hush"), "{name} holds the secret");
    }
    assert!(
        reader.cookies.values().any(|value| read(value).contains(port)),
        "a cookie keeps the other fields"
    );
    let form = enter_password(reader, &proving).await;
    assert!(
        form.contains("for security, one field was not kept")
            && form.contains("For security, the secret you entered was not kept.")
            && form.contains(&format!("value=\"{issuer}\"")),
        "{form}"
    );
    assert_eq!(connections.list().await, json!([]), "nothing is created without the secret");
    let (_, created_page) = reader.submit_form(&form, CONNECT, &fields).await;
    assert!(
        created_page.contains("Identity provider connected,")
            && connections.list().await[0]["has_secret"] == true,
        "{created_page}"
    );
    created_page
}

/// A form without a secret is kept whole, and the step-up completes it.
async fn step_up_saves_a_change_without_a_secret(
    reader: &mut PageBrowser<'_>,
    connections: &Connections<'_>,
    created_page: &str,
) -> String {
    reader.world.clock.advance(Lifetime::from_minutes(6));
    let change = [
        ("action", "change"),
        ("name", "Ours"),
        ("client_id", "sinete"),
        ("authentication", "client_secret"),
        ("client_secret", ""),
        ("scopes", "openid"),
        ("domains", ""),
    ];
    let (_, proving) = reader.submit_form(created_page, SAVE, &change).await;
    let after = enter_password(reader, &proving).await;
    assert!(after.contains("Connection saved.") && connections.list().await[0]["name"] == "Ours", "{after}");
    after
}

async fn change_too_long_to_keep_is_reported_as_not_saved(
    reader: &mut PageBrowser<'_>,
    connections: &Connections<'_>,
    page: &str,
) {
    reader.world.clock.advance(Lifetime::from_minutes(6));
    let long = format!("openid {}", "s".repeat(3000));
    let change = [
        ("action", "change"),
        ("name", "Lost"),
        ("client_id", "sinete"),
        ("authentication", "client_secret"),
        ("client_secret", "hush"),
        ("scopes", long.as_str()),
        ("domains", ""),
    ];
    let (_, proving) = reader.submit_form(page, SAVE, &change).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    let after = enter_password(reader, &proving).await;
    assert!(
        after.contains("You are verified, but nothing was saved yet")
            && after.contains("id=\"lost\"")
            && after.contains("id=\"settings\" open"),
        "{after}"
    );
    assert!(after.contains("value=\"Ours\"") && connections.list().await[0]["name"] == "Ours", "{after}");
}

async fn console_connection_conflict_is_reported_and_a_form_sent_eight_times_creates_one(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let list_path = console_path(&acme, "/connections");
    let form = ana.reader.open_page(&list_path).await;
    form_sent_eight_times_creates_one(world, &ana.session, &form).await;
    let all = owner.get(&acme.path("/connections")).await.assert_status(200).body["items"].clone();
    assert_eq!(all.as_array().unwrap().len(), 1);
    let id = all[0]["id"].as_str().unwrap();
    let (one, path) = (format!("{list_path}/{id}"), acme.path(&format!("/connections/{id}")));
    let before = ana.reader.open_page(&one).await;
    owner.patch(&path, 1, json!({"name": "Theirs", "client_id": "theirs"})).await.assert_status(200);
    conflict_is_reported_and_both_changes_are_in_the_form(&mut ana.reader, &owner, &path, &before).await;
}

async fn form_sent_eight_times_creates_one(world: &World, session: &str, form: &str) {
    let provider = world.create_oidc_provider().await;
    let racers: Vec<_> = (0..8)
        .map(|_| {
            let mut racer = world.create_page_browser("en").with_session(session);
            let (form, issuer) = (form.to_owned(), provider.issuer.clone());
            async move {
                let fields = [
                    ("action", "open_id"),
                    ("name", "Acme"),
                    ("issuer", issuer.as_str()),
                    ("client_id", "sinete"),
                    ("authentication", "private_key"),
                    ("scopes", "openid email"),
                ];
                racer.submit_form(&form, CONNECT, &fields).await.1
            }
        })
        .collect();
    let pages = join_all(racers).await;
    assert_eq!(
        pages.iter().filter(|page| page.contains("Identity provider connected,")).count(),
        1,
        "{pages:?}"
    );
    assert_eq!(
        pages.iter().filter(|page| page.contains("This form was already submitted")).count(),
        7,
        "{pages:?}"
    );
}

async fn conflict_is_reported_and_both_changes_are_in_the_form(
    reader: &mut PageBrowser<'_>,
    owner: &ApiCaller<'_>,
    path: &str,
    before: &str,
) {
    let mine = [
        ("action", "change"),
        ("name", "Acme"),
        ("client_id", "sinete"),
        ("authentication", "private_key"),
        ("client_secret", ""),
        ("scopes", "openid"),
        ("domains", ""),
    ];
    let (_, slow) = reader.submit_form(before, SAVE, &mine).await;
    assert!(
        slow.contains("This was changed in the meantime")
            && slow.contains("<h1>Theirs</h1>")
            && slow.contains("id=\"settings\" open"),
        "{slow}"
    );
    // The form has the field they changed; the other fields have the values saved meanwhile.
    assert!(
        slow.contains("value=\"openid\"")
            && slow.contains("value=\"theirs\"")
            && slow.contains("value=\"Theirs\""),
        "{slow}"
    );
    let stands: Value = owner.get(path).await.assert_status(200).body;
    assert_eq!(
        (&stands["version"], &stands["scopes"]),
        (&json!(2), &json!(["openid", "email"])),
        "nothing was saved"
    );
    let (_, after) = reader
        .submit_form(
            &slow,
            SAVE,
            &[
                ("action", "change"),
                ("name", "Theirs"),
                ("client_id", "theirs"),
                ("authentication", "private_key"),
                ("client_secret", ""),
                ("scopes", "openid"),
                ("domains", ""),
            ],
        )
        .await;
    assert!(after.contains("Connection saved."), "{after}");
}

async fn console_connection_changes_need_permission_in_the_own_organization(world: &World) {
    let (acme, other) = (world.create_organization("acme").await, world.create_organization("other").await);
    let owner = world.create_owner(&acme).await;
    owner
        .post(
            &acme.path("/roles"),
            json!({"name": "reader", "permissions": ["organization:read", "members:read"]}),
        )
        .await
        .assert_status(201);
    let connection_body = json!({"name": "Acme", "issuer": "https://login.acme.example", "client_id": "x", "authentication": "private_key"});
    let id = owner.post(&acme.path("/connections"), connection_body).await.assert_status(201).body["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let connections = Connections { owner: &owner, acme: &acme };
    let (list_path, stands) = (console_path(&acme, "/connections"), connections.list().await);
    let one = format!("{list_path}/{id}");
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let csrf =
        csrf_of(&rita.reader.open_page(&console_path(&acme, &format!("/members/{}", rita.membership))).await);
    let mut bia = world.create_console_user(&other, "bia@example.com", "owner").await;
    let own_csrf = csrf_of(&bia.reader.open_page(&console_path(&other, "/keys")).await);
    for action in ["change", "open_id", "saml", "prove"] {
        let fields = |csrf| {
            [
                ("csrf", csrf),
                ("action", action),
                ("form", "change"),
                ("version", "1"),
                ("once", "abcdefghijklmnopqrstuv"),
                ("name", "Mine"),
                ("issuer", "https://spy.example"),
                ("client_id", "spy"),
                ("authentication", "private_key"),
                ("scopes", "openid"),
            ]
        };
        for path in [&list_path, &one] {
            let (_, after) = rita.reader.forge_post(path, &world.origin(), &fields(csrf.as_str())).await;
            assert!(
                !after.contains("spy.example") && connections.list().await == stands,
                "{action}: {after}"
            );
            assert_eq!(
                bia.reader.forge_post(path, &world.origin(), &fields(own_csrf.as_str())).await.0,
                404,
                "{action}"
            );
        }
        let through = console_path(&other, &format!("/connections/{id}"));
        bia.reader.forge_post(&through, &world.origin(), &fields(own_csrf.as_str())).await;
        assert_eq!(connections.list().await, stands, "{action}");
    }
    suspended_organization_accepts_no_connection_form(world, &acme, &list_path, &one).await;
    assert_eq!(connections.list().await, stands);
}

/// Forms that were opened before the suspension are refused.
async fn suspended_organization_accepts_no_connection_form(
    world: &World,
    acme: &TestOrganization,
    list_path: &str,
    one: &str,
) {
    let mut ana = world.create_console_user(acme, "ana@example.com", "owner").await;
    let (list, before) = (ana.reader.open_page(list_path).await, ana.reader.open_page(one).await);
    let operator = world.create_operator().await;
    world.create_assignment(&operator, acme, "unpaid").await;
    operator.post(&acme.path("/suspend"), json!({"reason": "Unpaid"})).await.assert_status(200);
    assert!(!ana.reader.open_page(list_path).await.contains("<form"));
    let fields = |action| {
        [
            ("action", action),
            ("name", "Mine"),
            ("issuer", "https://b.example"),
            ("client_id", "x"),
            ("authentication", "private_key"),
            ("scopes", "openid"),
        ]
    };
    for (form, within, action) in [(&list, CONNECT, "open_id"), (&before, SAVE, "change")] {
        let (_, after) = ana.reader.submit_form(form, within, &fields(action)).await;
        assert!(after.contains("The organization is suspended and cannot be changed"), "{action}: {after}");
    }
}
