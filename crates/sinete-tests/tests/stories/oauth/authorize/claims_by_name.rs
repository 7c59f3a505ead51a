//! The `claims` parameter: shown on the consent page, remembered with the consent, and released accordingly.

use super::flows::{EMAIL, ana, browser, enters, goes_on};
use super::{code_flow, create_trusted_application};
use crate::both_engines;
use crate::harness::api_caller::ApiRequest;
use crate::harness::oauth_application::{AuthorizationResponse, BrowserSession, OAuthApplication};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::id::AccountId;
use sinete_store::oauth::clients::ClientOrigin;
use sinete_store::{JsonDocument, accounts};

const BIRTHDATE: &str = r#"{"userinfo":{"birthdate":{"essential":true},"shoe_size":null}}"#;
const MORE: &str = r#"{"userinfo":{"birthdate":null,"email":null},"id_token":{"nickname":null,"role":null}}"#;

/// Sets the profile of the account.
async fn says(world: &World, account: AccountId) {
    let store = world.server.engine().store();
    let account_row = accounts::find_account(store, account).await.unwrap().unwrap();
    let body = json!({"name": "Ana Souza", "nickname": "Aninha", "birthdate": "1990-02-28"});
    world
        .apply_statements([accounts::change_account_profile(
            &account_row,
            &JsonDocument::from_value(&body).unwrap(),
            None,
        )])
        .await;
}

/// The userinfo response, without the claims that are always there.
async fn told(app: &OAuthApplication<'_>, tokens: &Value) -> Value {
    let address = app.world.public_url("/connect/userinfo");
    let request = app.world.http.get(address).bearer_auth(tokens["access_token"].as_str().unwrap());
    let mut body: Value = request.send().await.unwrap().json().await.unwrap();
    for always in ["sub", "org", "role"] {
        assert!(body.as_object_mut().unwrap().remove(always).is_some(), "{always}");
    }
    body
}

/// Sends a request with these claims and answers the consent page. Returns its lines about claims, and the response.
async fn decides(
    app: &OAuthApplication<'_>,
    browser: &BrowserSession,
    claims: &str,
    allow: bool,
) -> (Vec<(String, bool)>, AuthorizationResponse) {
    let mut walk = enters(app, Some(browser), &[("claims", Some(claims))]).await;
    assert_eq!(walk.stage(), "consent");
    let lines = walk.last.body["consent"]["claims"].as_array().unwrap().clone();
    for line in &lines {
        let words = |language: &str| line[language].as_str().unwrap().to_owned();
        assert!(!words("english").is_empty() && words("english") != words("portuguese"), "{line}");
    }
    let line = |line: &Value| (line["claim"].as_str().unwrap().to_owned(), line["is_new"] == json!(true));
    walk.submit("consent", json!({"allow": allow})).await.assert_status(200);
    (lines.iter().map(line).collect(), goes_on(app.world, &walk, &browser.token).await)
}

both_engines!(
    claims_requested_by_name_are_displayed_consented_to_and_remembered,
    claims_without_consent_are_never_released,
    implied_consent_covers_neither_claims_by_name_nor_authorization_details,
    claims_released_by_a_scope_need_no_consent_of_their_own
);

async fn claims_requested_by_name_are_displayed_consented_to_and_remembered(world: &World) {
    let (_, ana) = ana(world).await;
    says(world, ana.account).await;
    let (app, browser) = (world.create_application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    let (lines, response) = decides(&app, &browser, BIRTHDATE, true).await;
    assert_eq!(lines, [("birthdate".to_owned(), true)]);
    let tokens = app.redeem_code(&response.code()).await.1;
    assert_eq!(told(&app, &tokens).await, json!({"birthdate": "1990-02-28"}));
    // A consent is remembered and used for `prompt=none`; one more claim needs a new one.
    let silently = [("prompt", Some("none")), ("claims", Some(BIRTHDATE))];
    let code = app.obtain_code(&browser, &silently).await;
    assert_eq!(told(&app, &app.redeem_code(&code).await.1).await, json!({"birthdate": "1990-02-28"}));
    let wider = [("prompt", Some("none")), ("claims", Some(MORE))];
    app.authorize(Some(&browser), &wider).await.assert_error_redirect("consent_required");
    let (lines, response) = decides(&app, &browser, MORE, true).await;
    let expected = [("nickname", true), ("birthdate", false), ("email", true)];
    assert_eq!(lines, expected.map(|(name, is_new)| (name.to_owned(), is_new)));
    let tokens = app.redeem_code(&response.code()).await.1;
    assert_eq!(told(&app, &tokens).await, json!({"birthdate": "1990-02-28", "email": EMAIL}));
    let id_token = code_flow::claims(&tokens["id_token"]);
    assert_eq!((&id_token["nickname"], &id_token["role"]), (&json!("Aninha"), &json!("member")));
    assert_eq!((id_token.get("birthdate"), id_token.get("email")), (None, None));
    // A claim with consent is not released to a request that does not ask for it.
    let plain = app.redeem_code(&app.obtain_code(&browser, &[]).await).await.1;
    assert_eq!(told(&app, &plain).await, json!({}));
    let headers = vec![("authorization", format!("Session {}", browser.token))];
    let applications = world
        .send_request(Method::GET, "/account/applications", ApiRequest { headers, ..ApiRequest::default() })
        .await
        .assert_status(200)
        .body;
    assert_eq!(applications["items"][0]["agreements"][0]["claims"], "birthdate email nickname");
    assert!(
        world.count_events("consent.given").await == 2 && world.count_events("consent.denied").await == 0
    );
}

async fn claims_without_consent_are_never_released(world: &World) {
    let (_, ana) = ana(world).await;
    says(world, ana.account).await;
    let (app, browser) = (world.create_application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    // Consent to a request without claims is no consent to a claim.
    let mut walk = enters(&app, Some(&browser), &[]).await;
    assert!(walk.last.body["consent"].get("claims").is_none());
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    let tokens = app.redeem_code(&goes_on(world, &walk, &browser.token).await.code()).await.1;
    assert_eq!(told(&app, &tokens).await, json!({}));
    app.authorize(Some(&browser), &[("prompt", Some("none")), ("claims", Some(BIRTHDATE))])
        .await
        .assert_error_redirect("consent_required");
    // Denial is recorded, remembers nothing and releases nothing.
    let (_, response) = decides(&app, &browser, BIRTHDATE, false).await;
    response.assert_error_redirect("access_denied");
    assert_eq!(world.count_events("consent.denied").await, 1);
    app.authorize(Some(&browser), &[("prompt", Some("none")), ("claims", Some(BIRTHDATE))])
        .await
        .assert_error_redirect("consent_required");
    app.obtain_code(&browser, &[("prompt", Some("none"))]).await;
    // A request without `openid` has no claims, and a client that may not request a scope may not request its claims.
    let narrow = create_trusted_application(world, json!({"scope": "openid"})).await;
    let code = narrow.obtain_code(&browser, &[("claims", Some(MORE))]).await;
    assert_eq!(told(&narrow, &narrow.redeem_code(&code).await.1).await, json!({}));
}

async fn implied_consent_covers_neither_claims_by_name_nor_authorization_details(world: &World) {
    let (acme, ana) = ana(world).await;
    says(world, ana.account).await;
    let owner = world.create_owner(&acme).await;
    let api = json!({
        "identifier": "https://payments.example", "name": "Payments", "permissions": [{"permission": "payments:send", "english": "Send"}],
        "detail_types": {"payment": {"type": "object", "properties": {"amount": {"type": "integer"}}}},
    });
    owner.create_api(api).await.assert_status(201);
    let (app, browser) = (create_trusted_application(world, json!({})).await, browser(&ana));
    // Claims that the scope releases need no consent of their own; others do, once.
    let wide = [("scope", Some("openid profile email")), ("claims", Some(MORE)), ("prompt", Some("none"))];
    app.obtain_code(&browser, &wide).await;
    let silently = [("claims", Some(BIRTHDATE)), ("prompt", Some("none"))];
    app.authorize(Some(&browser), &silently).await.assert_error_redirect("consent_required");
    let (lines, response) = decides(&app, &browser, BIRTHDATE, false).await;
    assert_eq!(lines, [("birthdate".to_owned(), true)]);
    response.assert_error_redirect("access_denied");
    let (_, response) = decides(&app, &browser, BIRTHDATE, true).await;
    assert_eq!(
        told(&app, &app.redeem_code(&response.code()).await.1).await,
        json!({"birthdate": "1990-02-28"})
    );
    app.obtain_code(&browser, &silently).await;
    // Authorization details are for one request, and need consent each time.
    let details = json!([{"type": "payment", "amount": 5}]).to_string();
    let detailed =
        [("resource", Some("https://payments.example")), ("authorization_details", Some(details.as_str()))];
    for _ in 0..2 {
        let silently = [&detailed[..], &[("prompt", Some("none"))]].concat();
        app.authorize(Some(&browser), &silently).await.assert_error_redirect("consent_required");
        let code = app.obtain_code_with_consent(&browser, &detailed).await;
        assert_eq!(
            app.redeem_code(&code).await.1["authorization_details"],
            serde_json::from_str::<Value>(&details).unwrap()
        );
    }
    app.obtain_code(&browser, &[detailed[0], ("prompt", Some("none"))]).await;
}

async fn claims_released_by_a_scope_need_no_consent_of_their_own(world: &World) {
    let (_, ana) = ana(world).await;
    says(world, ana.account).await;
    let (app, browser) = (world.create_application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    let wide = [("scope", Some("openid profile email")), ("claims", Some(MORE))];
    let mut walk = enters(&app, Some(&browser), &wide).await;
    assert!(walk.last.body["consent"].get("claims").is_none(), "{}", walk.last.body);
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    let tokens = app.redeem_code(&goes_on(world, &walk, &browser.token).await.code()).await.1;
    let id_token = code_flow::claims(&tokens["id_token"]);
    assert_eq!(id_token["nickname"], "Aninha");
    // A scope releases its claims at userinfo; the ID token has the claims that were requested for it.
    assert!(
        ["name", "birthdate", "email", "org"].iter().all(|claim| id_token.get(*claim).is_none()),
        "{id_token}"
    );
    // Consent to a scope includes each of its claims.
    let code = app.obtain_code(&browser, &[("prompt", Some("none")), ("claims", Some(MORE))]).await;
    assert_eq!(
        told(&app, &app.redeem_code(&code).await.1).await,
        json!({"birthdate": "1990-02-28", "email": EMAIL})
    );
}
