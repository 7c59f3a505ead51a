//! From the request to the tokens, with nothing but the standards in hand.

use super::trusted;
use crate::both_engines;
use crate::harness::tenants::OWNERS_SCOPE;
use crate::harness::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;

const API: &str = "https://invoices.example";

pub(super) fn claims(token: &Value) -> Value {
    let payload = token.as_str().unwrap().split('.').nth(1).unwrap();
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap()
}

both_engines!(
    a_public_client_gets_what_was_agreed_to_and_nothing_twice,
    how_long_ago_the_person_signed_in_is_told_and_stays_true,
    an_id_token_says_whom_and_where_the_application_expects,
    a_request_that_names_its_subject_is_about_nobody_else
);

async fn a_public_client_gets_what_was_agreed_to_and_nothing_twice(world: &World) {
    let acme = world.tenant("acme").await;
    let owner = world.owner(&acme).await;
    let owner = world.key(&acme, owner.membership, &format!("{OWNERS_SCOPE} invoices:*")).await;
    let api = json!({
        "identifier": API, "name": "Invoices", "permissions": [{"permission": "invoices:read", "english": "Read invoices"}],
        "detail_types": {"payment": {"type": "object", "properties": {"amount": {"type": "integer"}}}},
    });
    owner.adds_api(api).await.is(201);
    owner
        .post(&acme.path("/roles"), json!({"name": "reader", "permissions": ["invoices:read"]}))
        .await
        .is(201);
    let ana = world.member(&acme, &["reader"]).await;
    let browser = world.browser_of(&acme, ana).await;
    let native = json!({"redirect_uris": ["http://127.0.0.1/callback"], "application_type": "native", "token_endpoint_auth_method": "none", "scope": "openid invoices:read"});
    let mut app = trusted(world, native).await;
    app.callback = "http://127.0.0.1:49152/callback".to_owned();
    let details = json!([{"type": "payment", "amount": 5}]);
    let text = details.to_string();
    let asked = [
        ("scope", Some("openid invoices:read")),
        ("nonce", Some("n-0S6")),
        ("authorization_details", Some(text.as_str())),
    ];
    let code = app.code_with_consent(&browser, &asked).await;
    let (status, tokens) = app.redeem(&code).await;
    assert_eq!(status, 200, "{tokens}");
    let access = claims(&tokens["access_token"]);
    assert_eq!((&access["aud"], &access["org"]), (&json!(API), &json!(acme.id)));
    assert_eq!((&access["sub"], &access["scope"]), (&json!(ana), &json!("openid invoices:read")));
    assert_eq!((&tokens["authorization_details"], &access["authorization_details"]), (&details, &details));
    let id = claims(&tokens["id_token"]);
    assert_eq!((&id["nonce"], &id["aud"], &id["sub"]), (&json!("n-0S6"), &json!(app.id), &json!(ana)));
    let refresh = tokens["refresh_token"].as_str().unwrap();
    assert_eq!(app.redeem(&code).await.1["error"], "invalid_grant");
    assert_eq!(app.refresh(refresh).await.1["error"], "invalid_grant", "the first use is dead too");
}

async fn how_long_ago_the_person_signed_in_is_told_and_stays_true(world: &World) {
    let scene = super::scene(world).await;
    world.clock.pass(Lifetime::from_seconds(100));
    let code = scene.app.code(&scene.browser, &[("max_age", Some("600"))]).await;
    let first = claims(&scene.app.redeem(&code).await.1["id_token"]);
    world.clock.pass(Lifetime::from_seconds(100));
    let code = scene.app.code(&scene.browser, &[("prompt", Some("none")), ("max_age", Some("600"))]).await;
    let second = claims(&scene.app.redeem(&code).await.1["id_token"]);
    assert!(first["auth_time"].is_i64());
    assert_eq!((&first["auth_time"], &first["sub"]), (&second["auth_time"], &second["sub"]));
    assert_eq!(second["acr"], "urn:sinete:aal:1");
}

async fn an_id_token_says_whom_and_where_the_application_expects(world: &World) {
    let scene = super::scene(world).await;
    let code = scene.app.code(&scene.browser, &[]).await;
    let hint = scene.app.redeem(&code).await.1["id_token"].as_str().unwrap().to_owned();
    let silently = [("prompt", Some("none")), ("id_token_hint", Some(hint.as_str()))];
    scene.app.authorize(Some(&scene.browser), &silently).await.code();
    let bob = world.member(&scene.acme, &["member"]).await;
    let other = world.browser_of(&scene.acme, bob).await;
    scene.app.authorize(Some(&other), &silently).await.refused("login_required");
    // A hint of another application, or one that was tampered with, says nothing.
    let app = trusted(world, json!({})).await;
    app.authorize(Some(&other), &silently).await.code();
    let tampered = format!("{}x", &hint[..hint.len() - 1]);
    scene
        .app
        .authorize(Some(&other), &[("prompt", Some("none")), ("id_token_hint", Some(&tampered))])
        .await
        .code();
    // That it has expired does not matter.
    world.clock.pass(Lifetime::from_days(2));
    scene.app.authorize(Some(&other), &silently).await.refused("login_required");
}

async fn a_request_that_names_its_subject_is_about_nobody_else(world: &World) {
    let scene = super::scene(world).await;
    let bob = world.member(&scene.acme, &["member"]).await;
    let bobs = world.browser_of(&scene.acme, bob).await;
    let globex = world.tenant("globex").await;
    let elsewhere = super::joins(world, bobs.account, &globex, "member").await;
    let about = |sub: &str| json!({"id_token": {"sub": {"value": sub}}}).to_string();
    let asks = async |claims: &str, more: &[(&str, Option<&str>)]| {
        let named = [("prompt", Some("none")), ("claims", Some(claims))];
        scene.app.authorize(Some(&bobs), &[&named[..], more].concat()).await
    };
    for (membership, organization) in [(bob, &scene.acme), (elsewhere, &globex)] {
        let code = asks(&about(&membership.to_string()), &[]).await.code();
        let said = claims(&scene.app.redeem(&code).await.1["access_token"]);
        assert_eq!((&said["sub"], &said["org"]), (&json!(membership), &json!(organization.id)));
    }
    // Nobody learns from the answer whether there is somebody of that name, with another session or with none.
    let stranger = world.member(&scene.acme, &["member"]).await;
    let nobody = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071";
    for browser in [None, Some(&bobs)] {
        for prompt in [None, Some("none"), Some("login"), Some("consent")] {
            let answered = async |sub: &str| {
                let claims = about(sub);
                let answer =
                    scene.app.authorize(browser, &[("prompt", prompt), ("claims", Some(&claims))]).await;
                let flow =
                    |to: &str| to.split_once("flow=").map_or(to.to_owned(), |(before, _)| before.to_owned());
                (answer.status, answer.location().map(flow))
            };
            let expected = answered(&stranger.to_string()).await;
            assert_eq!(answered(nobody).await, expected, "{prompt:?}");
            assert_eq!(answered("no id").await, expected, "{prompt:?}");
        }
    }
    // The same person somewhere else, somebody else, and nobody.
    asks(&about(&bob.to_string()), &[("organization", Some("globex"))]).await.refused("login_required");
    asks(&about(&bobs.account.to_string()), &[]).await.refused("login_required");
    asks(&about("somebody"), &[]).await.refused("login_required");
    let anas = world.member(&scene.acme, &["member"]).await;
    asks(&about(&anas.to_string()), &[]).await.refused("login_required");
    let hint = scene.app.code(&scene.browser, &[]).await;
    let hint = scene.app.redeem(&hint).await.1["id_token"].as_str().unwrap().to_owned();
    asks(&about(&bob.to_string()), &[("id_token_hint", Some(&hint))]).await.refused("invalid_request");
}
