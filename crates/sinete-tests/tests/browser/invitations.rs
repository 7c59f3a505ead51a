//! Accepting an invitation from its e-mail.

use super::accessibility;
use super::chromium::{Browser, Scheme};
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;

const ANA: &str = "ana@example.org";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invitation_is_accepted_by_signing_up_and_its_link_works_once() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let acme = world.create_organization("acme").await;
    world.create_owner(&acme).await.invite(ANA).await;
    let link = format!("{}/accept-invitation?token={}", world.origin(), world.emailed_invitation(ANA).await);
    browser.look(320, Scheme::Dark).await;
    browser.open(&link).await;
    browser.find("#sign-up-submit").await;
    let words = browser.words().await;
    assert!(words.contains("acme") && words.contains("Your role: member") && words.contains(ANA), "{words}");
    accessibility::check(&browser, "an invitation").await;
    assert!(browser.content_width().await <= 320);
    // Loading the page any number of times accepts nothing.
    browser.reload().await;
    browser.open(&link).await;
    browser.fill("#name", "Ana").await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-up-submit").await;
    browser.press("#passkey-skip").await;
    assert!(browser.element_text("#memberships").await.contains("acme"));
    browser.expect_quiet_console("an invitation").await;
    browser.press("#sign-out").await;
    browser.find(".emblem.good").await;
    browser.open(&link).await;
    browser.find(".emblem").await;
    assert!(browser.words().await.contains("This link is no longer valid"), "{}", browser.words().await);
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn invitation_is_accepted_by_signing_in_without_scripts_in_portuguese() {
    let (world, browser) =
        (World::start(TestEngine::Sqlite).await, Browser::start_without_scripts("pt-BR").await);
    world.create_user(ANA).await;
    let acme = world.create_organization("acme").await;
    world.create_owner(&acme).await.invite(ANA).await;
    let link = format!("{}/accept-invitation?token={}", world.origin(), world.emailed_invitation(ANA).await);
    browser.open(&link).await;
    assert!(browser.element_text(".lead").await.contains("acme"));
    browser.fill("#password", "not the password of ana").await;
    browser.press("#sign-in-submit").await;
    browser.find("#trouble").await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
    browser.press("#passkey-skip").await;
    assert!(browser.element_text("#memberships").await.contains("acme"));
    world.stop().await;
}
