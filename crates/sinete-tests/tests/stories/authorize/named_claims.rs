//! Claims that are asked for by their names: shown, agreed to, remembered, and told as far as that goes.

use super::flows::{EMAIL, ana, browser, enters, goes_on};
use super::{trusted, whole};
use crate::both_engines;
use crate::harness::api::ApiRequest;
use crate::harness::application::{AuthorizationResponse, BrowserSession, OAuthApplication};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_core::id::AccountId;
use sinete_store::clients::ClientOrigin;
use sinete_store::{JsonDocument, accounts};

const BIRTHDATE: &str = r#"{"userinfo":{"birthdate":{"essential":true},"shoe_size":null}}"#;
const MORE: &str = r#"{"userinfo":{"birthdate":null,"email":null},"id_token":{"nickname":null,"role":null}}"#;

/// The account says this about itself.
async fn says(world: &World, account: AccountId) {
    let store = world.server.engine().store();
    let known = accounts::find(store, account).await.unwrap().unwrap();
    let said = json!({"name": "Ana Souza", "nickname": "Aninha", "birthdate": "1990-02-28"});
    world.happens([accounts::change_profile(&known, &JsonDocument::of(&said).unwrap(), None)]).await;
}

/// What the application is told at userinfo, without what everybody is told.
async fn told(app: &OAuthApplication<'_>, tokens: &Value) -> Value {
    let address = app.world.public("/connect/userinfo");
    let request = app.world.http.get(address).bearer_auth(tokens["access_token"].as_str().unwrap());
    let mut told: Value = request.send().await.unwrap().json().await.unwrap();
    for always in ["sub", "org", "role"] {
        assert!(told.as_object_mut().unwrap().remove(always).is_some(), "{always}");
    }
    told
}

/// Asks with these claims, and answers the question that this leads to: its lines about claims, and what came of it.
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
    walk.says("consent", json!({"allow": allow})).await.is(200);
    (lines.iter().map(line).collect(), goes_on(app.world, &walk, &browser.token).await)
}

both_engines!(
    a_claim_asked_for_by_name_is_shown_agreed_to_and_remembered_and_a_new_one_is_asked_for,
    a_claim_that_was_not_agreed_to_is_told_nowhere,
    implied_consent_covers_neither_named_claims_nor_details,
    a_claim_that_its_scope_releases_is_not_asked_for_twice
);

async fn a_claim_asked_for_by_name_is_shown_agreed_to_and_remembered_and_a_new_one_is_asked_for(
    world: &World,
) {
    let (_, ana) = ana(world).await;
    says(world, ana.account).await;
    let (app, browser) = (world.application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    let (lines, answered) = decides(&app, &browser, BIRTHDATE, true).await;
    assert_eq!(lines, [("birthdate".to_owned(), true)]);
    let tokens = app.redeem(&answered.code()).await.1;
    assert_eq!(told(&app, &tokens).await, json!({"birthdate": "1990-02-28"}));
    // It is not asked again, and silently granted; one claim more is neither.
    let silently = [("prompt", Some("none")), ("claims", Some(BIRTHDATE))];
    let code = app.code(&browser, &silently).await;
    assert_eq!(told(&app, &app.redeem(&code).await.1).await, json!({"birthdate": "1990-02-28"}));
    let wider = [("prompt", Some("none")), ("claims", Some(MORE))];
    app.authorize(Some(&browser), &wider).await.refused("consent_required");
    let (lines, answered) = decides(&app, &browser, MORE, true).await;
    let expected = [("nickname", true), ("birthdate", false), ("email", true)];
    assert_eq!(lines, expected.map(|(name, is_new)| (name.to_owned(), is_new)));
    let tokens = app.redeem(&answered.code()).await.1;
    assert_eq!(told(&app, &tokens).await, json!({"birthdate": "1990-02-28", "email": EMAIL}));
    let id_token = whole::claims(&tokens["id_token"]);
    assert_eq!((&id_token["nickname"], &id_token["role"]), (&json!("Aninha"), &json!("member")));
    assert_eq!((id_token.get("birthdate"), id_token.get("email")), (None, None));
    // What was agreed to before is not told to a request that does not ask for it.
    let plain = app.redeem(&app.code(&browser, &[]).await).await.1;
    assert_eq!(told(&app, &plain).await, json!({}));
    let headers = vec![("authorization", format!("Session {}", browser.token))];
    let listed = world
        .ask(Method::GET, "/account/applications", ApiRequest { headers, ..ApiRequest::default() })
        .await
        .is(200)
        .body;
    assert_eq!(listed["items"][0]["agreements"][0]["claims"], "birthdate email nickname");
    assert!(world.logged("consent.given").await == 2 && world.logged("consent.denied").await == 0);
}

async fn a_claim_that_was_not_agreed_to_is_told_nowhere(world: &World) {
    let (_, ana) = ana(world).await;
    says(world, ana.account).await;
    let (app, browser) = (world.application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    // Agreeing to the plain request agrees to no claim.
    let mut walk = enters(&app, Some(&browser), &[]).await;
    assert!(walk.last.body["consent"].get("claims").is_none());
    walk.says("consent", json!({"allow": true})).await.is(200);
    let tokens = app.redeem(&goes_on(world, &walk, &browser.token).await.code()).await.1;
    assert_eq!(told(&app, &tokens).await, json!({}));
    app.authorize(Some(&browser), &[("prompt", Some("none")), ("claims", Some(BIRTHDATE))])
        .await
        .refused("consent_required");
    // Saying no is recorded, remembers nothing and gives nothing.
    let (_, answered) = decides(&app, &browser, BIRTHDATE, false).await;
    answered.refused("access_denied");
    assert_eq!(world.logged("consent.denied").await, 1);
    app.authorize(Some(&browser), &[("prompt", Some("none")), ("claims", Some(BIRTHDATE))])
        .await
        .refused("consent_required");
    app.code(&browser, &[("prompt", Some("none"))]).await;
    // Whoever asks for no identity has nobody's claims to ask for, and one that could not ask for the scope cannot ask for its claims.
    let narrow = trusted(world, json!({"scope": "openid"})).await;
    let code = narrow.code(&browser, &[("claims", Some(MORE))]).await;
    assert_eq!(told(&narrow, &narrow.redeem(&code).await.1).await, json!({}));
}

async fn implied_consent_covers_neither_named_claims_nor_details(world: &World) {
    let (acme, ana) = ana(world).await;
    says(world, ana.account).await;
    let owner = world.owner(&acme).await;
    let api = json!({
        "identifier": "https://payments.example", "name": "Payments", "permissions": [{"permission": "payments:send", "english": "Send"}],
        "detail_types": {"payment": {"type": "object", "properties": {"amount": {"type": "integer"}}}},
    });
    owner.adds_api(api).await.is(201);
    let (app, browser) = (trusted(world, json!({})).await, browser(&ana));
    // What its scopes release is implied, also one by one; what they do not is asked for once.
    let wide = [("scope", Some("openid profile email")), ("claims", Some(MORE)), ("prompt", Some("none"))];
    app.code(&browser, &wide).await;
    let silently = [("claims", Some(BIRTHDATE)), ("prompt", Some("none"))];
    app.authorize(Some(&browser), &silently).await.refused("consent_required");
    let (lines, answered) = decides(&app, &browser, BIRTHDATE, false).await;
    assert_eq!(lines, [("birthdate".to_owned(), true)]);
    answered.refused("access_denied");
    let (_, answered) = decides(&app, &browser, BIRTHDATE, true).await;
    assert_eq!(told(&app, &app.redeem(&answered.code()).await.1).await, json!({"birthdate": "1990-02-28"}));
    app.code(&browser, &silently).await;
    // Details are about one occasion, and asked for each time.
    let details = json!([{"type": "payment", "amount": 5}]).to_string();
    let detailed =
        [("resource", Some("https://payments.example")), ("authorization_details", Some(details.as_str()))];
    for _ in 0..2 {
        let silently = [&detailed[..], &[("prompt", Some("none"))]].concat();
        app.authorize(Some(&browser), &silently).await.refused("consent_required");
        let code = app.code_with_consent(&browser, &detailed).await;
        assert_eq!(
            app.redeem(&code).await.1["authorization_details"],
            serde_json::from_str::<Value>(&details).unwrap()
        );
    }
    app.code(&browser, &[detailed[0], ("prompt", Some("none"))]).await;
}

async fn a_claim_that_its_scope_releases_is_not_asked_for_twice(world: &World) {
    let (_, ana) = ana(world).await;
    says(world, ana.account).await;
    let (app, browser) = (world.application(ClientOrigin::Operator, json!({})).await, browser(&ana));
    let wide = [("scope", Some("openid profile email")), ("claims", Some(MORE))];
    let mut walk = enters(&app, Some(&browser), &wide).await;
    assert!(walk.last.body["consent"].get("claims").is_none(), "{}", walk.last.body);
    walk.says("consent", json!({"allow": true})).await.is(200);
    let tokens = app.redeem(&goes_on(world, &walk, &browser.token).await.code()).await.1;
    let id_token = whole::claims(&tokens["id_token"]);
    assert_eq!(id_token["nickname"], "Aninha");
    // A scope releases its claims at userinfo; the ID token has what was asked for there.
    assert!(
        ["name", "birthdate", "email", "org"].iter().all(|claim| id_token.get(*claim).is_none()),
        "{id_token}"
    );
    // Whoever agreed to the scope agreed to what it releases, also one by one.
    let code = app.code(&browser, &[("prompt", Some("none")), ("claims", Some(MORE))]).await;
    assert_eq!(
        told(&app, &app.redeem(&code).await.1).await,
        json!({"birthdate": "1990-02-28", "email": EMAIL})
    );
}
