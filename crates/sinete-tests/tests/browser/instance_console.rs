//! The pages of the instance and the newer pages of organizations in a real browser: accessible, in both languages and color
//! schemes, in phone and desktop sizes. On request, a picture of each is written to `target/tmp/console-pages`.

use super::accessibility;
use super::chromium::{Browser, Scheme};
use super::screens::takes_every_screenshot;
use crate::harness::database::TestEngine;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::events::usage::UsageCounter;
use sinete_core::events::usage::period::UsagePeriod;
use sinete_core::id::OrganizationId;
use sinete_store::events::usage::{self, UsageOwner};
use std::path::Path;

/// Maximum size of a page.
const PAGE_BYTES_MAX: u64 = 60_000;

/// Counts something for the charts of the instance and of an organization, on each of the last days.
async fn count_usage(world: &World, organization: OrganizationId) {
    let today = UsagePeriod::Day.period_start(world.server.engine().now());
    let mut statements = Vec::new();
    for (index, counter) in UsageCounter::ALL.iter().enumerate() {
        let period = UsagePeriod::ALL.into_iter().find(|it| UsageCounter::active_users(*it) == *counter);
        for day in 0..if period.is_none() { 30 } else { 12 } {
            let at = period.unwrap_or(UsagePeriod::Day).last_starts(today, day + 1)[0];
            let count = i64::from((day * 7 + 3) % 11) * [100, 4, 1][index % 3];
            for owner in [UsageOwner::Instance, UsageOwner::Organization(organization)] {
                statements.push(usage::add_usage(owner, *counter, at, count));
            }
        }
    }
    world.apply_statements(statements).await;
}

/// The name of the picture of a page; an id in its path is not part of it.
fn picture_name(area: &str, below: &str) -> String {
    let parts = below.split('/').filter(|part| !part.is_empty());
    let parts = parts.map(|part| if part.len() > 20 { "one" } else { part });
    [area].into_iter().chain(parts).collect::<Vec<_>>().join("-")
}

/// Signs in an operator who also owns an organization, and creates something for every page to show.
async fn prepared_pages(world: &World, browser: &Browser) -> Vec<(String, String)> {
    let acme = world.create_organization("acme").await;
    let operators = world.find_organization("operator").await;
    let ana = world.create_user("ana@example.org").await;
    let user = SignedInUser { world, account: ana.account, token: ana.session.clone() };
    user.join_organization(&operators, "operator").await;
    let member = user.join_organization(&acme, "owner").await;
    browser.open(&world.origin()).await;
    browser.holds_session(&world.origin(), &ana.session).await;
    let operator = world.create_operator().await;
    let client = json!({"kind": "application", "metadata": {
        "client_name": "Ledger", "redirect_uris": ["https://ledger.example/callback"],
    }});
    let client = operator.post("/manage/clients", client).await.assert_status(201).body;
    let api = json!({"name": "Documents", "identifier": "https://documents.example", "offered_to_all": true,
        "permissions": [{"permission": "documents:read", "english": "Read documents", "portuguese": "Ler documentos"}]});
    let api = operator.post("/manage/apis", api).await.assert_status(201).body;
    let webhook = operator.post("/manage/webhooks", json!({"address": "https://hooks.example/events"}));
    let webhook = webhook.await.assert_status(201).body;
    count_usage(world, acme.id).await;
    let id = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    let of_instance = [
        String::new(),
        "/health".to_owned(),
        "/organizations".to_owned(),
        format!("/organizations/{}", acme.id),
        "/users".to_owned(),
        format!("/users/{}", ana.account),
        "/applications".to_owned(),
        format!("/applications/{}", id(&client["id"])),
        format!("/applications/{}/settings", id(&client["id"])),
        "/apis".to_owned(),
        format!("/apis/{}", id(&api["id"])),
        format!("/apis/{}/relationships", id(&api["id"])),
        format!("/apis/{}/organizations/{}/relationships", id(&api["id"]), acme.id),
        "/keys".to_owned(),
        "/messages".to_owned(),
        "/webhooks".to_owned(),
        format!("/webhooks/{}", id(&webhook["webhook"]["id"])),
        "/events".to_owned(),
        "/usage".to_owned(),
        "/assignments".to_owned(),
        "/settings".to_owned(),
        "/branding".to_owned(),
        "/doctor".to_owned(),
        "/search".to_owned(),
    ];
    let of_acme = [
        String::new(),
        "/usage".to_owned(),
        "/settings".to_owned(),
        "/branding".to_owned(),
        "/scim".to_owned(),
        "/apis".to_owned(),
        format!("/apis/{}", id(&api["id"])),
        format!("/apis/{}/relationships", id(&api["id"])),
        "/grants".to_owned(),
        "/approvals".to_owned(),
        "/audit-log".to_owned(),
        "/invitations".to_owned(),
        "/keys".to_owned(),
        "/members".to_owned(),
        "/roles".to_owned(),
        format!("/members/{member}"),
        format!("/members/{member}/profile"),
    ];
    let name_page = |area, root: &str, below: &String| (picture_name(area, below), format!("{root}{below}"));
    let instance = of_instance.iter().map(|below| name_page("instance", "/instance", below));
    instance.chain(of_acme.iter().map(|below| name_page("organization", "/console/acme", below))).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instance_console_pages_are_accessible_in_english_and_light_on_a_desktop() {
    assert_accessible("en", 1280, Scheme::Light).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instance_console_pages_are_accessible_in_portuguese_and_dark_on_a_phone() {
    assert_accessible("pt-BR", 375, Scheme::Dark).await;
}

/// Opens every page in this language, window width and color scheme.
async fn assert_accessible(language: &str, width: u32, scheme: Scheme) {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("console-pages");
    std::fs::create_dir_all(&folder).unwrap();
    for (name, path) in prepared_pages(&world, &browser).await {
        let context = format!("{name} in {language}");
        browser.look(width, scheme).await;
        browser.open(&format!("{}{path}?ui_locales={language}", world.origin())).await;
        browser.find(".panels h1").await;
        // Collapsed forms are checked too.
        let open = "for (const it of document.querySelectorAll('details')) it.open = true;
            return document.documentElement.outerHTML.length";
        let size = browser.run(open, json!([])).await.as_u64().unwrap();
        assert!(size <= PAGE_BYTES_MAX, "{context}: {size} bytes");
        accessibility::check(&browser, &context).await;
        assert!(browser.content_width().await <= u64::from(width), "{context}");
        browser.expect_quiet_console(&context).await;
        if takes_every_screenshot() {
            std::fs::write(folder.join(format!("{name}-{language}.png")), browser.picture("png").await)
                .unwrap();
        }
    }
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn instance_console_operator_creates_an_organization_without_scripts() {
    let (world, browser) =
        (World::start(TestEngine::Sqlite).await, Browser::start_without_scripts("en").await);
    prepared_pages(&world, &browser).await;
    browser.open(&format!("{}/instance/organizations", world.origin())).await;
    browser.press("#create summary").await;
    browser.fill("#create-name", "Padaria").await;
    browser.fill("#create-slug", "Padaria!").await;
    browser.press("#create-now").await;
    browser.find("#create-slug-error").await;
    browser.fill("#create-slug", "padaria").await;
    browser.press("#create-now").await;
    assert!(browser.element_text("[role='status']").await.contains("Created"));
    assert_eq!(browser.element_text("h1").await, "Padaria");
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn console_search_is_reached_by_keyboard() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    prepared_pages(&world, &browser).await;
    browser.open(&format!("{}/instance/keys", world.origin())).await;
    browser.find("#to-search").await;
    let slash = "document.body.dispatchEvent(new KeyboardEvent('keydown', {key: '/', bubbles: true, cancelable: true}))";
    browser.run(slash, json!([])).await;
    browser.find("#results-q").await;
    browser.run(slash, json!([])).await;
    let focused = browser.run("return document.activeElement.id", json!([])).await;
    assert_eq!(focused, "results-q");
    browser.fill("#results-q", "acme").await;
    browser.press("#results-show").await;
    assert!(browser.element_text("#results table").await.contains("acme"));
    accessibility::check(&browser, "search").await;
    world.stop().await;
}
