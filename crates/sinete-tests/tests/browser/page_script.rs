//! What the script adds to pages, which work without it.

use super::accessibility;
use super::chromium::Browser;
use super::preview_server::Showroom;
use serde_json::json;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn password_can_be_revealed_and_is_hidden_before_submit() {
    let (showroom, browser) = (Showroom::open().await, Browser::start("en").await);
    browser.open(&format!("{}/en/sign-in", showroom.address)).await;
    let type_script = "return document.getElementById('password').type";
    browser.fill("#password", "correct horse battery").await;
    assert_eq!(browser.run(type_script, json!([])).await, "password");
    browser.press(".peek").await;
    assert_eq!(browser.run(type_script, json!([])).await, "text");
    assert!(browser.words().await.contains("Hide"));
    accessibility::check(&browser, "a password that is shown").await;
    let submit_script = "const form = document.getElementById('password').form;
        form.addEventListener('submit', (event) => event.preventDefault());
        form.requestSubmit(document.getElementById('sign-in-submit'));
        return document.getElementById('password').type";
    assert_eq!(browser.run(submit_script, json!([])).await, "password");
    assert!(browser.words().await.contains("One moment"));
    browser.expect_quiet_console("a password that is shown").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn form_is_submitted_once_however_often_it_is_pressed() {
    let (showroom, browser) = (Showroom::open().await, Browser::start("en").await);
    browser.open(&format!("{}/en/consent", showroom.address)).await;
    let script = "let sent = 0;
        const form = document.getElementById('consent-allow').form;
        addEventListener('submit', (event) => { if (!event.defaultPrevented) { sent += 1; event.preventDefault(); } });
        for (let press = 0; press < 5; press += 1) document.getElementById('consent-allow').click();
        return sent";
    assert_eq!(browser.run(script, json!([])).await, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn resend_button_is_enabled_after_a_countdown() {
    let (showroom, browser) = (Showroom::open().await, Browser::start("pt-BR").await);
    browser.open(&format!("{}/pt-BR/enter-code", showroom.address)).await;
    let button = browser.find("[data-countdown]").await;
    assert!(!button.is_empty() && browser.words().await.contains("Enviar de novo em"));
    let refused = "const button = document.querySelector('[data-countdown]');
        let sent = false;
        button.form.addEventListener('submit', (event) => { sent = true; event.preventDefault(); });
        button.click();
        return sent";
    assert_eq!(browser.run(refused, json!([])).await, false);
    browser.fill("#code", "1234 5678").await;
    assert_eq!(browser.run("return document.getElementById('code').value", json!([])).await, "12345678");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn accessibility_checker_finds_violations() {
    let browser = Browser::start("en").await;
    browser.open("data:text/html,<html><body><img src=x><input></body></html>").await;
    let violations = accessibility::violations(&browser).await.to_string();
    assert!(violations.contains("image-alt") && violations.contains("label"), "{violations}");
}
