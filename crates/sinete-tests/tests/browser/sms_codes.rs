//! Codes by SMS: as a sign-in method, as a second factor after a password, and to verify a number.

use super::accessibility;
use super::chromium::{Browser, Scheme};
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::second_factors::enroll_totp;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::EMAIL_CODE_INTERVAL;
use sinete_store::sign_in::credentials;

const ANA: &str = "ana@example.org";
const NUMBER: &str = "+5581999990000";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sms_code_signs_in_without_scripts_in_portuguese() {
    let (world, browser) =
        (World::start(TestEngine::Sqlite).await, Browser::start_without_scripts("pt-BR").await);
    let ana = world.create_user(ANA).await;
    world.add_verified_phone(ana.account, NUMBER).await;
    browser.open(&format!("{}/sign-in", world.origin())).await;
    browser.press("#use-sms_code").await;
    assert_eq!(browser.element_text("h1").await, "Entrar por SMS");
    browser.fill("#phone", "99990000").await;
    browser.press("#phone-submit").await;
    assert!(browser.element_text("#trouble").await.contains("código do país"));
    // Reloading shows the same page, with a link back.
    browser.reload().await;
    browser.press("#another-way").await;
    browser.find("#sign-in-submit").await;
    browser.press("#use-sms_code").await;
    browser.fill("#phone", "+55 (81) 99999-0000").await;
    browser.press("#phone-submit").await;
    browser.find("#code").await;
    assert!(browser.element_text(".lead").await.contains(NUMBER));
    browser.fill("#code", "000000").await;
    browser.press("#code-submit").await;
    browser.find("#trouble").await;
    browser.reload().await;
    let code = world.sms_code(NUMBER).await;
    browser.fill("#code", &format!("{} {}", &code[..3], &code[3..])).await;
    browser.press("#code-submit").await;
    browser.press("#passkey-skip").await;
    assert!(browser.element_text("#sessions-title").await.contains("Sessões ativas"));
    assert_eq!(world.count_sms_to(NUMBER).await, 1);
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sms_code_for_an_unknown_number_returns_the_same_page_and_sends_nothing() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let ana = world.create_user(ANA).await;
    world.add_verified_phone(ana.account, NUMBER).await;
    let mut page_texts = Vec::new();
    for number in [NUMBER, "+5581999991111"] {
        browser.open(&format!("{}/sign-in", world.origin())).await;
        browser.press("#use-sms_code").await;
        browser.find("#phone").await;
        accessibility::check(&browser, "a telephone number").await;
        browser.fill("#phone", number).await;
        browser.press("#phone-submit").await;
        // Another message may be sent only after a while, and the page shows the remaining time.
        browser.find("[data-countdown]").await;
        let words = browser.words().await.replace(number, "…");
        page_texts.push(words.lines().filter(|line| !line.contains(" in ")).collect::<Vec<_>>().join("\n"));
        accessibility::check(&browser, "an SMS code").await;
    }
    assert_eq!(page_texts[0], page_texts[1]);
    assert_eq!(world.count_sms_to("+5581999991111").await, 0);
    browser.expect_quiet_console("a telephone number").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sms_code_follows_a_password_on_a_small_dark_screen() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let ana = world.create_user(ANA).await;
    // An SMS code does not replace the authenticator app of an account that has one.
    enroll_totp(&world, &ana).await;
    let credentials =
        credentials::list_account_credentials(world.server.engine().store(), ana.account).await.unwrap();
    let app = credentials.iter().find(|it| it.kind == credentials::StoredCredentialKind::Totp).unwrap();
    world.apply_statements([credentials::disable_credential(app, world.server.engine().now())]).await;
    world.add_verified_phone(ana.account, NUMBER).await;
    browser.look(320, Scheme::Dark).await;
    browser.open(&format!("{}/sign-in", world.origin())).await;
    browser.fill("#identifier", ANA).await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
    browser.find("button[value='sms_code']").await;
    accessibility::check(&browser, "whether to send a text message").await;
    assert!(browser.content_width().await <= 320);
    browser.press("button[value='sms_code']").await;
    browser.find("#another-way").await;
    // Only the last digits are shown: knowing the password must not reveal the number.
    assert_eq!(world.count_sms_to(NUMBER).await, 1);
    let words = browser.words().await;
    assert!(words.contains("••• 00") && !words.contains(NUMBER), "{words}");
    accessibility::check(&browser, "an SMS code after a password").await;
    browser.press("#another-way").await;
    browser.find("button[value='sms_code']").await;
    world.clock.advance(EMAIL_CODE_INTERVAL);
    browser.press("button[value='sms_code']").await;
    browser.find("#another-way").await;
    let code = world.sms_code(NUMBER).await;
    browser.fill("#code", &code).await;
    browser.press("#code-submit").await;
    browser.press("#passkey-skip").await;
    browser.find("#sessions").await;
    browser.expect_quiet_console("an SMS code").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn phone_number_is_added_verified_and_removed_on_the_account_page() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let ana = world.create_user(ANA).await;
    browser.holds_session(&world.origin(), &ana.session).await;
    browser.open(&format!("{}/my-account", world.origin())).await;
    browser.press("#add-phone summary").await;
    browser.fill("#new-phone", "nonsense").await;
    browser.press("#add-phone-submit").await;
    browser.find("#trouble").await;
    let field_value = browser.run("return document.getElementById('new-phone').value", json!([])).await;
    assert_eq!(field_value, "nonsense");
    accessibility::check(&browser, "an invalid number").await;
    browser.fill("#new-phone", "+55 81 99999 0000").await;
    browser.press("#add-phone-submit").await;
    browser.find("#code").await;
    assert!(browser.words().await.contains("Verify your phone number"));
    accessibility::check(&browser, "confirming a number").await;
    browser.back().await;
    browser.find("#contacts").await;
    assert!(browser.words().await.contains("not verified"));
    assert_eq!(world.count_sms_to(NUMBER).await, 1);
    // Adding the number again reports that it exists; confirming it later sends another message.
    browser.press("#add-phone summary").await;
    browser.fill("#new-phone", NUMBER).await;
    browser.press("#add-phone-submit").await;
    browser.find("#trouble").await;
    world.clock.advance(EMAIL_CODE_INTERVAL);
    browser.press("button[name='verify_phone']").await;
    browser.find("#code").await;
    let code = world.sms_code(NUMBER).await;
    browser.fill("#code", &code).await;
    browser.press("#code-submit").await;
    browser.find("[role='status']").await;
    assert!(!browser.words().await.contains("not verified"), "{}", browser.words().await);
    // Removing a verified number needs a recently authenticated session, as this one is.
    browser.press("#contacts button[name='remove_contact']").await;
    browser.find("[role='status']").await;
    assert!(!browser.words().await.contains(NUMBER));
    browser.expect_quiet_console("the user's own number").await;
    world.stop().await;
}
