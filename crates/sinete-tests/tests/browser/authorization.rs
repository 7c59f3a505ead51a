//! Clients that send a real authorization request, and receive the response at a redirect URI on this machine.

use super::accessibility;
use super::chromium::{Browser, Scheme};
use super::keyboard::Key;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::{PASSWORD, TestUser};
use crate::harness::http_receiver::HttpReceiver;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::organizations::TestOrganization;
use crate::harness::second_factors::enroll_totp;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::totp_app::TotpApp;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;
use std::collections::BTreeMap;

const ANA: &str = "ana@example.org";

/// A member of an organization.
pub(super) async fn ana(world: &World) -> (TestOrganization, TestUser<'_>) {
    let (acme, ana) = (world.create_organization("acme").await, world.create_user(ANA).await);
    joins(&ana, &acme).await;
    (acme, ana)
}

async fn joins(user: &TestUser<'_>, tenant: &TestOrganization) {
    let (world, account) = (user.world, user.account);
    SignedInUser { world, account, token: user.session.clone() }.join_organization(tenant, "member").await;
}

/// An application of the operator with this redirect URI.
pub(super) async fn application<'w>(
    world: &'w World,
    callback: &HttpReceiver,
    extra_metadata: Value,
) -> OAuthApplication<'w> {
    let mut metadata = json!({
        "client_name": "Ledger", "redirect_uris": [callback.address], "scope": "openid email profile",
    });
    metadata.as_object_mut().unwrap().extend(extra_metadata.as_object().unwrap().clone());
    world.create_application(ClientOrigin::Operator, metadata).await
}

/// The authorization request, on the public host of the server.
pub(super) fn request(app: &OAuthApplication<'_>, changes: &[(&str, Option<&str>)]) -> String {
    let address = app.world.authorization_url(&app.authorization_params(changes));
    address.replace(&app.world.public_url(""), &app.world.origin())
}

/// The parameters that the browser brought to the redirect URI.
pub(super) async fn told(browser: &Browser, app: &OAuthApplication<'_>) -> BTreeMap<String, String> {
    let address: url::Url = browser.arrives_at(&app.callback).await.parse().unwrap();
    address.query_pairs().map(|(name, value)| (name.into_owned(), value.into_owned())).collect()
}

/// The introspection response for the token that a code is redeemed for.
async fn redeemed(app: &OAuthApplication<'_>, code: &str) -> Value {
    let (status, tokens) = app.redeem_code(code).await;
    assert_eq!(status, 200, "{tokens}");
    let token = tokens["access_token"].as_str().unwrap().to_owned();
    app.post_form("/connect/introspect", &[("token".to_owned(), token)]).await.1
}

async fn signs_in(browser: &Browser) {
    browser.fill("#identifier", ANA).await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consent_allowed_sends_a_code_and_denied_an_error() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let callback = HttpReceiver::with_status(200).await;
    let (app, _) = (application(&world, &callback, json!({})).await, ana(&world).await);
    browser.open(&request(&app, &[("scope", Some("openid email"))])).await;
    browser.find("#sign-in-submit").await;
    assert!(browser.words().await.contains("Ledger"), "the page names the application");
    accessibility::check(&browser, "signing in for an application").await;
    browser.reload().await;
    signs_in(&browser).await;
    browser.find("#consent-allow").await;
    let words = browser.words().await;
    assert!(["Ledger", "acme", "127.0.0.1", ANA].iter().all(|it| words.contains(it)), "{words}");
    assert!(!browser.shows(".tag.new").await, "a first request has no marks");
    accessibility::check(&browser, "the consent page").await;
    // Reloading the consent page, or leaving it and coming back, changes nothing.
    let question = browser.address().await;
    browser.reload().await;
    browser.find("#consent-allow").await;
    browser.back().await;
    browser.find("#consent-allow, #sign-in-submit").await;
    browser.open(&question).await;
    browser.press("#consent-allow").await;
    let response_params = told(&browser, &app).await;
    assert_eq!(
        (response_params["state"].as_str(), response_params.contains_key("error")),
        ("a state", false)
    );
    assert_eq!(app.redeem_code(&response_params["code"]).await.0, 200);
    browser.expect_quiet_console("allowing").await;
    // The next request has a larger scope; the page marks what is new.
    browser.open(&request(&app, &[("scope", Some("openid email profile"))])).await;
    browser.find("#consent-deny").await;
    assert_eq!(browser.run("return document.querySelectorAll('.tag.new').length", json!([])).await, 1);
    browser.press("#consent-deny").await;
    let response_params = told(&browser, &app).await;
    assert_eq!(
        (response_params["error"].as_str(), response_params["state"].as_str()),
        ("access_denied", "a state")
    );
    assert!(!response_params.contains_key("code"));
    browser.expect_quiet_console("denying").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consent_page_reopened_after_the_answer_sends_nothing_twice() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let callback = HttpReceiver::with_status(200).await;
    let (app, (_, ana)) = (application(&world, &callback, json!({})).await, ana(&world).await);
    browser.holds_session(&world.origin(), &ana.session).await;
    browser.open(&request(&app, &[])).await;
    browser.find("#consent-allow").await;
    let question = browser.address().await;
    browser.press("#consent-allow").await;
    let first = told(&browser, &app).await;
    browser.back().await;
    // A page from the browser's cache may be shown again, but its form finds the flow completed.
    browser.find("#consent-allow, #sessions").await;
    if browser.shows("#consent-allow").await {
        browser.press("#consent-allow").await;
        browser.find(".emblem, #sessions").await;
    }
    browser.open(&question).await;
    browser.find("#sessions").await;
    assert_eq!(app.redeem_code(&first["code"]).await.0, 200, "the first code is valid");
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn organization_selection_works_on_a_small_dark_screen_in_portuguese() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let callback = HttpReceiver::with_status(200).await;
    let app = application(&world, &callback, json!({"consent": "implied"})).await;
    let (globex, (_, ana)) = (world.create_organization("globex").await, ana(&world).await);
    joins(&ana, &globex).await;
    browser.look(320, Scheme::Dark).await;
    // `ui_locales` takes precedence over `Accept-Language`.
    browser.open(&request(&app, &[("ui_locales", Some("fr pt-BR en"))])).await;
    browser.find("#sign-in-submit").await;
    let background = browser.run("return getComputedStyle(document.body).backgroundColor", json!([])).await;
    let background = background.as_str().unwrap().trim_start_matches("rgb(").trim_end_matches(')').to_owned();
    assert!(
        background.split(", ").all(|share| share.parse::<u8>().unwrap() < 64),
        "{background} is not dark"
    );
    assert!(browser.content_width().await <= 320);
    signs_in(&browser).await;
    let choice = format!("button[name='organization'][value='{}']", globex.id);
    browser.find(&choice).await;
    assert!(browser.words().await.contains("organização") && browser.content_width().await <= 320);
    accessibility::check(&browser, "choosing an organization").await;
    browser.reload().await;
    browser.press(&choice).await;
    let response_params = told(&browser, &app).await;
    assert_eq!(redeemed(&app, &response_params["code"]).await["org"], json!(globex.id));
    browser.expect_quiet_console("choosing an organization").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn organization_policy_requires_a_second_factor_of_a_signed_in_user() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let callback = HttpReceiver::with_status(200).await;
    let app = application(&world, &callback, json!({"consent": "implied"})).await;
    let (acme, ana) = ana(&world).await;
    let digits = enroll_totp(&world, &ana).await;
    let owner = world.create_owner(&acme).await;
    owner.patch(&acme.path(""), 1, json!({"settings": {"least_assurance": "aal2"}})).await.assert_status(200);
    // The session began with the password alone, before a second factor existed.
    browser.holds_session(&world.origin(), &ana.session).await;
    browser.open(&request(&app, &[])).await;
    browser.find("#code").await;
    accessibility::check(&browser, "a second factor for an application").await;
    browser.fill("#code", "000000").await;
    browser.press("#code-submit").await;
    browser.find("#trouble").await;
    browser.reload().await;
    browser.find("#code").await;
    assert!(!browser.shows("#trouble").await, "reloading the page does not submit the form again");
    browser.fill("#code", &digits.current_code(&world)).await;
    browser.press("#code-submit").await;
    let response_params = told(&browser, &app).await;
    assert_eq!(redeemed(&app, &response_params["code"]).await["acr"], "urn:sinete:aal:2");
    browser.expect_quiet_console("a second factor for an application").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_in_and_consent_work_without_scripts_by_stable_element_ids() {
    let (world, browser) =
        (World::start(TestEngine::Sqlite).await, Browser::start_without_scripts("en").await);
    let callback = HttpReceiver::with_status(200).await;
    let (app, _) = (application(&world, &callback, json!({})).await, ana(&world).await);
    browser.open(&request(&app, &[("redirect_uri", Some("https://elsewhere.example/"))])).await;
    browser.find("#error-page").await;
    browser.open(&request(&app, &[])).await;
    signs_in(&browser).await;
    browser.find("#consent-deny").await;
    browser.press("#consent-allow").await;
    let response_params = told(&browser, &app).await;
    assert_eq!(app.redeem_code(&response_params["code"]).await.0, 200);
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_in_and_consent_work_with_the_keyboard_alone() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let callback = HttpReceiver::with_status(200).await;
    let (app, _) = (application(&world, &callback, json!({})).await, ana(&world).await);
    browser.open(&request(&app, &[])).await;
    browser.find("#sign-in-submit").await;
    // The first field has the focus.
    browser.focuses("identifier").await;
    browser.types(ANA).await;
    // The link for a forgotten password is between the two fields.
    assert_eq!(browser.tabs_to("password").await, ["a", "password"]);
    browser.types(PASSWORD).await;
    assert_eq!(browser.tabs_to("sign-in-submit").await, ["button.peek", "sign-in-submit"]);
    browser.presses(Key::Enter).await;
    browser.find("#consent-allow").await;
    let passed = browser.tabs_to("consent-allow").await;
    let (skip, deny) = (passed.first(), passed.iter().position(|it| it == "consent-deny"));
    assert_eq!(skip.map(String::as_str), Some("a.skip"), "the first stop is the link to the content");
    assert_eq!(deny, Some(passed.len() - 2), "{passed:?}");
    browser.presses(Key::Space).await;
    assert!(told(&browser, &app).await.contains_key("code"));
    browser.expect_quiet_console("the keyboard").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sign_up_from_an_application_returns_to_it_with_tokens() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let callback = HttpReceiver::with_status(200).await;
    let app = application(&world, &callback, json!({"consent": "implied"})).await;
    browser.open(&request(&app, &[("login_hint", Some(ANA))])).await;
    browser.find("#sign-in-submit").await;
    let filled = "return document.getElementById('identifier').value";
    assert_eq!(browser.run(filled, json!([])).await, ANA);
    accessibility::check(&browser, "signing in for an application, with sign-up").await;
    browser.press("#create-account").await;
    browser.find("#sign-up-submit").await;
    assert!(browser.words().await.contains("to continue to Ledger"), "{}", browser.words().await);
    assert_eq!(browser.run(filled, json!([])).await, ANA, "the sign-up form has the address");
    accessibility::check(&browser, "signing up for an application").await;
    // Users who have an account go back to sign-in.
    browser.press("#have-account").await;
    browser.press("#create-account").await;
    browser.fill("#name", "Ana").await;
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-up-submit").await;
    browser.find("#code").await;
    browser.fill("#code", &world.emailed_code(ANA).await).await;
    browser.press("#code-submit").await;
    let response_params = told(&browser, &app).await;
    assert_eq!(
        (response_params["state"].as_str(), response_params.contains_key("error")),
        ("a state", false)
    );
    assert_eq!(redeemed(&app, &response_params["code"]).await["active"], true);
    browser.expect_quiet_console("signing up for an application").await;
    // `prompt=create` begins with sign-up.
    let other = Browser::start("en").await;
    other.open(&request(&app, &[("prompt", Some("create"))])).await;
    other.fill("#identifier", "bia@example.org").await;
    other.fill("#password", PASSWORD).await;
    other.press("#sign-up-submit").await;
    other.find("#code").await;
    other.fill("#code", &world.emailed_code("bia@example.org").await).await;
    other.press("#code-submit").await;
    assert!(told(&other, &app).await.contains_key("code"));
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn second_factor_is_set_up_during_sign_in_and_returns_to_the_application() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let callback = HttpReceiver::with_status(200).await;
    let app = application(&world, &callback, json!({"consent": "implied"})).await;
    let (acme, _) = ana(&world).await;
    let owner = world.create_owner(&acme).await;
    let version = owner.get(&acme.path("")).await.assert_status(200).version();
    let demanding = json!({"settings": {"least_assurance": "aal2"}});
    owner.patch(&acme.path(""), version, demanding).await.assert_status(200);
    browser.open(&request(&app, &[])).await;
    browser.find("#sign-in-submit").await;
    signs_in(&browser).await;
    browser.find("#choose-totp").await;
    assert!(browser.words().await.contains("Ledger asks for a second step"), "{}", browser.words().await);
    accessibility::check(&browser, "choosing a second factor").await;
    // The user opens the passkey page and then chooses an authenticator app instead.
    browser.press("#choose-passkey").await;
    browser.press("#another-way").await;
    browser.press("#choose-totp").await;
    browser.find(".qr").await;
    assert!(browser.shows("#totp-open[href^='otpauth://totp/']").await);
    accessibility::check(&browser, "an authenticator during sign-in").await;
    let key = browser.run("return document.getElementById('totp-secret').textContent", json!([])).await;
    let authenticator = TotpApp::from_secret(key.as_str().unwrap());
    browser.fill("#code", &authenticator.current_code(&world)).await;
    browser.press("#code-submit").await;
    browser.find("#codes").await;
    assert!(browser.shows("#codes-download[href^='data:text/plain,']").await);
    accessibility::check(&browser, "recovery codes during sign-in").await;
    browser.press("#codes-kept").await;
    browser.find("#code").await;
    world.clock.advance(Lifetime::from_seconds(30));
    browser.fill("#code", &authenticator.current_code(&world)).await;
    browser.press("#code-submit").await;
    let response_params = told(&browser, &app).await;
    let introspection = redeemed(&app, &response_params["code"]).await;
    assert_eq!((&introspection["active"], &introspection["acr"]), (&json!(true), &json!("urn:sinete:aal:2")));
    browser.expect_quiet_console("setting up a second factor during sign-in").await;
    world.stop().await;
}
