//! The pages of the instance: operators administer organizations, users, applications, APIs and keys in a browser.

use super::ConsoleUser;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

both_engines!(
    instance_console_manages_organizations_users_and_applications,
    instance_console_needs_the_role_of_operators,
    instance_console_does_not_exist_for_members_of_other_organizations,
    instance_console_forms_mark_the_invalid_field_and_keep_the_input,
    instance_console_needs_recent_authentication_for_access,
    instance_console_lists_have_stable_urls_and_csv,
    instance_console_checklist_follows_the_state_of_the_instance,
    instance_console_health_checks_are_those_of_doctor,
    instance_console_user_page_shows_sessions_access_devices_and_events,
    instance_console_message_is_sent_again,
    instance_console_events_are_filtered_by_kind,
    console_search_finds_what_the_user_may_see,
    console_settings_of_an_organization_change_as_by_the_api
);

/// All pages without a parameter.
const PAGES: [&str; 15] = [
    "/instance",
    "/instance/organizations",
    "/instance/users",
    "/instance/applications",
    "/instance/apis",
    "/instance/keys",
    "/instance/messages",
    "/instance/webhooks",
    "/instance/events",
    "/instance/usage",
    "/instance/assignments",
    "/instance/settings",
    "/instance/health",
    "/instance/doctor",
    "/instance/search",
];

async fn create_operator_user<'w>(world: &'w World, email: &str, role: &str) -> ConsoleUser<'w> {
    let operators = world.find_organization("operator").await;
    world.create_console_user(&operators, email, role).await
}

/// The text between two others.
fn between<'p>(page: &'p str, before: &str, after: &str) -> &'p str {
    page.split(before).nth(1).and_then(|rest| rest.split(after).next()).unwrap_or_default()
}

async fn instance_console_manages_organizations_users_and_applications(world: &World) {
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    for page in PAGES {
        ana.reader.open_page(page).await;
        ana.reader.open_page(&format!("{page}?ui_locales=pt-BR")).await;
    }
    // An organization.
    let list = ana.reader.open_page("/instance/organizations").await;
    let fields = [
        ("action", "create"),
        ("name", "Padaria São João"),
        ("slug", "padaria"),
        ("owner/email", "joao@example.com"),
    ];
    let (_, created_page) = ana.reader.submit_form(&list, "id=\"create-now\"", &fields).await;
    assert!(created_page.contains("Created.") && created_page.contains("Padaria São João"), "{created_page}");
    assert_eq!(world.count_events("invitation.sent").await, 1);
    let results_page = ana.reader.open_page("/instance/organizations?search=padaria%20s").await;
    assert!(
        results_page.contains("Padaria São João") && !results_page.contains(">Operators<"),
        "{results_page}"
    );
    // A user: found by the beginning of the address, disabled, enabled.
    let bruno = world.create_user("bruno@example.com").await;
    let results_page = ana.reader.open_page("/instance/users?search=BRUNO%40exa").await;
    assert!(
        results_page.contains("bruno@example.com") && !results_page.contains("ana@example.com"),
        "{results_page}"
    );
    let page = format!("/instance/users/{}", bruno.account);
    let html = ana.reader.open_page(&page).await;
    let (_, after) = ana.reader.submit_form(&html, "id=\"disable-now\"", &[("action", "disable")]).await;
    assert!(after.contains("id=\"enable-now\"") && !after.contains("id=\"disable-now\""), "{after}");
    let (_, after) = ana.reader.submit_form(&after, "id=\"enable-now\"", &[("action", "enable")]).await;
    let (_, after) = ana.reader.submit_form(&after, "id=\"sign_out-now\"", &[("action", "sign_out")]).await;
    assert!(after.contains("Done. The change is in effect."), "{after}");
    assert_eq!(world.count_events("account.disabled").await, 1);
    assert_eq!(world.count_events("account.enabled").await, 1);
    // An application: its secret is shown once.
    let list = ana.reader.open_page("/instance/applications").await;
    let fields = [
        ("action", "create"),
        ("kind", "application"),
        ("metadata/client_name", "Ledger"),
        ("metadata/grant_types.authorization_code", "on"),
        ("metadata/redirect_uris", "https://ledger.example/callback"),
        ("metadata/token_endpoint_auth_method", "client_secret_basic"),
    ];
    let (_, created_page) = ana.reader.submit_form(&list, "id=\"create-now\"", &fields).await;
    assert!(
        created_page.contains("id=\"shown-once\"") && created_page.contains("class=\"secret"),
        "{created_page}"
    );
    let path = between(&created_page, "id=\"kept\" href=\"", "\"").to_owned();
    let page = ana.reader.open_page(&path).await;
    assert!(page.contains("https://ledger.example/callback") && !page.contains("class=\"secret"), "{page}");
    let (_, after) = ana.reader.submit_form(&page, "id=\"verify-now\"", &[("action", "verify")]).await;
    assert!(after.contains("id=\"unverify-now\""), "{after}");
    // The log shows it, newest first.
    let log = ana.reader.open_page("/instance/events").await;
    let verified = log.find("/instance/events/").unwrap();
    assert!(log[verified..].contains("<time datetime="), "{log}");
}

async fn instance_console_needs_the_role_of_operators(world: &World) {
    let operators = world.find_organization("operator").await;
    let fields = [("action", "rotate"), ("algorithm", "ES256")];
    // Other roles of the operators' organization have no permission over the instance.
    for role in ["owner", "admin", "member"] {
        let mut user = create_operator_user(world, &format!("{role}@example.com"), role).await;
        for page in PAGES {
            assert_eq!(user.reader.open_url(page).await.0, 404, "{role}: {page}");
        }
        let account_page = user.reader.open_page("/my-account").await;
        let csrf = between(&account_page, "name=\"csrf\" value=\"", "\"").to_owned();
        let forged = [fields[0], fields[1], ("csrf", csrf.as_str())];
        let (status, _) = user.reader.forge_post("/instance/keys", &world.origin(), &forged).await;
        assert_eq!(status, 404, "{role}");
    }
    // Access ends with the membership, also for a page that is open.
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    let keys = ana.reader.open_page("/instance/keys").await;
    let boss = world.create_operator().await;
    let path = operators.path(&format!("/members/{}/disable", ana.membership));
    boss.post(&path, json!(null)).await.assert_status(200);
    assert_eq!(ana.reader.open_url("/instance/keys").await.0, 404);
    let (status, _) = ana.reader.submit_form(&keys, "id=\"rotate-now\"", &fields).await;
    assert_eq!(status, 404);
}

async fn instance_console_does_not_exist_for_members_of_other_organizations(world: &World) {
    let acme = world.create_organization("acme").await;
    let mut bia = world.create_console_user(&acme, "bia@example.com", "owner").await;
    for page in PAGES {
        assert_eq!(bia.reader.open_url(page).await.0, 404, "{page}");
    }
    let page = bia.reader.open_page("/console/acme").await;
    assert!(!page.contains("/instance"), "{page}");
    // An owner of the operators' organization who is no operator has no permission over the instance.
    let mut carla = create_operator_user(world, "carla@example.com", "owner").await;
    assert_eq!(carla.reader.open_url("/instance").await.0, 404);
    // A user who is not signed in signs in first.
    let mut page_browser = world.create_page_browser("en");
    let (_, page) = page_browser.open_url("/instance/users").await;
    assert!(page.contains("name=\"password\"") && !page.contains("bia@example.com"), "{page}");
}

async fn instance_console_forms_mark_the_invalid_field_and_keep_the_input(world: &World) {
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    let list = ana.reader.open_page("/instance/organizations").await;
    let fields = [("action", "create"), ("name", "Acme"), ("slug", "No such slug!")];
    let (_, after) = ana.reader.submit_form(&list, "id=\"create-now\"", &fields).await;
    assert!(
        after.contains("id=\"create-slug-error\"") && !after.contains("id=\"create-name-error\""),
        "{after}"
    );
    assert!(after.contains("value=\"No such slug!\"") && after.contains("value=\"Acme\""), "{after}");
    let fields = [("action", "create"), ("name", "Acme"), ("slug", "acme"), ("owner/email", "nobody")];
    let (_, after) = ana.reader.submit_form(&after, "id=\"create-now\"", &fields).await;
    assert!(after.contains("id=\"create-owner-email-error\""), "{after}");
    // A slug that is taken.
    world.create_organization("acme").await;
    let fields = [("action", "create"), ("name", "Acme"), ("slug", "acme")];
    let (_, after) = ana.reader.submit_form(&after, "id=\"create-now\"", &fields).await;
    assert!(
        after.contains("This conflicts with the current state") && after.contains("id=\"detail\""),
        "{after}"
    );
    // A form that is sent twice creates one.
    let list = ana.reader.open_page("/instance/organizations").await;
    let fields = [("action", "create"), ("name", "Twice"), ("slug", "twice")];
    for _ in 0..2 {
        ana.reader.submit_form(&list, "id=\"create-now\"", &fields).await;
    }
    let results_page = ana.reader.open_page("/instance/organizations?search=twice").await;
    assert_eq!(results_page.matches(">Twice</a>").count(), 1, "{results_page}");
}

async fn instance_console_needs_recent_authentication_for_access(world: &World) {
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    let keys = ana.reader.open_page("/instance/keys").await;
    world.clock.advance(Lifetime::from_hours(2));
    let fields = [("action", "rotate"), ("algorithm", "ES256")];
    let (_, proving) = ana.reader.submit_form(&keys, "id=\"rotate-now\"", &fields).await;
    assert!(proving.contains("name=\"password\""), "{proving}");
    let password = [("password", crate::harness::flow_client::PASSWORD), ("action", "password")];
    let (_, after) = ana.reader.submit_first_form(&proving, &password).await;
    // The new key is published, and does not sign yet.
    assert!(after.contains("The new key is published.") && !after.contains("is in effect"), "{after}");
    assert!(after.contains("published, does not sign yet"), "{after}");
    // The page says which algorithm is used for what, and that the key of the log is another one.
    assert!(after.contains("RS256: ID tokens") && after.contains("ES256: access tokens"), "{after}");
    assert!(after.contains("signs the log and is not rotated here"), "{after}");
}

async fn instance_console_lists_have_stable_urls_and_csv(world: &World) {
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    for number in 0..3 {
        world.create_organization(&format!("tenant-{number}")).await;
    }
    let list = ana.reader.open_page("/instance/organizations?search=tenant").await;
    let file = between(&list, "class=\"file\" href=\"", "\"").replace("&#38;", "&").replace("&amp;", "&");
    assert_eq!(file, "/instance/organizations?search=tenant&format=csv");
    let csv = ana.reader.open_page(&file).await;
    assert!(csv.starts_with("\"Name\",\"Slug\"") && csv.matches("\r\n").count() == 4, "{csv}");
    let none = ana.reader.open_page("/instance/users?search=nobody").await;
    assert!(none.contains("Nothing matches."), "{none}");
    let wrong = ana.reader.open_page("/instance/events?account=ana").await;
    assert!(wrong.contains("This value is not valid."), "{wrong}");
}

async fn instance_console_checklist_follows_the_state_of_the_instance(world: &World) {
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    let before = ana.reader.open_page("/instance").await;
    assert!(before.contains("id=\"step-application\">") && !before.contains("step-colleague"), "{before}");
    assert!(
        before.contains("id=\"step-production\">"),
        "a test instance is not ready for production: {before}"
    );
    // The first application is registered in place, and the form is gone with the step.
    let redirect = ("metadata/redirect_uris", "https://ledger.example/callback");
    let fields =
        [("action", "first-application"), ("type", "spa"), ("metadata/client_name", "Ledger"), redirect];
    let (_, created_page) = ana.reader.submit_form(&before, "id=\"first-application-now\"", &fields).await;
    assert!(created_page.contains("Created.") && created_page.contains("Ledger"), "{created_page}");
    let after = ana.reader.open_page("/instance").await;
    assert!(after.contains("id=\"step-application\" class=\"done\""), "{after}");
    assert!(!after.contains("first-application-now"), "{after}");
    assert!(ana.reader.open_page("/my-account").await.contains("id=\"open-console\" href=\"/instance\""));
    assert!(after.contains("id=\"step-organization\">") && after.contains("href=\"/dev/mail\""), "{after}");
    world.create_organization("acme").await;
    let after = ana.reader.open_page("/instance").await;
    assert!(after.contains("id=\"step-organization\" class=\"done\""), "{after}");
    let messages = ana.reader.open_page("/instance/messages").await;
    assert!(
        messages.contains("href=\"/dev/mail\"") && messages.contains("development mailbox"),
        "{messages}"
    );
}

async fn instance_console_health_checks_are_those_of_doctor(world: &World) {
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    let page = ana.reader.open_page("/instance/doctor").await;
    assert!(page.contains("something keeps this instance from production"), "{page}");
    assert!(page.contains("<code>issuer</code>") && page.contains("<code>database</code>"), "{page}");
    assert!(!page.contains("<code>delivery</code>"), "no other system is contacted: {page}");
    let path = between(&page, "class=\"onward\"><a href=\"", "\"").to_owned();
    assert_eq!(path, "/instance/doctor?connections=true");
    let page = ana.reader.open_page(&path).await;
    assert!(page.contains("<code>delivery</code>"), "{page}");
    // The same by the API, for operators only.
    let report = world.create_operator().await.get("/manage/doctor").await.assert_status(200).body;
    assert_eq!((&report["production_ready"], &report["mode"]), (&json!(false), &json!("development")));
    let operator = world.create_operator().await;
    operator.get("/manage/doctor?connections=yes").await.assert_status(400);
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    owner.get("/manage/doctor").await.assert_problem(403, "insufficient_scope");
}

async fn instance_console_user_page_shows_sessions_access_devices_and_events(world: &World) {
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    let bruno = world.create_user("bruno@example.com").await;
    let reset = format!("/manage/accounts/{}/reset", bruno.account);
    world.create_operator().await.post(&reset, json!(null)).await.assert_status(204);
    let page = format!("/instance/users/{}", bruno.account);
    let html = ana.reader.open_page(&page).await;
    for table in ["sessions", "access", "devices", "events"] {
        assert!(html.contains(&format!("<section class=\"panel\" id=\"{table}\"")), "{table}: {html}");
    }
    assert!(html.contains("value=\"end_session\"") && html.contains("/instance/events/"), "{html}");
    // One session ends; the page then has none.
    let (_, after) =
        ana.reader.submit_form(&html, "value=\"end_session\"", &[("action", "end_session")]).await;
    assert!(after.contains("No sessions.") && !after.contains("value=\"end_session\""), "{after}");
    assert_eq!(world.count_events("account.sessions_ended").await, 1);
    let (_, gone) =
        ana.reader.submit_form(&html, "value=\"end_session\"", &[("action", "end_session")]).await;
    assert!(!gone.contains("Done. The change is in effect."), "{gone}");
    // A session is found only with its account.
    let operator = world.create_operator().await;
    let sessions = format!("/manage/accounts/{}/sessions", ana.account);
    let session_list = operator.get(&sessions).await.assert_status(200).body;
    let own_session = session_list["items"][0]["id"].as_str().unwrap().to_owned();
    let wrong = format!("/manage/accounts/{}/sessions/{own_session}", bruno.account);
    operator.delete(&wrong, None).await.assert_problem(404, "not_found");
    assert_eq!(ana.reader.open_url("/instance/users").await.0, 200);
}

async fn instance_console_message_is_sent_again(world: &World) {
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    let bruno = world.create_user("bruno@example.com").await;
    let reset = format!("/manage/accounts/{}/reset", bruno.account);
    world.create_operator().await.post(&reset, json!(null)).await.assert_status(204);
    world.deliver_messages().await;
    let before = world.mailbox.email_count();
    let page = ana.reader.open_page("/instance/messages").await;
    let message = between(&page, "name=\"item\" value=\"", "\"").to_owned();
    let (_, after) = ana.reader.submit_form(&page, "value=\"resend\"", &[("action", "resend")]).await;
    assert!(after.contains("Done. The change is in effect."), "{after}");
    world.deliver_messages().await;
    assert_eq!(world.mailbox.email_count(), before + 1);
    // What has expired has no button.
    world.clock.advance(Lifetime::from_days(8));
    let mut bia = create_operator_user(world, "bia@example.com", "operator").await;
    let page = bia.reader.open_page("/instance/messages").await;
    assert!(!page.contains(&format!("value=\"{message}\"")), "{page}");
}

async fn instance_console_events_are_filtered_by_kind(world: &World) {
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    world.create_organization("acme").await;
    let page = ana.reader.open_page("/instance/events?kind=organization.created").await;
    let table = between(&page, "<tbody", "</tbody>");
    assert!(table.contains("/instance/events/") && !table.contains("Session started"), "{page}");
    let file = ana.reader.open_page("/instance/events?kind=organization.created&format=csv").await;
    assert!(file.matches("\r\n").count() >= 2 && !file.contains("Session started"), "{file}");
    let wrong = ana.reader.open_page("/instance/events?kind=nothing").await;
    assert!(wrong.contains("This value is not valid."), "{wrong}");
}

async fn console_search_finds_what_the_user_may_see(world: &World) {
    let mut ana = create_operator_user(world, "ana@example.com", "operator").await;
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let role = json!({"name": "reader", "permissions": ["organization:read", "roles:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let home = ana.reader.open_page("/instance").await;
    assert!(home.contains("id=\"to-search\"") && home.contains("href=\"/instance/search\""), "{home}");
    let results_page = ana.reader.open_page("/instance/search?q=ACME").await;
    let row = format!("href=\"/instance/organizations/{}\"", acme.id);
    assert!(results_page.contains(&row), "{results_page}");
    let results_page = ana.reader.open_page("/instance/search?q=ana%40example").await;
    assert!(results_page.contains(&format!("href=\"/instance/users/{}\"", ana.account)), "{results_page}");
    let none = ana.reader.open_page("/instance/search?q=nothing-like-it").await;
    assert!(none.contains("Nothing matches."), "{none}");
    // In an organization, only what the user may list.
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let results_page = rita.reader.open_page("/console/acme/search?q=r").await;
    assert!(
        results_page.contains(">reader</a>") && !results_page.contains("/console/acme/members/"),
        "{results_page}"
    );
    let mut olga = world.create_console_user(&acme, "olga@example.com", "owner").await;
    let results_page = olga.reader.open_page(&format!("/console/acme/search?q={}", rita.membership)).await;
    assert!(results_page.contains(&format!("/console/acme/members/{}", rita.membership)), "{results_page}");
}

async fn console_settings_of_an_organization_change_as_by_the_api(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let mut ana = world.create_console_user(&acme, "ana@example.com", "owner").await;
    let page = ana.reader.open_page("/console/acme/settings").await;
    let fields = [
        ("action", "change"),
        ("name", "Acme Ltda"),
        ("settings/language", "en"),
        ("settings/least_assurance", "aal1"),
        ("settings/single_sign_on", "optional"),
        ("settings/unverified_clients", "refuse"),
        ("settings/refused_grants.device_code", "on"),
        ("settings/delegation/own_agents", "on"),
    ];
    let (_, after) = ana.reader.submit_form(&page, "id=\"change-now\"", &fields).await;
    assert!(after.contains("Your changes are saved."), "{after}");
    let stored = owner.get(&acme.path("")).await.assert_status(200).body;
    assert_eq!(stored["name"], "Acme Ltda");
    assert_eq!(stored["settings"]["unverified_clients"], "refuse");
    assert_eq!(stored["settings"]["refused_grants"], json!(["device_code"]));
    // An earlier page is outdated: nothing is changed, and the input stays.
    let (_, after) = ana.reader.submit_form(&page, "id=\"change-now\"", &fields[..2]).await;
    assert!(!after.contains("Your changes are saved."), "{after}");
    // A reader of the organization sees the settings without a form.
    let role = json!({"name": "reader", "permissions": ["organization:read", "members:read"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let mut rita = world.create_console_user(&acme, "rita@example.com", "reader").await;
    let page = rita.reader.open_page("/console/acme/settings").await;
    assert!(page.contains("Acme Ltda") && !page.contains("method=\"post\""), "{page}");
    let csrf =
        between(&rita.reader.open_page("/my-account").await, "name=\"csrf\" value=\"", "\"").to_owned();
    let fields = [("csrf", csrf.as_str()), ("action", "change"), ("name", "Mine"), ("version", "2")];
    rita.reader.forge_post("/console/acme/settings", &world.origin(), &fields).await;
    assert_eq!(owner.get(&acme.path("")).await.assert_status(200).body["name"], "Acme Ltda");
}
