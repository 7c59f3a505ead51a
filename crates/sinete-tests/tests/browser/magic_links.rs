//! Magic links, in the browser that requested them and in another one.

use super::accessibility;
use super::chromium::{Browser, Scheme};
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use sinete_core::time::Lifetime;

const ANA: &str = "ana@example.org";

async fn asks_for_mail(browser: &Browser, world: &World) {
    browser.open(&format!("{}/sign-in", world.origin())).await;
    browser.fill("#identifier", ANA).await;
    browser.press("button[value='email']").await;
    browser.find("#code").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn magic_link_signs_in_on_button_press_and_once() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    world.create_user(ANA).await;
    asks_for_mail(&browser, &world).await;
    let link = format!("{}/link?token={}", world.origin(), world.emailed_link(ANA).await);
    // Opening the link has no effect, because mail scanners open it too.
    for _ in 0..2 {
        browser.open(&link).await;
        browser.find("#confirm-submit").await;
    }
    assert!(browser.words().await.contains(ANA), "{}", browser.words().await);
    accessibility::check(&browser, "the page of a link").await;
    browser.look(320, Scheme::Dark).await;
    accessibility::check(&browser, "the page of a link in the dark").await;
    assert!(browser.content_width().await <= 320);
    browser.reload().await;
    browser.press("#confirm-submit").await;
    browser.press("#passkey-skip").await;
    browser.find("#sessions").await;
    browser.expect_quiet_console("a link").await;
    // The link is single use, for every browser.
    browser.press("#sign-out").await;
    browser.find(".emblem.good").await;
    browser.open(&link).await;
    browser.find(".emblem").await;
    assert!(!browser.shows("#confirm-submit").await, "{}", browser.words().await);
    // A browser that did not request the link.
    world.clock.advance(Lifetime::from_minutes(10));
    asks_for_mail(&browser, &world).await;
    let link = format!("{}/link?token={}", world.origin(), world.emailed_link(ANA).await);
    let other = Browser::start_without_scripts("pt-BR").await;
    other.open(&link).await;
    other.press("#confirm-submit").await;
    other.press("#passkey-skip").await;
    other.find("#sessions").await;
    world.stop().await;
}
