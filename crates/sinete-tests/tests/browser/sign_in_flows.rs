//! Users at the screens of a running server: sign-in, sign-out, sign-up and recovery.

use super::accessibility;
use super::chromium::{Browser, Scheme};
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::world::World;
use serde_json::json;

const ANA: &str = "ana@example.org";

/// Starts a server whose public URL a browser can open.
async fn begin() -> World {
    World::start(TestEngine::Sqlite).await
}

async fn sign_in(browser: &Browser, world: &World, email: &str, password: &str) {
    browser.open(&format!("{}/sign-in", world.origin())).await;
    browser.fill("#identifier", email).await;
    browser.fill("#password", password).await;
    browser.press("#sign-in-submit").await;
}

/// A user who signed in without a passkey is offered one, and skips it.
async fn arrives(browser: &Browser) {
    browser.press("#passkey-skip").await;
    browser.find("#sessions").await;
}

async fn value(browser: &Browser, id: &str) -> String {
    let field_value = browser.run("return document.getElementById(arguments[0]).value", json!([id])).await;
    field_value.as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bootstrap_link_creates_the_first_operator_once() {
    let (world, browser) = (begin().await, Browser::start("en").await);
    let link = sinete_engine::administration::bootstrap::create_development_link(world.server.engine())
        .await
        .unwrap()
        .unwrap();
    let address = link.address.unwrap();
    browser.open(&address).await;
    browser.fill("#name", "Ana Sousa").await;
    browser.fill("#identifier", "ana@example.org").await;
    browser.fill("#password", "short").await;
    accessibility::check(&browser, "the first operator").await;
    browser.press("#sign-up-submit").await;
    browser.find("#trouble").await;
    assert_eq!(value(&browser, "name").await, "Ana Sousa");
    assert_eq!(value(&browser, "password").await, "", "a password is never sent back");
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-up-submit").await;
    // The first operator is led to the set-up checklist, not to the account page.
    browser.press("#passkey-skip").await;
    browser.find("#step-organization").await;
    browser.open(&format!("{}/my-account", world.origin())).await;
    browser.find("#sessions").await;
    let words = browser.words().await;
    assert!(words.contains("Ana Sousa") && words.contains("operator"), "{words}");
    accessibility::check(&browser, "the account of the first operator").await;
    browser.expect_quiet_console("the first operator").await;
    let other = Browser::start("en").await;
    other.open(&address).await;
    assert!(other.words().await.contains("This link is no longer valid"));
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_up_works_in_portuguese_on_a_phone_with_the_emailed_code() {
    let (world, browser) = (begin().await, Browser::start("pt-BR,pt").await);
    browser.look(320, Scheme::Dark).await;
    browser.open(&format!("{}/sign-up", world.origin())).await;
    assert!(browser.words().await.contains("Crie a sua conta"));
    browser.fill("#name", "Bia").await;
    browser.fill("#identifier", "bia@example.org").await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-up-submit").await;
    browser.find("#code").await;
    assert!(browser.address().await.contains("/verify-email?flow="));
    browser.fill("#code", "00000000").await;
    browser.press("#code-submit").await;
    browser.find("#trouble").await;
    assert!(browser.words().await.contains("O código está errado ou expirou"));
    accessibility::check(&browser, "a wrong code").await;
    // Reloading a page sends nothing again: the error is gone and the flow is at the same stage.
    browser.reload().await;
    assert!(!browser.shows("#trouble").await && browser.shows("#code").await);
    browser.fill("#code", &world.emailed_code("bia@example.org").await).await;
    browser.press("#code-submit").await;
    arrives(&browser).await;
    let words = browser.words().await;
    assert!(words.contains("verificado") && words.contains("Sessões ativas"), "{words}");
    assert!(browser.content_width().await <= 320);
    browser.expect_quiet_console("signing up").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_in_reports_a_wrong_password_and_sign_out_works() {
    let (world, browser) = (begin().await, Browser::start("en").await);
    world.create_user(ANA).await;
    for (email, password) in [(ANA, "not the password of ana"), ("nobody@example.org", PASSWORD)] {
        sign_in(&browser, &world, email, password).await;
        browser.find("#trouble").await;
        assert!(browser.words().await.contains("That didn’t match"));
        assert_eq!(value(&browser, "identifier").await, email);
        browser.focuses("password").await;
    }
    sign_in(&browser, &world, ANA, PASSWORD).await;
    arrives(&browser).await;
    // The previous page has no form that could be sent again.
    browser.back().await;
    arrives(&browser).await;
    browser.open(&format!("{}/sign-in", world.origin())).await;
    browser.find("#sessions").await;
    browser.press("#sign-out").await;
    browser.find("a[href$='/sign-in']").await;
    assert!(browser.words().await.contains("You are signed out"));
    browser.open(&format!("{}/my-account", world.origin())).await;
    browser.find("#sign-in-submit").await;
    browser.expect_quiet_console("signing in and out").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_in_and_profile_change_work_without_scripts() {
    let (world, browser) = (begin().await, Browser::start_without_scripts("en").await);
    world.create_user(ANA).await;
    sign_in(&browser, &world, ANA, PASSWORD).await;
    arrives(&browser).await;
    browser.fill("#name", "Ana <b>Sousa</b>").await;
    browser.press("#language option[value='pt-BR']").await;
    browser.press("button[value='save_profile']").await;
    browser.find("[role='status']").await;
    assert_eq!(browser.element_text("h1").await, "Ana <b>Sousa</b>");
    assert!(browser.element_text("#sessions-title").await.contains("Sessões ativas"));
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn flows_in_two_tabs_both_continue() {
    let (world, browser) = (begin().await, Browser::start("en").await);
    world.create_user(ANA).await;
    browser.open(&format!("{}/sign-in", world.origin())).await;
    let first = browser.address().await;
    browser.open(&format!("{}/reset-password", world.origin())).await;
    let second = browser.address().await;
    browser.fill("#identifier", ANA).await;
    browser.press("#address-submit").await;
    browser.find("#code").await;
    browser.open(&first).await;
    browser.fill("#identifier", ANA).await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
    arrives(&browser).await;
    browser.open(&second).await;
    browser.find("#code").await;
    browser.expect_quiet_console("two tabs").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn password_reset_and_email_code_sign_in_work() {
    let (world, browser) = (begin().await, Browser::start("en").await);
    world.create_user(ANA).await;
    browser.open(&format!("{}/reset-password", world.origin())).await;
    browser.fill("#identifier", ANA).await;
    browser.press("#address-submit").await;
    browser.find("#code").await;
    browser.fill("#code", &world.emailed_code(ANA).await).await;
    browser.press("#code-submit").await;
    browser.fill("#password", "another kettle sings at dusk").await;
    accessibility::check(&browser, "a new password").await;
    browser.press("#password-submit").await;
    browser.find(".emblem.good").await;
    assert!(browser.words().await.contains("Your password was changed"));
    sign_in(&browser, &world, ANA, PASSWORD).await;
    browser.find("#trouble").await;
    world.clock.advance(sinete_core::time::Lifetime::from_minutes(10));
    browser.open(&format!("{}/sign-in", world.origin())).await;
    browser.fill("#identifier", ANA).await;
    browser.press("button[value='email']").await;
    browser.find("#another-way").await;
    browser.press("#another-way").await;
    browser.find("#sign-in-submit").await;
    browser.fill("#identifier", ANA).await;
    world.clock.advance(sinete_core::time::Lifetime::from_minutes(10));
    browser.press("button[value='email']").await;
    browser.find("#code").await;
    browser.fill("#code", &world.emailed_code(ANA).await).await;
    browser.press("#code-submit").await;
    arrives(&browser).await;
    browser.expect_quiet_console("a new password").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn csrf_token_missing_or_wrong_is_refused_and_changes_nothing() {
    let world = begin().await;
    world.create_user(ANA).await;
    let response = world.get("/sign-in").await;
    let location = response.headers()["location"].to_str().unwrap().to_owned();
    let cookies: Vec<String> = response
        .headers()
        .get_all("set-cookie")
        .iter()
        .map(|line| line.to_str().unwrap().split(';').next().unwrap().to_owned())
        .collect();
    let cookies = cookies.join("; ");
    let response =
        world.http.get(world.public_url(&location)).header("cookie", &cookies).send().await.unwrap();
    let page = response.text().await.unwrap();
    let csrf = page.split("name=\"csrf\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned();
    let send = async |csrf: &str, site: &str, origin: &str| {
        let form = [("csrf", csrf), ("action", "password"), ("identifier", ANA), ("password", PASSWORD)];
        let request = world.http.post(world.public_url(&location)).header("cookie", &cookies);
        let request = request.header("sec-fetch-site", site).header("origin", origin).form(&form);
        request.send().await.unwrap().status().as_u16()
    };
    let own_origin = world.origin();
    assert_eq!(send("", "same-origin", &own_origin).await, 403);
    assert_eq!(send("another", "same-origin", &own_origin).await, 403);
    assert_eq!(send(&csrf, "cross-site", "https://evil.example").await, 403);
    assert_eq!(send(&csrf, "cross-site", "null").await, 403);
    assert_eq!(send(&csrf, "same-origin", "null").await, 303);
    assert_eq!(send(&csrf, "same-origin", &own_origin).await, 410, "a completed flow accepts no form");
    world.stop().await;
}
