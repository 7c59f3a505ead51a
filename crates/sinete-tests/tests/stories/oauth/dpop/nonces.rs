//! Server-provided nonces (RFC 9449 §8, §9).

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::dpop_client::{DpopClient, request_with_proof};
use crate::harness::token_endpoint::TokenEndpointResponse;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::time::Lifetime;

async fn with_nonces(on: TestEngine) -> World {
    World::start_with_config(on, &[("SINETE_DPOP__NONCE", "always")]).await
}

fn repeating(holder: &DpopClient<'_>, nonce: &str) -> [String; 1] {
    [holder.custom_proof(&json!({}), &json!({"nonce": nonce}))]
}

fn told(reply: &TokenEndpointResponse) -> String {
    reply.dpop_nonce().expect("a nonce").to_owned()
}

both_engines!(
    super::with_nonces,
    [
        dpop_nonce_is_returned_and_the_request_can_be_repeated_unchanged,
        dpop_nonce_is_required_at_the_management_api_userinfo_and_par
    ]
);

async fn dpop_nonce_is_returned_and_the_request_can_be_repeated_unchanged(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let holder = world.create_dpop_client();
    let redeem = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("code_verifier", crate::harness::token_endpoint::VERIFIER),
    ];
    let first = app.redeem_code_with_dpop(&holder, &code).await.assert_oauth_error("use_dpop_nonce");
    assert_eq!(first.headers["access-control-expose-headers"], "dpop-nonce, www-authenticate");
    let nonce = told(&first);
    for wrong in
        ["", "x", &nonce[1..], &format!("{nonce}A"), &nonce.replace(|it: char| it.is_ascii_uppercase(), "a")]
    {
        let refused = app
            .request_token_with_proofs(&repeating(&holder, wrong), &redeem)
            .await
            .assert_oauth_error("use_dpop_nonce");
        told(&refused);
    }
    let tokens =
        app.request_token_with_proofs(&repeating(&holder, &nonce), &redeem).await.assert_bound_to(&holder);
    let next = told(&tokens);
    // A nonce may be used in several proofs, for a limited time.
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", &*tokens.refresh_token())];
    let renewed =
        app.request_token_with_proofs(&repeating(&holder, &nonce), &refresh).await.assert_bound_to(&holder);
    world.clock.advance(Lifetime::from_minutes(6));
    let renew = renewed.refresh_token();
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", renew.as_str())];
    let stale = app
        .request_token_with_proofs(&repeating(&holder, &next), &refresh)
        .await
        .assert_oauth_error("use_dpop_nonce");
    app.request_token_with_proofs(&repeating(&holder, &told(&stale)), &refresh)
        .await
        .assert_bound_to(&holder);
    // A client that sends no proof gets no nonce.
    let service = books.create_service("clerk", "invoices:read").await;
    assert_eq!(service.request_client_credentials(&[]).await.assert_granted().dpop_nonce(), None);
}

async fn dpop_nonce_is_required_at_the_management_api_userinfo_and_par(world: &World) {
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.issue_code(&app, "openid invoices:read").await;
    let holder = world.create_dpop_client();
    let nonce = told(&app.redeem_code_with_dpop(&holder, &code).await.assert_oauth_error("use_dpop_nonce"));
    let redeem = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("code_verifier", crate::harness::token_endpoint::VERIFIER),
    ];
    let token = app
        .request_token_with_proofs(&repeating(&holder, &nonce), &redeem)
        .await
        .assert_bound_to(&holder)
        .access_token();
    let path = "/connect/userinfo";
    let refused = holder.call_with_token(path, &token).await;
    let nonce = refused.assert_dpop_challenge("use_dpop_nonce").nonce.clone().unwrap();
    let response = holder.call_with_token_and_claims(path, &token, &json!({"nonce": nonce})).await;
    assert!(response.status == 200 && response.nonce.is_some(), "{response:?}");
    // Another error comes first: a nonce would not help.
    holder
        .call_with_token_and_claims(path, &token, &json!({"ath": null}))
        .await
        .assert_dpop_challenge("invalid_dpop_proof");
    let form = [("client_id", app.id.as_str())];
    let pushed =
        request_with_proof(world, Method::POST, "/connect/par", &holder.proof("POST", "/connect/par"))
            .form(&form);
    let pushed = TokenEndpointResponse::from_response(pushed.send().await.unwrap()).await;
    assert_eq!((pushed.status, &pushed.body["error"]), (400, &json!("use_dpop_nonce")));
    assert!(pushed.dpop_nonce().is_some());
}
