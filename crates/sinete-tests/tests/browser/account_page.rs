//! The account page: an action that needs a step-up is done after it, once, and only in the session that requested it.

use super::accessibility;
use super::authorization::{ana, application, request, told};
use super::chromium::Browser;
use crate::harness::database::TestEngine;
use crate::harness::flow_client::PASSWORD;
use crate::harness::http_receiver::HttpReceiver;
use crate::harness::passkey_device::PasskeyDevice;
use crate::harness::second_factors::enroll_totp;
use crate::harness::signed_in_user::SignedInUser;
use crate::harness::world::World;
use crate::stories::sign_in::credentials::gets_passkey;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use sinete_core::assurance::{AuthenticationEvidence, AuthenticationProof};
use sinete_core::time::Lifetime;

const ANA: &str = "ana@example.org";
const NEW: &str = "ana@elsewhere.example";

/// Opens the account page in a session that needs a step-up.
async fn open_account_page_with_an_old_session(browser: &Browser, world: &World) {
    let ana = world.create_user(ANA).await;
    browser.holds_session(&world.origin(), &ana.session).await;
    world.clock.advance(Lifetime::from_hours(2));
    browser.open(&format!("{}/my-account", world.origin())).await;
}

async fn proves_it_again(browser: &Browser) {
    browser.fill("#password", PASSWORD).await;
    browser.press("#sign-in-submit").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn step_up_resumes_the_requested_action() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let ana = world.create_user(ANA).await;
    let app = enroll_totp(&world, &ana).await;
    browser.holds_session(&world.origin(), &ana.session).await;
    world.clock.advance(Lifetime::from_hours(2));
    browser.open(&format!("{}/my-account", world.origin())).await;
    assert!(browser.words().await.contains("On since"));
    browser.press("#credentials button[name='remove_credential']").await;
    browser.find("#code").await;
    let proving = browser.address().await;
    // Opening pages has no effect; only the form that completes the step-up does.
    browser.reload().await;
    browser.open(&format!("{}/my-account", world.origin())).await;
    assert!(browser.words().await.contains("On since"), "nothing is removed before the step-up");
    browser.open(&proving).await;
    browser.fill("#code", "000000").await;
    browser.press("#code-submit").await;
    browser.find("#trouble").await;
    browser.fill("#code", &app.current_code(&world)).await;
    browser.press("#code-submit").await;
    browser.find("[role='status']").await;
    assert!(!browser.words().await.contains("On since"), "{}", browser.words().await);
    // It was done once: opening the page again has no effect.
    browser.reload().await;
    browser.open(&proving).await;
    browser.find("#sessions").await;
    assert!(!browser.shows("[role='status']").await);
    browser.expect_quiet_console("an action after a step-up").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn step_up_does_not_resume_an_action_left_by_another_session() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    open_account_page_with_an_old_session(&browser, &world).await;
    browser.press("#add-totp").await;
    browser.find("#sign-in-submit").await;
    let address = browser.address().await;
    let flow = address.split("flow=").nth(1).unwrap().split('&').next().unwrap().to_owned();
    // An attacker sets a cookie for this flow without knowing its token.
    let forged = json!({"flow": flow, "seal": "c2VhbA", "asked": [["action", "end_other_sessions"]]});
    let value = URL_SAFE_NO_PAD.encode(forged.to_string());
    let cookie = json!({"name": "sinete_waiting", "value": value, "path": "/", "httpOnly": true});
    browser.done("POST", "/cookie", json!({"cookie": cookie})).await;
    proves_it_again(&browser).await;
    browser.find("#sessions").await;
    assert!(!browser.shows("[role='status']").await && !browser.shows(".qr").await, "nothing was saved");
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn email_change_works_without_scripts_after_the_new_address_is_verified() {
    let (world, browser) =
        (World::start(TestEngine::Sqlite).await, Browser::start_without_scripts("pt-BR").await);
    open_account_page_with_an_old_session(&browser, &world).await;
    browser.press("#change-email summary").await;
    browser.fill("#new-email", NEW).await;
    browser.press("#change-email-submit").await;
    proves_it_again(&browser).await;
    browser.find("#code").await;
    assert!(browser.element_text(".lead").await.contains(NEW));
    browser.fill("#code", "00000000").await;
    browser.press("#code-submit").await;
    browser.find("#trouble").await;
    let mail = world.newest_email_text(NEW).await;
    assert!(mail.contains("endereço"), "the mail is written in the language of the page: {mail}");
    browser.fill("#code", &world.emailed_code(NEW).await).await;
    browser.press("#code-submit").await;
    assert!(browser.element_text("[role='status']").await.contains("Salvo"));
    let contacts = browser.element_text("#contacts").await;
    assert!(contacts.contains(NEW) && !contacts.contains(ANA), "{contacts}");
    assert!(world.newest_email_text(ANA).await.contains(NEW), "the previous address is notified");
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn email_change_to_an_invalid_or_own_address_is_refused_and_sends_nothing() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let ana = world.create_user(ANA).await;
    browser.holds_session(&world.origin(), &ana.session).await;
    browser.open(&format!("{}/my-account", world.origin())).await;
    browser.press("#change-email summary").await;
    browser.fill("#new-email", "not an address").await;
    browser.press("#change-email-submit").await;
    browser.find("#trouble").await;
    let field_value = browser.run("return document.getElementById('new-email').value", json!([])).await;
    assert_eq!(field_value, "not an address");
    accessibility::check(&browser, "an invalid address").await;
    browser.fill("#new-email", ANA).await;
    browser.press("#change-email-submit").await;
    browser.find("#trouble").await;
    assert!(browser.words().await.contains("already"), "{}", browser.words().await);
    assert_eq!(world.count_emails_to(ANA).await, 0);
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn password_change_needs_the_current_password() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    open_account_page_with_an_old_session(&browser, &world).await;
    browser.press("#set-password").await;
    proves_it_again(&browser).await;
    browser.find("#current-password").await;
    accessibility::check(&browser, "changing a password").await;
    let new_password = "another kettle sings at dusk";
    for (current, new, expected_text) in
        [("not the password of ana", new_password, "That didn’t match"), (PASSWORD, "short", "at least")]
    {
        browser.fill("#current-password", current).await;
        browser.fill("#password", new).await;
        browser.press("#password-submit").await;
        browser.find("#trouble").await;
        let failure_message = format!("the page does not contain {expected_text}");
        browser
            .patiently(&failure_message, async || browser.words().await.contains(expected_text).then_some(()))
            .await;
    }
    browser.fill("#current-password", PASSWORD).await;
    browser.fill("#password", new_password).await;
    browser.press("#password-submit").await;
    browser.find("[role='status']").await;
    browser.press("#sign-out").await;
    browser.find(".emblem.good").await;
    for (password, arrives) in [(PASSWORD, "#trouble"), (new_password, "#passkey-skip")] {
        browser.open(&format!("{}/sign-in", world.origin())).await;
        browser.fill("#identifier", ANA).await;
        browser.fill("#password", password).await;
        browser.press("#sign-in-submit").await;
        browser.find(arrives).await;
    }
    browser.expect_quiet_console("changing a password").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn account_page_lists_and_revokes_authorized_applications_and_sessions() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let callback = HttpReceiver::with_status(200).await;
    let (app, (_, ana)) = (application(&world, &callback, json!({})).await, ana(&world).await);
    let elsewhere = world
        .sign_in_account(ana.account, &AuthenticationEvidence::from_proof(AuthenticationProof::Password))
        .await;
    browser.holds_session(&world.origin(), &ana.session).await;
    browser.open(&request(&app, &[])).await;
    browser.press("#consent-allow").await;
    told(&browser, &app).await;
    browser.open(&format!("{}/my-account", world.origin())).await;
    let part = async |id: &str| browser.element_text(&format!("#{id}")).await;
    let applications = part("applications").await;
    assert!(
        applications.contains("Ledger") && applications.contains("Know that it is you"),
        "{applications}"
    );
    assert!(part("memberships").await.contains("acme"));
    accessibility::check(&browser, "an account with every section").await;
    browser.press("button[name='remove_application']").await;
    browser.find("[role='status']").await;
    assert!(part("applications").await.contains("No application has access to your account"));
    let events = part("events").await;
    let expected = ["Application access revoked: Ledger", "Application allowed: Ledger"];
    assert!(expected.iter().all(|text| events.contains(text)), "{events}");
    assert!(elsewhere.get("/account").await.status == 200);
    browser.press("button[name='end_session']").await;
    browser.find("[role='status']").await;
    assert!(!browser.shows("button[name='end_session']").await, "only the current session is left");
    assert_eq!(elsewhere.get("/account").await.status, 401);
    browser.expect_quiet_console("the applications and sessions of an account").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contact_is_verified_and_made_primary_on_the_account_page() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let ana = world.create_user(ANA).await;
    let user = SignedInUser { world: &world, account: ana.account, token: ana.session.clone() };
    user.post("/account/contacts", json!({"kind": "email", "address": NEW})).await.assert_status(201);
    browser.holds_session(&world.origin(), &ana.session).await;
    browser.open(&format!("{}/my-account", world.origin())).await;
    browser.press("button[name='verify_email']").await;
    browser.find("#code").await;
    browser.fill("#code", &world.emailed_code(NEW).await).await;
    browser.press("#code-submit").await;
    browser.find(".emblem.good").await;
    assert!(browser.words().await.contains("Your e-mail address is verified"));
    browser.press("a[href$='/my-account']").await;
    browser.press("button[name='make_primary']").await;
    browser.find("[role='status']").await;
    let contacts = browser.element_text("#contacts").await;
    let main = contacts.lines().skip_while(|line| *line != NEW).nth(1);
    assert_eq!(main, Some("verified · primary"), "{contacts}");
    browser.press("button[name='remove_contact']").await;
    browser.find("[role='status']").await;
    assert!(!browser.element_text("#contacts").await.contains(ANA));
    browser.expect_quiet_console("another address").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn step_up_without_any_credential_requires_a_new_sign_in() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let bia = world.create_signed_in_user("bia@example.org").await;
    browser.holds_session(&world.origin(), &bia.token).await;
    world.clock.advance(Lifetime::from_hours(2));
    browser.open(&format!("{}/my-account", world.origin())).await;
    browser.press("#add-totp").await;
    browser.find("#trouble").await;
    assert!(browser.words().await.contains("Sign out and sign in again first"), "{}", browser.words().await);
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn account_page_renames_a_passkey_and_offers_to_delete_the_account() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let ana = world.create_user(ANA).await;
    let mut device = PasskeyDevice::new();
    gets_passkey(&world, &ana, &mut device).await;
    let strong = AuthenticationEvidence::from_proof(AuthenticationProof::Passkey {
        user_verified: true,
        device_bound: true,
    });
    let session = world.sign_in_account(ana.account, &strong).await;
    browser.holds_session(&world.origin(), &session.token).await;
    browser.open(&format!("{}/my-account", world.origin())).await;
    browser.press("#credentials details summary").await;
    browser.fill("#credentials input[name='credential_name']", "Blue key").await;
    browser.press("#credentials button[name='rename_credential']").await;
    browser.find("[role='status']").await;
    assert!(browser.words().await.contains("Blue key"), "{}", browser.words().await);
    accessibility::check(&browser, "the account page with its data").await;
    browser.press("#delete-open").await;
    browser.find("#confirm-deletion[required]").await;
    accessibility::check(&browser, "deleting an account").await;
    // Without the confirmation the browser keeps the form.
    browser.run("document.getElementById('delete-account').click()", json!([])).await;
    assert_eq!(session.get("/account").await.status, 200);
    let side = "const box = document.getElementById('confirm-deletion').getBoundingClientRect(); return [box.width, box.height]";
    assert_eq!(
        browser.run(side, json!([])).await,
        json!([18, 18]),
        "the confirmation has the size of a check box"
    );
    browser.press("#confirm-deletion").await;
    browser.press("#delete-account").await;
    browser.arrives_at(&format!("{}/signed-out", world.origin())).await;
    assert_eq!(session.get("/account").await.status, 401);
    browser.expect_quiet_console("the data of an account").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn account_picture_that_is_uploaded_is_scaled_down_and_displayed() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let ana = world.create_user(ANA).await;
    browser.holds_session(&world.origin(), &ana.session).await;
    browser.open(&format!("{}/my-account", world.origin())).await;
    // A screenshot is a picture that is too large.
    let folder = tempfile::TempDir::new().unwrap();
    let file = folder.path().join("photograph.png");
    std::fs::write(&file, browser.picture("png").await).unwrap();
    let field = browser.find("#picture-file").await;
    let request_body = json!({"text": file.to_str().unwrap()});
    browser.done("POST", &format!("/element/{field}/value"), request_body).await;
    browser.find("img.avatar").await;
    let size = "const it = document.querySelector('img.avatar'); return [it.naturalWidth, it.naturalHeight]";
    let read_picture_size =
        async || Some(browser.run(size, json!([])).await).filter(|it| *it == json!([256, 256]));
    browser.patiently("the picture is not square", read_picture_size).await;
    accessibility::check(&browser, "an account with a picture").await;
    browser.press("#picture-remove").await;
    browser.find("span.avatar.large").await;
    browser.expect_quiet_console("a picture").await;
    world.stop().await;
}
