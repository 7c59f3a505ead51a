//! A user approves a CIBA request in a real browser without scripts, after signing in and a step-up.

use super::accessibility;
use super::authorization::ana;
use super::chromium::Browser;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::second_factors::enroll_totp;
use crate::harness::world::World;
use serde_json::json;
use sinete_store::oauth::clients::ClientOrigin;

const ANA: &str = "ana@example.org";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ciba_request_is_approved_from_its_email_after_step_up() {
    let (world, browser) =
        (World::start(TestEngine::Sqlite).await, Browser::start_without_scripts("en").await);
    let (_, ana) = ana(&world).await;
    let app = enroll_totp(&world, &ana).await;
    let agent = world.create_ciba_client(ClientOrigin::Operator, json!({"scope": "openid email"})).await;
    let request = agent.start_ciba(ANA, &[("scope", "openid email")]).await;
    let email_text = world.newest_email_text(ANA).await;
    browser
        .open(email_text.split_whitespace().find(|word| word.contains("/approve?request=")).unwrap())
        .await;
    browser.find("#sign-in-submit").await;
    browser.fill("#identifier", ANA).await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
    browser.find("#code").await;
    browser.fill("#code", &app.current_code(&world)).await;
    browser.press("#code-submit").await;
    browser.find("#binding-message").await;
    let words = browser.words().await;
    for expected_text in
        ["Ledger agent", "Do you expect this?", "Pay 12.00 EUR to Moinho", "127.0.0.1", "Acme"]
    {
        assert!(words.to_lowercase().contains(&expected_text.to_lowercase()), "{expected_text}: {words}");
    }
    // Loading the page any number of times answers nothing.
    browser.reload().await;
    browser.find("#consent-allow").await;
    agent.assert_ciba_poll_error(&request, "authorization_pending").await;
    browser.press("#consent-allow").await;
    browser.find("a[href$='/my-account']").await;
    assert!(browser.words().await.contains("Request approved"));
    agent.redeem_ciba(&request).await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ciba_pages_are_accessible_in_portuguese() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("pt-BR").await);
    let (_, ana) = ana(&world).await;
    let app = enroll_totp(&world, &ana).await;
    let agent = world.create_ciba_client(ClientOrigin::Operator, json!({})).await;
    let request = agent.start_ciba(ANA, &[]).await;
    let email_text = world.newest_email_text(ANA).await;
    browser
        .open(email_text.split_whitespace().find(|word| word.contains("/approve?request=")).unwrap())
        .await;
    browser.find("#sign-in-submit").await;
    browser.fill("#identifier", ANA).await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
    browser.find("#code").await;
    browser.fill("#code", &app.current_code(&world)).await;
    browser.press("#code-submit").await;
    browser.find("#consent-deny").await;
    accessibility::check(&browser, "a request for approval").await;
    browser.press("#consent-deny").await;
    browser.find("a[href$='/my-account']").await;
    assert!(browser.words().await.contains("Pedido negado"));
    accessibility::check(&browser, "a request that was denied").await;
    agent.assert_ciba_poll_error(&request, "access_denied").await;
    world.stop().await;
}
