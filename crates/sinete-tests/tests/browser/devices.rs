//! Somebody answers for a device in a real browser: with scripts and without, by the keyboard, in both languages.

use super::accessibility;
use super::applications::ana;
use super::chromium::Browser;
use super::keyboard::Key;
use crate::harness::database::TestEngine;
use crate::harness::person::PASSWORD;
use crate::harness::world::World;
use serde_json::json;
use sinete_store::clients::ClientOrigin;

const ANA: &str = "ana@example.org";

async fn signs_in(browser: &Browser) {
    browser.find("#sign-in-submit").await;
    browser.fill("#identifier", ANA).await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn somebody_answers_for_a_device_after_comparing_its_code_and_seeing_who_asks() {
    let (world, browser) = (World::begin(TestEngine::Sqlite).await, Browser::start("en").await);
    let (tv, _) =
        (world.device(ClientOrigin::Operator, json!({"scope": "openid email"})).await, ana(&world).await);
    let waiting = tv.waits(&[("scope", "openid email")]).await;
    browser.open(waiting.told["verification_uri_complete"].as_str().unwrap()).await;
    signs_in(&browser).await;
    browser.find("#user-code").await;
    let words = browser.words().await;
    assert!(words.contains("does your device show exactly this code") && words.contains(ANA), "{words}");
    accessibility::check(&browser, "comparing a code").await;
    // Nothing is sent by itself, however long one looks and however often it is loaded.
    browser.reload().await;
    browser.find("#user-code").await;
    assert_eq!(world.logged("device.recognised").await, 0);
    browser.press("#code-submit").await;
    browser.find("#consent-allow").await;
    let words = browser.words().await;
    for said in ["TV", "Did you start this yourself, just now?", "127.0.0.1", "Acme"] {
        assert!(words.to_lowercase().contains(&said.to_lowercase()), "{said}: {words}");
    }
    accessibility::check(&browser, "answering for a device").await;
    browser.press("#consent-allow").await;
    browser.find("a[href$='/my-account']").await;
    assert!(browser.words().await.contains("Your device is connected"));
    accessibility::check(&browser, "a device that is connected").await;
    assert_eq!(tv.is_handed(&waiting).await["scope"], "openid email");
    world.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_browser_without_scripts_types_a_code_in_portuguese_and_denies_with_the_keyboard() {
    let (world, browser) =
        (World::begin(TestEngine::Sqlite).await, Browser::start_without_scripts("pt-BR").await);
    let (tv, _) = (world.device(ClientOrigin::Operator, json!({"scope": "openid"})).await, ana(&world).await);
    let waiting = tv.waits(&[("scope", "openid")]).await;
    browser.open(waiting.told["verification_uri"].as_str().unwrap()).await;
    signs_in(&browser).await;
    browser.find("#user-code").await;
    browser.fill("#user-code", "bbbb bbbb").await;
    browser.press("#code-submit").await;
    browser.find("#trouble").await;
    assert!(browser.words().await.contains("Nenhum dispositivo mostra este código agora"));
    browser.fill("#user-code", &waiting.user_code.to_lowercase()).await;
    browser.presses(Key::Enter).await;
    browser.find("#consent-deny").await;
    browser.press("#consent-deny").await;
    browser.find("a[href$='/my-account']").await;
    assert!(browser.words().await.contains("O dispositivo não recebe nada"));
    tv.is_told(&waiting, "access_denied").await;
    world.end().await;
}
