//! Connections that are changed while their form is open, and forms that are refused: changes of others stay, and the
//! page says why a form was refused.

use super::console_path;
use crate::both_engines;
use crate::harness::api_caller::ApiCaller;
use crate::harness::page_browser::PageBrowser;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::ConnectionId;
use sinete_core::identity_providers::connections::{ConnectionProtocol, ConnectionSettings};
use sinete_store::WriteBatch;
use sinete_store::identity_providers::connections;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

const SAVE: &str = "id=\"save\"";

/// The body of a connection to a provider that is never contacted.
fn provider(name: &str, domains: &Value) -> Value {
    let issuer = format!("https://{name}.login.example");
    json!({"name": name, "issuer": issuer, "client_id": "sinete", "authentication": "private_key", "domains": domains,
        "enabled": true})
}

/// The fields of the form of a connection, as a browser sends them.
fn filled<'a>(name: &'a str, scopes: &'a str, domains: &'a str) -> [(&'a str, &'a str); 7] {
    [
        ("action", "change"),
        ("name", name),
        ("client_id", "sinete"),
        ("authentication", "private_key"),
        ("client_secret", ""),
        ("scopes", scopes),
        ("domains", domains),
    ]
}

both_engines!(
    console_connection_save_does_not_move_back_a_domain_moved_concurrently,
    console_connection_form_too_long_to_store_still_reports_its_errors,
    console_connection_with_invalid_settings_can_be_disabled_but_not_enabled,
    console_connection_is_switched_despite_a_concurrent_change,
    console_form_too_long_to_read_returns_to_its_page
);

async fn console_connection_save_does_not_move_back_a_domain_moved_concurrently(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let pair = ConnectionPair::create(&owner).await;
    let (mut ana, mut bia) = (
        world.create_console_user(&acme, "ana@example.com", "owner").await,
        world.create_console_user(&acme, "bia@example.com", "owner").await,
    );
    let (scopes, all) = ("openid email profile", "x.example\r\ny.example");
    // Ana opens the first connection; Bia moves one of its domains to the second; Ana changes only the name.
    let (page, other) =
        (ana.reader.open_page(&pair.first_page).await, bia.reader.open_page(&pair.second_page).await);
    let (_, moved) = bia.reader.submit_form(&other, SAVE, &filled("second", scopes, "x.example")).await;
    assert!(moved.contains("Connection saved."), "{moved}");
    let (_, after) = ana.reader.submit_form(&page, SAVE, &filled("Ours", scopes, all)).await;
    assert!(after.contains("Connection saved.") && after.contains("<h1>Ours</h1>"), "{after}");
    assert_eq!(pair.load_domains().await, (json!(["y.example"]), json!(["x.example"])));
    // Saving without a change takes no domain back either.
    let (_, after) = ana.reader.submit_form(&after, SAVE, &filled("Ours", scopes, "y.example")).await;
    assert!(after.contains("Connection saved."), "{after}");
    assert_eq!(pair.load_domains().await, (json!(["y.example"]), json!(["x.example"])));
    let (_, moved) =
        bia.reader.submit_form(&moved, SAVE, &filled("second", scopes, "x.example\r\ny.example")).await;
    assert!(moved.contains("Connection saved."), "{moved}");
    let decided = domain_conflict_is_reported_and_then_decided(&pair, &mut ana.reader, &after).await;
    let fresh = corrected_form_still_conflicts(&pair, &mut ana.reader, &mut bia.reader, &decided).await;
    form_without_what_its_page_showed_changes_nothing(&pair, &mut bia.reader, &fresh).await;
}

/// Two connections of an organization, the first with two domains: their console pages and API paths.
struct ConnectionPair<'w> {
    owner: &'w ApiCaller<'w>,
    first_page: String,
    first_path: String,
    second_page: String,
    second_path: String,
}

impl<'w> ConnectionPair<'w> {
    async fn create(owner: &'w ApiCaller<'w>) -> Self {
        let acme = &owner.tenant;
        for domain in ["x.example", "y.example", "z.example"] {
            owner.post(&acme.path("/domains"), json!({"domain": domain})).await.assert_status(201);
        }
        let create = async |name, domains| {
            let response = owner.post(&acme.path("/connections"), provider(name, &domains)).await;
            let below = format!("/connections/{}", response.assert_status(201).text_member("id"));
            (console_path(acme, &below), acme.path(&below))
        };
        let (first_page, first_path) = create("first", json!(["x.example", "y.example"])).await;
        let (second_page, second_path) = create("second", json!([])).await;
        Self { owner, first_page, first_path, second_page, second_path }
    }

    async fn load_domains(&self) -> (Value, Value) {
        let load = async |path| self.owner.get(path).await.assert_status(200).body["domains"].clone();
        (load(&self.first_path).await, load(&self.second_path).await)
    }
}

/// Ana changes the domains herself: she sees which ones the connection has now, and then decides.
async fn domain_conflict_is_reported_and_then_decided(
    pair: &ConnectionPair<'_>,
    ana: &mut PageBrowser<'_>,
    page: &str,
) -> String {
    let scopes = "openid email profile";
    let (_, slow) = ana.submit_form(page, SAVE, &filled("Ours", scopes, "y.example\r\nz.example")).await;
    assert!(
        slow.contains("This was changed in the meantime.")
            && slow.contains("<dd>none</dd>")
            && slow.contains("y.example\r\nz.example</textarea>"),
        "{slow}"
    );
    assert_eq!(pair.load_domains().await, (json!([]), json!(["x.example", "y.example"])));
    let (_, decided) = ana.submit_form(&slow, SAVE, &filled("Ours", scopes, "z.example")).await;
    assert!(decided.contains("Connection saved."), "{decided}");
    assert_eq!(pair.load_domains().await, (json!(["z.example"]), json!(["x.example", "y.example"])));
    decided
}

/// A form that is shown again with an error is still compared with what its first page showed.
async fn corrected_form_still_conflicts(
    pair: &ConnectionPair<'_>,
    ana: &mut PageBrowser<'_>,
    bia: &mut PageBrowser<'_>,
    decided: &str,
) -> String {
    let (_, wrong) = ana.submit_form(decided, SAVE, &filled("Ours", "email", "y.example\r\nz.example")).await;
    assert!(
        wrong.contains("Enter 1 to 20 scopes") && wrong.contains("y.example\r\nz.example</textarea>"),
        "{wrong}"
    );
    let fresh = bia.open_page(&pair.second_page).await;
    let all = filled("second", "openid email profile", "x.example\r\ny.example\r\nz.example");
    let (_, fresh) = bia.submit_form(&fresh, SAVE, &all).await;
    assert!(fresh.contains("Connection saved."), "{fresh}");
    let (_, wrong) = ana.submit_form(&wrong, SAVE, &filled("Ours", "email", "y.example\r\nz.example")).await;
    assert!(wrong.contains("This was changed in the meantime."), "{wrong}");
    let expected = (json!([]), json!(["x.example", "y.example", "z.example"]));
    assert_eq!(pair.load_domains().await, expected);
    fresh
}

async fn form_without_what_its_page_showed_changes_nothing(
    pair: &ConnectionPair<'_>,
    bia: &mut PageBrowser<'_>,
    page: &str,
) {
    let load = async || pair.owner.get(&pair.first_path).await.assert_status(200).body;
    let before = load().await;
    let (csrf, version) = (super::connections::csrf_of(page), before["version"].to_string());
    let base_fields = [("csrf", csrf.as_str()), ("version", version.as_str())];
    for snapshot_field in [None, Some(("shown", "")), Some(("shown", "AAAAAAAA"))] {
        let form = filled("Mine", "openid email profile", "z.example");
        let fields: Vec<_> = base_fields.into_iter().chain(snapshot_field).chain(form).collect();
        let (_, after) = bia.forge_post(&pair.first_page, &bia.world.origin(), &fields).await;
        assert!(after.contains("This was changed in the meantime."), "{snapshot_field:?}: {after}");
        assert_eq!(load().await, before, "{snapshot_field:?}");
    }
}

async fn console_connection_form_too_long_to_store_still_reports_its_errors(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let created =
        owner.post(&acme.path("/connections"), provider("first", &json!([]))).await.assert_status(201).body;
    let (list_path, mut ana) = (
        console_path(&acme, "/connections"),
        world.create_console_user(&acme, "ana@example.com", "owner").await,
    );
    let (one, long) = (format!("{list_path}/{}", created["id"].as_str().unwrap()), "s".repeat(3000));
    let (form, page) = (ana.reader.open_page(&list_path).await, ana.reader.open_page(&one).await);
    let error_attributes = "aria-describedby=\"change-scopes-hint trouble\" aria-invalid=\"true\"";
    let (_, after) = ana.reader.submit_form(&page, SAVE, &filled("first", &long, "")).await;
    assert!(
        after.contains("Enter 1 to 20 scopes")
            && after.contains(error_attributes)
            && after.contains("id=\"lost\""),
        "{after}"
    );
    let fields = [
        ("action", "open_id"),
        ("name", "A"),
        ("issuer", "https://a.example"),
        ("client_id", "x"),
        ("authentication", "client_secret"),
        ("client_secret", "hush"),
        ("scopes", long.as_str()),
    ];
    let (_, after) = ana.reader.submit_form(&form, "id=\"connect-open-id-now\"", &fields).await;
    assert!(
        after.contains("Enter 1 to 20 scopes")
            && after.contains("id=\"lost\"")
            && after.contains("id=\"connect-open-id\" open"),
        "{after}"
    );
    // The other form on the page shows no error.
    assert_eq!(after.matches("Enter 1 to 20 scopes").count(), 1, "{after}");
    // If there are several errors, each has its own id.
    let invalid_fields = [
        ("action", "open_id"),
        ("name", ""),
        ("issuer", "https://a.example"),
        ("client_id", "x"),
        ("authentication", "client_secret"),
        ("client_secret", "hush"),
        ("scopes", "openid"),
    ];
    let (_, after) = ana.reader.submit_form(&form, "id=\"connect-open-id-now\"", &invalid_fields).await;
    assert!(after.contains("For security, the secret you entered was not kept."), "{after}");
    assert_eq!(
        (after.matches(" id=\"trouble\"").count(), after.matches(" id=\"open_id-again\"").count()),
        (1, 1),
        "{after}"
    );
    assert!(after.contains("aria-describedby=\"open_id-client_secret-hint open_id-again\""), "{after}");
    // Browsers fill in stored passwords unless the field asks for a new one.
    assert!(
        after.contains("name=\"client_secret\" type=\"password\" autocomplete=\"new-password\""),
        "{after}"
    );
    assert_eq!(
        owner.get(&acme.path("/connections")).await.assert_status(200).body["items"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

async fn console_connection_with_invalid_settings_can_be_disabled_but_not_enabled(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let created = world.create_saml_provider().create_connection(&owner, "acme.example").await;
    let id: ConnectionId = created["id"].as_str().unwrap().parse().unwrap();
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, &format!("/connections/{id}"))).await;
    let store = world.server.engine().store();
    let before = connections::find_connection(store, acme.id, id).await.unwrap().unwrap();
    let mut settings = before.settings.clone();
    let ConnectionProtocol::Saml(saml) = &mut settings.protocol else { panic!("the connection is not SAML") };
    saml.certificates = vec!["-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".to_owned()];
    store
        .commit(WriteBatch::new().with_statement(
            connections::change_connection(&before, &settings, true, before.confirmation).unwrap(),
        ))
        .await
        .unwrap()
        .into_result()
        .unwrap();
    let (_, off) = ana.reader.submit_form(&page, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(off.contains("Connection disabled.") && !off.contains("id=\"trouble\""), "{off}");
    let (_, after) = ana.reader.submit_form(&off, "id=\"switch-on\"", &[("action", "enable")]).await;
    assert!(
        after.contains("A setting of this connection is no longer valid, so it stays disabled.")
            && after.contains("id=\"trouble\""),
        "{after}"
    );
    assert!(after.contains("id=\"switch-on\"") && !after.contains("aria-invalid"), "{after}");
    let stands = connections::find_connection(store, acme.id, id).await.unwrap().unwrap();
    assert_eq!(
        (stands.version, stands.is_enabled),
        (before.version + 2, false),
        "the connection stays disabled"
    );
}

async fn console_connection_is_switched_despite_a_concurrent_change(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let created = world.create_oidc_provider().await.create_connection(&owner, "acme.example").await;
    let id: ConnectionId = created["id"].as_str().unwrap().parse().unwrap();
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page(&console_path(&acme, &format!("/connections/{id}"))).await;
    // The name changes between reading and switching.
    let (store, turns, organization) =
        (world.server.engine().store().clone(), Arc::new(AtomicUsize::new(0)), acme.id);
    let (remaining_turns, meddler) = (Arc::clone(&turns), store.clone());
    store.set_query_observer(move |statement| {
        let is_turn = statement == "connections.domains"
            && remaining_turns
                .fetch_update(Ordering::SeqCst, Ordering::SeqCst, |it| it.checked_sub(1))
                .is_ok();
        if is_turn {
            tokio::task::block_in_place(|| {
                tokio::runtime::Handle::current().block_on(async {
                    let connection =
                        connections::find_connection(&meddler, organization, id).await.unwrap().unwrap();
                    let settings = ConnectionSettings {
                        name: format!("{}'", connection.settings.name),
                        ..connection.settings.clone()
                    };
                    meddler
                        .commit(
                            WriteBatch::new().with_statement(
                                connections::change_connection(
                                    &connection,
                                    &settings,
                                    connection.is_enabled,
                                    connection.confirmation,
                                )
                                .unwrap(),
                            ),
                        )
                        .await
                        .unwrap()
                        .into_result()
                        .unwrap();
                })
            });
        }
    });
    let stands = async || owner.get(&acme.path(&format!("/connections/{id}"))).await.assert_status(200).body;
    turns.store(1, Ordering::SeqCst);
    let (_, off) = ana.reader.submit_form(&page, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(off.contains("Connection disabled."), "{off}");
    let now = stands().await;
    assert_eq!(
        (&now["enabled"], &now["name"], &now["domains"]),
        (&json!(false), &json!("Acme'"), &json!(["acme.example"]))
    );
    turns.store(1, Ordering::SeqCst);
    let (_, on) = ana.reader.submit_form(&off, "id=\"switch-on\"", &[("action", "enable")]).await;
    assert!(on.contains("Connection enabled. Users of its domains now sign in at the provider."), "{on}");
    assert_eq!((&stands().await["enabled"], &stands().await["name"]), (&json!(true), &json!("Acme''")));
    // After losing the race twice, the conflict is reported.
    turns.store(2, Ordering::SeqCst);
    let (_, slow) = ana.reader.submit_form(&on, "id=\"switch-off\"", &[("action", "disable")]).await;
    assert!(
        slow.contains("This was changed in the meantime.") && stands().await["enabled"] == true,
        "{slow}"
    );
}

async fn console_form_too_long_to_read_returns_to_its_page(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page_path = console_path(&acme, "/connections");
    let form = ana.reader.open_page(&page_path).await;
    assert!(form.contains("The SAML metadata document, at most 48 KiB"), "{form}");
    let fields = |metadata| {
        [("action", "saml"), ("name", "Acme"), ("metadata", metadata), ("subject", "NameID"), ("domains", "")]
    };
    // A form within the size limit is read; its metadata exceeds the limit of a metadata document.
    let described = crate::harness::saml_provider::saml_metadata();
    let padded = |bytes: usize| format!("{described}{}", "-".repeat(bytes - described.len()));
    let (longer, long) = (padded(49 * 1024), padded(66 * 1024));
    let (status, after) =
        ana.reader.submit_form(&form, "id=\"connect-saml-now\"", &fields(longer.as_str())).await;
    assert!(
        status == 200
            && after.contains("or is larger than 48 KiB.")
            && after.contains("id=\"connect-saml\" open"),
        "{after}"
    );
    let (status, after) =
        ana.reader.submit_form(&form, "id=\"connect-saml-now\"", &fields(long.as_str())).await;
    assert!(
        status == 200
            && after.contains("This is too much for one form.")
            && after.contains("id=\"trouble\"")
            && after.contains("<h1>Identity providers</h1>"),
        "{after}"
    );
    let (_, after) = ana.reader.open_url(&format!("{page_path}?ui_locales=pt-BR")).await;
    assert!(
        after.contains("até 48 KiB") && !after.contains("Isto é demais para um formulário"),
        "the error is displayed once: {after}"
    );
    // A form of another origin is not redirected, and programs get the same error as before.
    let (status, refused) =
        ana.reader.forge_post(&page_path, "https://spy.example", &fields(long.as_str())).await;
    assert!(status == 413 && refused.contains("content_too_large"), "{status}: {refused}");
    let request_builder = world
        .http
        .post(world.public_url(&page_path))
        .header("origin", world.origin())
        .form(&fields(long.as_str()));
    assert_eq!(request_builder.send().await.unwrap().status().as_u16(), 413);
    assert_eq!(owner.get(&acme.path("/connections")).await.assert_status(200).body["items"], json!([]));
}
