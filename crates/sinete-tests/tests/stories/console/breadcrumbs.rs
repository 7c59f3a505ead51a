//! Breadcrumbs: every page of the console below an overview says where it is, and leads to the pages above it.

use super::ConsoleUser;
use crate::both_engines;
use crate::harness::organizations::TestOrganization;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_http::router::ROUTES;
use sinete_server::route::RouteMethod;
use std::collections::BTreeSet;

both_engines!(console_pages_below_an_overview_have_breadcrumbs);

/// Routes of the console that are no page of its layout, with the reason.
const WITHOUT_LAYOUT: &[(&str, &str)] = &[
    ("/console/{organization}/applications/{client}/test", "redeems the code of a test sign-in, once"),
    ("/console/{organization}/connections/{connection}/test", "redeems the code of a test sign-in, once"),
    ("/console/{organization}/emails/{message}", "a sample of a message, shown within a page"),
    ("/console/{organization}/emails/{message}/style", "the styles of such a sample"),
    ("/instance/emails/style", "the styles of such a sample"),
];

/// The values of the parameters of the routes, for an organization and for the instance.
struct PathValues {
    organization: Vec<(&'static str, String)>,
    instance: Vec<(&'static str, String)>,
}

/// The text between two others.
fn between<'p>(page: &'p str, before: &str, after: &str) -> &'p str {
    page.split(before).nth(1).and_then(|rest| rest.split(after).next()).unwrap_or_default()
}

/// Makes one of everything that has a page.
async fn prepare_items(
    world: &World,
    acme: &TestOrganization,
    ana: &mut ConsoleUser<'_>,
    member: String,
) -> PathValues {
    let id = |value: &Value| value.as_str().unwrap().to_owned();
    let (operator, owner) = (world.create_operator().await, world.create_owner(acme).await);
    let metadata = json!({"client_name": "Ledger", "redirect_uris": ["https://ledger.example/callback"]});
    let client = json!({"kind": "application", "metadata": metadata});
    let of_instance = operator.post("/manage/clients", client.clone()).await.assert_status(201).body;
    let of_acme = owner.post(&acme.path("/clients"), client).await.assert_status(201).body;
    let api = json!({"name": "Documents", "identifier": "https://documents.example", "offered_to_all": true,
        "permissions": [{"permission": "documents:read", "english": "Read documents", "portuguese": "Ler documentos"}]});
    let api = operator.post("/manage/apis", api).await.assert_status(201).body;
    let webhook = json!({"address": "https://hooks.example/events"});
    let hook_of_instance = operator.post("/manage/webhooks", webhook.clone()).await.assert_status(201).body;
    let hook_of_acme = owner.post(&acme.path("/webhooks"), webhook).await.assert_status(201).body;
    let provider = world.create_oidc_provider().await;
    let connection = provider.create_connection(&owner, "acme.example").await;
    let setup_link = owner.post(&acme.path("/setup-links"), json!({})).await.assert_status(201).body;
    let audit = owner.get(&acme.path("/audit?limit=1")).await.assert_status(200).body;
    let log = ana.reader.open_page("/instance/events").await;
    let event = between(&log, "href=\"/instance/events/", "\"").to_owned();
    PathValues {
        organization: vec![
            ("organization", acme.slug.clone()),
            ("member", member),
            ("role", world.find_role(acme, "admin").await.to_string()),
            ("client", id(&of_acme["id"])),
            ("api", id(&api["id"])),
            ("webhook", id(&hook_of_acme["webhook"]["id"])),
            ("connection", id(&connection["id"])),
            ("provider", "okta".to_owned()),
            ("setup_link", id(&setup_link["id"])),
            ("event", id(&audit["items"][0]["id"])),
        ],
        instance: vec![
            ("organization", acme.id.to_string()),
            ("account", ana.account.to_string()),
            ("client", id(&of_instance["id"])),
            ("api", id(&api["id"])),
            ("webhook", id(&hook_of_instance["webhook"]["id"])),
            ("event", event),
        ],
    }
}

async fn console_pages_below_an_overview_have_breadcrumbs(world: &World) {
    let acme = world.create_organization("acme").await;
    let operators = world.find_organization("operator").await;
    let mut ana = world.create_console_user(&operators, "ana@example.com", "operator").await;
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    let member = user.join_organization(&acme, "owner").await.to_string();
    let values = prepare_items(world, &acme, &mut ana, member).await;
    let (mut walked, mut above) = (0, BTreeSet::new());
    for route in ROUTES.iter().filter(|route| route.method == RouteMethod::Get) {
        let is_of_instance = route.path == "/instance" || route.path.starts_with("/instance/");
        let is_page = is_of_instance || route.path.starts_with("/console/{organization}");
        if !is_page || WITHOUT_LAYOUT.iter().any(|(path, _)| *path == route.path) {
            continue;
        }
        let (path_values, area) = match is_of_instance {
            true => (&values.instance, "/instance"),
            false => (&values.organization, "/console/acme"),
        };
        let filled = path_values.iter();
        let path = filled
            .fold(route.path.to_owned(), |path, (name, value)| path.replace(&format!("{{{name}}}"), value));
        assert!(!path.contains('{'), "no value for {path}");
        let page = ana.reader.open_page(&path).await;
        let nav = between(&page, "<nav class=\"crumbs\" aria-label=\"You are here\"><ol>", "</ol></nav>");
        walked += 1;
        if path == area {
            assert!(nav.is_empty(), "{path}: {nav}");
            continue;
        }
        assert!(nav.starts_with(&format!("<li><a href=\"{area}\">")), "{path}: {page}");
        assert_eq!(nav.matches("aria-current=\"page\"").count(), 1, "{path}: {nav}");
        let last = nav.rsplit("<li>").next().unwrap();
        assert!(last.starts_with("<span aria-current=\"page\">"), "{path}: {nav}");
        above.extend(nav.split("href=\"").skip(1).map(|rest| rest.split('"').next().unwrap().to_owned()));
    }
    assert!(walked > 45, "{walked} pages");
    for path in above {
        assert_eq!(ana.reader.open_url(&path).await.0, 200, "{path}");
    }
}
