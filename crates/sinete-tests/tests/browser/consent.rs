//! The consent page: which client asks, who verified it, where it redirects to, for which organization, and everything
//! it requests, in the user's language.

use super::accessibility;
use super::authorization::{request, told};
use super::chromium::{Browser, Scheme};
use crate::harness::database::TestEngine;
use crate::harness::http_receiver::HttpReceiver;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::organizations::{OWNER_SCOPE, TestOrganization};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;

const API: &str = "https://invoices.example";
const BIRTHDATE: &str = r#"{"userinfo":{"birthdate":{"essential":true}}}"#;

/// An organization with an API that has authorization details for payments, and the session of a member who may use it.
async fn office(world: &World) -> (TestOrganization, String) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let owner =
        world.create_api_key_caller(&acme, owner.membership, &format!("{OWNER_SCOPE} invoices:*")).await;
    let permissions = json!([
        {"permission": "invoices:read", "english": "Read invoices", "portuguese": "Ler as faturas"},
        {"permission": "invoices:pay", "english": "Pay invoices", "portuguese": "Pagar as faturas", "irreversible": true},
    ]);
    let api = json!({
        "identifier": API, "name": "Invoices", "permissions": permissions,
        "detail_types": {"payment": {"type": "object", "properties": {"amount": {"type": "integer"}, "to": {"type": "string"}}}},
    });
    owner.create_api(api).await.assert_status(201);
    let role = json!({"name": "payer", "permissions": ["invoices:*"]});
    owner.post(&acme.path("/roles"), role).await.assert_status(201);
    let ana = world.create_member(&acme, &["payer"]).await;
    let session = world.create_member_browser(&acme, ana).await.token;
    (acme, session)
}

async fn application<'w>(
    world: &'w World,
    origin: ClientOrigin,
    callback: &HttpReceiver,
) -> OAuthApplication<'w> {
    let metadata = json!({
        "client_name": "Ledger <b>", "redirect_uris": [callback.address],
        "scope": "openid profile invoices:read invoices:pay",
    });
    world.create_application(origin, metadata).await
}

/// How many elements match the selector.
async fn count(browser: &Browser, selector: &str) -> Value {
    browser.run("return document.querySelectorAll(arguments[0]).length", json!([selector])).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consent_page_names_client_trust_destination_and_every_scope() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let callback = HttpReceiver::with_status(200).await;
    let (_, session) = office(&world).await;
    let app = application(&world, ClientOrigin::Operator, &callback).await;
    browser.holds_session(&world.origin(), &session).await;
    let details = json!([{"type": "payment", "amount": 1250, "to": "<i>Bob</i>"}]).to_string();
    let query_params = [("scope", Some("openid invoices:read")), ("claims", Some(BIRTHDATE))];
    browser.open(&request(&app, &query_params)).await;
    browser.find("#consent-allow").await;
    let words = browser.words().await;
    for part in ["Ledger <b>", "Verified application", "acme", "127.0.0.1", "Read invoices", "date of birth"]
    {
        assert!(words.contains(part), "{part} is missing: {words}");
    }
    assert_eq!(count(&browser, ".tag.new").await, 0, "a first request has no marks");
    accessibility::check(&browser, "consent to a claim").await;
    browser.press("#consent-allow").await;
    assert!(told(&browser, &app).await.contains_key("code"));
    // The next request has further permissions, claims and authorization details; only what is new is marked.
    let extended_params = [
        ("scope", Some("openid invoices:read invoices:pay")),
        ("claims", Some(BIRTHDATE)),
        ("resource", Some(API)),
        ("authorization_details", Some(details.as_str())),
    ];
    browser.look(320, Scheme::Dark).await;
    browser.open(&request(&app, &extended_params)).await;
    browser.find("#consent-allow").await;
    let words = browser.words().await;
    for part in ["Pay invoices", "cannot be undone", "payment", "1250", "<i>Bob</i>", "What is marked is new"]
    {
        assert!(words.contains(part), "{part} is missing: {words}");
    }
    assert_eq!(count(&browser, ".ticks .tag.new").await, 1);
    assert!(browser.content_width().await <= 320);
    accessibility::check(&browser, "consent to authorization details").await;
    browser.press("a[hreflang='pt-BR']").await;
    browser.find("html[lang='pt-BR'] #consent-allow").await;
    let words = browser.words().await;
    for part in ["Pagar as faturas", "não pode ser desfeito", "Aplicativo verificado", "data de nascimento"]
    {
        assert!(words.contains(part), "{part} is missing: {words}");
    }
    browser.press("#consent-allow").await;
    assert!(told(&browser, &app).await.contains_key("code"));
    browser.expect_quiet_console("consent to authorization details").await;
    world.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn consent_page_names_the_owner_of_the_client_or_that_it_is_unverified() {
    let (world, browser) = (World::start(TestEngine::Sqlite).await, Browser::start("en").await);
    let callback = HttpReceiver::with_status(200).await;
    let (acme, session) = office(&world).await;
    browser.holds_session(&world.origin(), &session).await;
    for (origin, expected_text) in [
        (ClientOrigin::Organization(acme.id), "Belongs to acme"),
        (ClientOrigin::DynamicRegistration, "Unverified application"),
    ] {
        let app = application(&world, origin, &callback).await;
        browser.open(&request(&app, &[("scope", Some("openid invoices:read"))])).await;
        browser.find("#consent-allow").await;
        assert!(browser.words().await.contains(expected_text), "{expected_text}: {}", browser.words().await);
        accessibility::check(&browser, expected_text).await;
    }
    browser.expect_quiet_console("the owner of a client").await;
    world.stop().await;
}
