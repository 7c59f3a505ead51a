//! The API explorer in a real browser: from the landing page to an operation, with a search, without a script.

use super::accessibility;
use super::chromium::{Browser, Scheme};
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use serde_json::json;

/// The addresses of everything that the page loaded from elsewhere.
const LOADED_ELSEWHERE: &str = "return performance.getEntriesByType('resource').map((it) => it.name)
    .filter((name) => !name.startsWith(location.origin + '/'))";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn api_explorer_is_accessible_and_loads_no_external_resources() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    browser.open(&format!("{}/", world.origin())).await;
    browser.press("a[href$='/docs']").await;
    assert_eq!(browser.element_text("h1").await, "API");
    check_page(&browser, "the list").await;

    browser.fill("#q", "post /roles").await;
    browser.press(".search button").await;
    check_page(&browser, "the operations found").await;
    browser.press("a[href$='/docs/createRole']").await;
    let command = browser.element_text("#command + pre").await;
    assert!(command.starts_with("curl -X POST") && command.contains(&world.origin()), "{command}");
    assert!(browser.element_text(".fields").await.contains("organization"));
    check_page(&browser, "an operation").await;

    browser.open(&format!("{}/docs?q=nothing+is+called+so", world.origin())).await;
    assert!(browser.element_text("[role='status']").await.contains("No operation matches"));
    check_page(&browser, "nothing found").await;
    world.stop().await;
}

async fn check_page(browser: &Browser, context: &str) {
    for scheme in [Scheme::Light, Scheme::Dark] {
        browser.look(1280, scheme).await;
        accessibility::check(browser, context).await;
    }
    for width in [320, 640, 1280] {
        browser.look(width, Scheme::Light).await;
        let content_width = browser.content_width().await;
        assert!(content_width <= u64::from(width), "{context}: {content_width} wide in {width}");
    }
    assert_eq!(browser.run(LOADED_ELSEWHERE, json!([])).await, json!([]), "{context}");
    browser.expect_quiet_console(context).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn api_explorer_works_without_scripts() {
    let (world, browser) =
        (World::start(TestEngine::Postgres).await, Browser::start_without_scripts("en").await);
    browser.open(&format!("{}/docs", world.origin())).await;
    browser.fill("#q", "api-keys post").await;
    browser.press(".search button").await;
    browser.press("a[href$='/docs/issueApiKey']").await;
    assert!(browser.element_text("#command + pre").await.contains("/api-keys'"));
    world.stop().await;
}
