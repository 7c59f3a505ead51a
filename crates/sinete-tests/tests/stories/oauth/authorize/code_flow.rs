//! The authorization code flow, from the request to the tokens, with standard requests only.

use super::create_trusted_application;
use crate::both_engines;
use crate::harness::organizations::OWNER_SCOPE;
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
    public_client_gets_tokens_for_the_consented_request_once,
    auth_time_is_included_and_stays_unchanged,
    id_token_hint_of_another_user_is_login_required,
    sub_claim_value_selects_the_membership_and_reveals_no_other_user
);

async fn public_client_gets_tokens_for_the_consented_request_once(world: &World) {
    let acme = world.create_organization("acme").await;
    let owner = world.create_owner(&acme).await;
    let owner =
        world.create_api_key_caller(&acme, owner.membership, &format!("{OWNER_SCOPE} invoices:*")).await;
    let api = json!({
        "identifier": API, "name": "Invoices", "permissions": [{"permission": "invoices:read", "english": "Read invoices"}],
        "detail_types": {"payment": {"type": "object", "properties": {"amount": {"type": "integer"}}}},
    });
    owner.create_api(api).await.assert_status(201);
    owner
        .post(&acme.path("/roles"), json!({"name": "reader", "permissions": ["invoices:read"]}))
        .await
        .assert_status(201);
    let ana = world.create_member(&acme, &["reader"]).await;
    let browser = world.create_member_browser(&acme, ana).await;
    let native = json!({"redirect_uris": ["http://127.0.0.1/callback"], "application_type": "native", "token_endpoint_auth_method": "none", "scope": "openid invoices:read"});
    let mut app = create_trusted_application(world, native).await;
    app.callback = "http://127.0.0.1:49152/callback".to_owned();
    let details = json!([{"type": "payment", "amount": 5}]);
    let text = details.to_string();
    let params = [
        ("scope", Some("openid invoices:read")),
        ("nonce", Some("n-0S6")),
        ("authorization_details", Some(text.as_str())),
    ];
    let code = app.obtain_code_with_consent(&browser, &params).await;
    let (status, tokens) = app.redeem_code(&code).await;
    assert_eq!(status, 200, "{tokens}");
    let access = claims(&tokens["access_token"]);
    assert_eq!((&access["aud"], &access["org"]), (&json!(API), &json!(acme.id)));
    assert_eq!((&access["sub"], &access["scope"]), (&json!(ana), &json!("openid invoices:read")));
    assert_eq!((&tokens["authorization_details"], &access["authorization_details"]), (&details, &details));
    let id = claims(&tokens["id_token"]);
    assert_eq!((&id["nonce"], &id["aud"], &id["sub"]), (&json!("n-0S6"), &json!(app.id), &json!(ana)));
    let refresh = tokens["refresh_token"].as_str().unwrap();
    assert_eq!(app.redeem_code(&code).await.1["error"], "invalid_grant");
    assert_eq!(
        app.refresh_tokens(refresh).await.1["error"],
        "invalid_grant",
        "the tokens of the first use are revoked too"
    );
}

async fn auth_time_is_included_and_stays_unchanged(world: &World) {
    let scene = super::create_fixture(world).await;
    world.clock.advance(Lifetime::from_seconds(100));
    let code = scene.app.obtain_code(&scene.browser, &[("max_age", Some("600"))]).await;
    let first = claims(&scene.app.redeem_code(&code).await.1["id_token"]);
    world.clock.advance(Lifetime::from_seconds(100));
    let code =
        scene.app.obtain_code(&scene.browser, &[("prompt", Some("none")), ("max_age", Some("600"))]).await;
    let second = claims(&scene.app.redeem_code(&code).await.1["id_token"]);
    assert!(first["auth_time"].is_i64());
    assert_eq!((&first["auth_time"], &first["sub"]), (&second["auth_time"], &second["sub"]));
    assert_eq!(second["acr"], "urn:sinete:aal:1");
}

async fn id_token_hint_of_another_user_is_login_required(world: &World) {
    let scene = super::create_fixture(world).await;
    let code = scene.app.obtain_code(&scene.browser, &[]).await;
    let hint = scene.app.redeem_code(&code).await.1["id_token"].as_str().unwrap().to_owned();
    let silently = [("prompt", Some("none")), ("id_token_hint", Some(hint.as_str()))];
    scene.app.authorize(Some(&scene.browser), &silently).await.code();
    let bob = world.create_member(&scene.acme, &["member"]).await;
    let other = world.create_member_browser(&scene.acme, bob).await;
    scene.app.authorize(Some(&other), &silently).await.assert_error_redirect("login_required");
    // An `id_token_hint` of another client, or an invalid one, is ignored.
    let app = create_trusted_application(world, json!({})).await;
    app.authorize(Some(&other), &silently).await.code();
    let tampered = format!("{}x", &hint[..hint.len() - 1]);
    scene
        .app
        .authorize(Some(&other), &[("prompt", Some("none")), ("id_token_hint", Some(&tampered))])
        .await
        .code();
    // An expired hint is accepted.
    world.clock.advance(Lifetime::from_days(2));
    scene.app.authorize(Some(&other), &silently).await.assert_error_redirect("login_required");
}

async fn sub_claim_value_selects_the_membership_and_reveals_no_other_user(world: &World) {
    let scene = super::create_fixture(world).await;
    let bob = world.create_member(&scene.acme, &["member"]).await;
    let bobs = world.create_member_browser(&scene.acme, bob).await;
    let globex = world.create_organization("globex").await;
    let elsewhere = super::add_member(world, bobs.account, &globex, "member").await;
    let build_claims = |sub: &str| json!({"id_token": {"sub": {"value": sub}}}).to_string();
    let asks = async |claims: &str, extra_params: &[(&str, Option<&str>)]| {
        let base_params = [("prompt", Some("none")), ("claims", Some(claims))];
        scene.app.authorize(Some(&bobs), &[&base_params[..], extra_params].concat()).await
    };
    for (membership, organization) in [(bob, &scene.acme), (elsewhere, &globex)] {
        let code = asks(&build_claims(&membership.to_string()), &[]).await.code();
        let body = claims(&scene.app.redeem_code(&code).await.1["access_token"]);
        assert_eq!((&body["sub"], &body["org"]), (&json!(membership), &json!(organization.id)));
    }
    // The response does not reveal whether the subject exists, in another session or without one.
    let other_member = world.create_member(&scene.acme, &["member"]).await;
    let unknown_id = "01936f5e-7c2a-7def-8a1b-2c3d4e5f6071";
    for browser in [None, Some(&bobs)] {
        for prompt in [None, Some("none"), Some("login"), Some("consent")] {
            let request_sub = async |sub: &str| {
                let claims = build_claims(sub);
                let answer =
                    scene.app.authorize(browser, &[("prompt", prompt), ("claims", Some(&claims))]).await;
                let flow =
                    |to: &str| to.split_once("flow=").map_or(to.to_owned(), |(before, _)| before.to_owned());
                (answer.status, answer.location().map(flow))
            };
            let expected = request_sub(&other_member.to_string()).await;
            assert_eq!(request_sub(unknown_id).await, expected, "{prompt:?}");
            assert_eq!(request_sub("no id").await, expected, "{prompt:?}");
        }
    }
    // The same account in another organization, another account, and none.
    asks(&build_claims(&bob.to_string()), &[("organization", Some("globex"))])
        .await
        .assert_error_redirect("login_required");
    asks(&build_claims(&bobs.account.to_string()), &[]).await.assert_error_redirect("login_required");
    asks(&build_claims("somebody"), &[]).await.assert_error_redirect("login_required");
    let anas = world.create_member(&scene.acme, &["member"]).await;
    asks(&build_claims(&anas.to_string()), &[]).await.assert_error_redirect("login_required");
    let hint = scene.app.obtain_code(&scene.browser, &[]).await;
    let hint = scene.app.redeem_code(&hint).await.1["id_token"].as_str().unwrap().to_owned();
    asks(&build_claims(&bob.to_string()), &[("id_token_hint", Some(&hint))])
        .await
        .assert_error_redirect("invalid_request");
}
