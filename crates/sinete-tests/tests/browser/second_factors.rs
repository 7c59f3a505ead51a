//! TOTP and recovery codes after a password, and step-up.

use super::accessibility;
use super::chromium::Browser;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::second_factors::{enroll_recovery_codes, enroll_totp};
use crate::harness::world::World;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

const ANA: &str = "ana@example.org";

/// Signs in with the password, up to the second factor.
async fn signs_in(browser: &Browser, world: &World) {
    browser.open(&format!("{}/sign-in", world.origin())).await;
    browser.fill("#identifier", ANA).await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
    browser.find("#code").await;
}

async fn attribute(browser: &Browser, selector: &str, name: &str) -> String {
    let script = "return document.querySelector(arguments[0]).getAttribute(arguments[1])";
    browser.run(script, json!([selector, name])).await.as_str().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn totp_or_recovery_code_follows_the_password_and_works_once() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let ana = world.create_user(ANA).await;
    let app = enroll_totp(&world, &ana).await;
    let strong = world
        .sign_in_account(
            ana.account,
            &AuthenticationEvidence::from_proof(AuthenticationProof::Password)
                .with_proof(AuthenticationProof::Totp),
        )
        .await;
    let codes = enroll_recovery_codes(&world, &world.user_with_session(&strong.token).await).await;
    signs_in(&browser, &world).await;
    accessibility::check(&browser, "a TOTP code after a password").await;
    assert_eq!(attribute(&browser, "#code", "autocomplete").await, "one-time-code");
    assert_eq!(attribute(&browser, "#code", "inputmode").await, "numeric");
    browser.focuses("code").await;
    // The previous page belongs to an earlier stage: it redirects to the current one.
    browser.back().await;
    browser.find("#code").await;
    browser.reload().await;
    browser.fill("#code", "000000").await;
    browser.press("#code-submit").await;
    browser.find("#trouble").await;
    assert_eq!(attribute(&browser, "#code", "aria-invalid").await, "true");
    let digits = app.current_code(&world);
    browser.fill("#code", &format!("{} {}", &digits[..3], &digits[3..])).await;
    browser.press("#code-submit").await;
    browser.press("#passkey-skip").await;
    browser.press("#sign-out").await;
    browser.find(".emblem.good").await;
    // The TOTP code was used; a recovery code is another method.
    signs_in(&browser, &world).await;
    browser.fill("#code", &digits).await;
    browser.press("#code-submit").await;
    browser.find("#trouble").await;
    browser.press(".others summary").await;
    browser.press("#use-recovery_code").await;
    browser.find("#code.long").await;
    accessibility::check(&browser, "a recovery code").await;
    browser.fill("#code", &codes[0].to_uppercase()).await;
    browser.press("#code-submit").await;
    browser.press("#passkey-skip").await;
    browser.find("#sessions").await;
    assert!(browser.words().await.contains("9 left"), "{}", browser.words().await);
    browser.press("#sign-out").await;
    signs_in(&browser, &world).await;
    browser.press(".others summary").await;
    browser.press("#use-recovery_code").await;
    browser.fill("#code.long", &codes[0]).await;
    browser.press("#code-submit").await;
    browser.find("#trouble").await;
    browser.expect_quiet_console("second factors").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sensitive_action_after_a_while_requires_step_up() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let ana = world.create_user(ANA).await;
    browser.holds_session(&world.origin(), &ana.session).await;
    world.clock.advance(Lifetime::from_hours(2));
    browser.open(&format!("{}/my-account", world.origin())).await;
    browser.press("#add-totp").await;
    browser.find("#password").await;
    assert!(browser.words().await.contains(ANA) && !browser.shows("#identifier:not([hidden])").await);
    accessibility::check(&browser, "a step-up").await;
    assert_eq!(attribute(&browser, "#password", "autocomplete").await, "current-password");
    browser.fill("#password", "not the password of ana").await;
    browser.press("#sign-in-submit").await;
    browser.find("#trouble").await;
    browser.reload().await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
    // The requested action continues after the step-up.
    browser.find(".qr").await;
    browser.expect_quiet_console("a step-up").await;
    world.stop().await;
}
