//! A user confirms a device in a real browser: with scripts and without, by keyboard, in both languages.

use super::accessibility;
use super::authorization::ana;
use super::chromium::Browser;
use super::keyboard::Key;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_store::oauth::clients::ClientOrigin;

const ANA: &str = "ana@example.org";

async fn signs_in(browser: &Browser) {
    browser.find("#sign-in-submit").await;
    browser.fill("#identifier", ANA).await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn device_authorization_is_confirmed_after_comparing_the_code() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let (tv, _) = (
        world.create_device_client(ClientOrigin::Operator, json!({"scope": "openid email"})).await,
        ana(&world).await,
    );
    let reply = tv.start_device_authorization(&[("scope", "openid email")]).await;
    browser.open(reply.response["verification_uri_complete"].as_str().unwrap()).await;
    signs_in(&browser).await;
    browser.find("#user-code").await;
    let words = browser.words().await;
    assert!(words.contains("Does your device show exactly this code?") && words.contains(ANA), "{words}");
    accessibility::check(&browser, "the code to compare").await;
    // Loading the page any number of times sends nothing.
    browser.reload().await;
    browser.find("#user-code").await;
    assert_eq!(world.count_events("device.recognised").await, 0);
    browser.press("#code-submit").await;
    browser.find("#consent-allow").await;
    let words = browser.words().await;
    for expected_text in ["TV", "Did you start this yourself, just now?", "127.0.0.1", "Acme"] {
        assert!(words.to_lowercase().contains(&expected_text.to_lowercase()), "{expected_text}: {words}");
    }
    accessibility::check(&browser, "the confirmation of a device").await;
    browser.press("#consent-allow").await;
    browser.find("a[href$='/my-account']").await;
    assert!(browser.words().await.contains("Your device is connected"));
    accessibility::check(&browser, "a device that is connected").await;
    assert_eq!(tv.redeem_device_code(&reply).await["scope"], "openid email");
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn device_authorization_is_denied_without_scripts_by_keyboard_in_portuguese() {
    let (world, browser) =
        (World::start(TestEngine::Sqlite).await, Browser::start_without_scripts("pt-BR").await);
    let (tv, _) = (
        world.create_device_client(ClientOrigin::Operator, json!({"scope": "openid"})).await,
        ana(&world).await,
    );
    let reply = tv.start_device_authorization(&[("scope", "openid")]).await;
    browser.open(reply.response["verification_uri"].as_str().unwrap()).await;
    signs_in(&browser).await;
    browser.find("#user-code").await;
    browser.fill("#user-code", "bbbb bbbb").await;
    browser.press("#code-submit").await;
    browser.find("#trouble").await;
    assert!(browser.words().await.contains("Este código não é válido"));
    browser.fill("#user-code", &reply.user_code.to_lowercase()).await;
    browser.presses(Key::Enter).await;
    browser.find("#consent-deny").await;
    browser.press("#consent-deny").await;
    browser.find("a[href$='/my-account']").await;
    assert!(browser.words().await.contains("O acesso do dispositivo foi negado"));
    tv.assert_device_poll_error(&reply, "access_denied").await;
    world.stop().await;
}
