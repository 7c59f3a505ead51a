//! Passkeys and authenticator apps in a real browser with its virtual authenticator.

use super::accessibility;
use super::chromium::Browser;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::totp_app::TotpApp;
use crate::harness::world::World;
use serde_json::json;

const ANA: &str = "ana@example.org";

async fn signed_up_with_a_passkey(world: &World, browser: &Browser, email: &str) {
    browser.open(&format!("{}/sign-up", world.origin())).await;
    browser.fill("#name", "Caio").await;
    browser.fill("#identifier", email).await;
    browser.press("[data-passkey='create']").await;
    browser.find("#code").await;
    browser.fill("#code", &world.emailed_code(email).await).await;
    browser.press("#code-submit").await;
    browser.find("#sessions").await;
}

async fn signed_out(browser: &Browser) {
    browser.press("#sign-out").await;
    browser.find(".emblem.good").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn passkey_signs_up_and_signs_in_by_autofill() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    browser.plug_in_authenticator().await;
    signed_up_with_a_passkey(&world, &browser, "caio@example.org").await;
    assert!(browser.words().await.contains("Not set. You don’t need one."), "there is no password");
    signed_out(&browser).await;
    // The browser offers the passkey through conditional mediation, and the user accepts.
    browser.open(&format!("{}/sign-in", world.origin())).await;
    browser.find("#sessions").await;
    browser.expect_quiet_console("a passkey while filling in").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn passkey_offer_after_a_password_can_be_skipped_and_its_button_signs_in() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let device = browser.plug_in_authenticator().await;
    world.create_user(ANA).await;
    let sign_in = async |browser: &Browser| {
        browser.open(&format!("{}/sign-in", world.origin())).await;
        browser.fill("#identifier", ANA).await;
        browser.fill("#password", PASSWORD).await;
        browser.press("#sign-in-submit").await;
    };
    sign_in(&browser).await;
    browser.press("#passkey-skip").await;
    browser.find("#sessions").await;
    signed_out(&browser).await;
    sign_in(&browser).await;
    browser.find("#passkey-skip").await;
    accessibility::check(&browser, "the offer of a passkey").await;
    browser.press("[data-passkey='create']").await;
    browser.find("#sessions").await;
    assert!(browser.words().await.contains("on one device"));
    signed_out(&browser).await;
    // Without conditional mediation, only the button is left.
    browser.offers_no_passkey_by_itself().await;
    browser.open(&format!("{}/sign-in", world.origin())).await;
    browser.allow(&device, false).await;
    browser.press("[data-passkey='get']").await;
    browser.find("[data-passkey='get'] ~ .trouble:not([hidden])").await;
    assert!(browser.words().await.contains("The passkey was not used"), "{}", browser.words().await);
    accessibility::check(&browser, "a passkey that did not work").await;
    browser.allow(&device, true).await;
    browser.press("[data-passkey='get']").await;
    browser.find("#sessions").await;
    browser.expect_quiet_console("a passkey by its button").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn totp_enrollment_needs_its_first_code() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    world.create_user(ANA).await;
    let sign_in = async || {
        browser.open(&format!("{}/sign-in", world.origin())).await;
        browser.fill("#identifier", ANA).await;
        browser.fill("#password", PASSWORD).await;
        browser.press("#sign-in-submit").await;
    };
    sign_in().await;
    browser.press("#passkey-skip").await;
    browser.press("#add-totp").await;
    accessibility::check(&browser, "setting up an authenticator application").await;
    let seed = browser.run("return document.querySelector('.secret').textContent", json!([])).await;
    let app = TotpApp::from_secret(seed.as_str().unwrap());
    browser.fill("#code", "000000").await;
    browser.press("#code-submit").await;
    browser.find("#trouble").await;
    browser.fill("#code", &app.current_code(&world)).await;
    browser.press("#code-submit").await;
    browser.find("#codes").await;
    browser.press("#codes-kept").await;
    browser.find("#sessions").await;
    assert!(browser.words().await.contains("On since"));
    browser.expect_quiet_console("an authenticator application").await;
    world.stop().await;
}
