//! Proofs that must repeat a nonce of ours (RFC 9449 §8, §9).

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::key_holder::{DpopClient, beside};
use crate::harness::token_endpoint::TokenEndpointResponse;
use crate::harness::world::World;
use reqwest::Method;
use serde_json::json;
use sinete_core::time::Lifetime;

async fn with_nonces(on: TestEngine) -> World {
    World::begin_with(on, &[("SINETE_DPOP__NONCE", "always")]).await
}

fn repeating(holder: &DpopClient<'_>, nonce: &str) -> [String; 1] {
    [holder.strange_proof(&json!({}), &json!({"nonce": nonce}))]
}

fn told(reply: &TokenEndpointResponse) -> String {
    reply.nonce().expect("a nonce").to_owned()
}

both_engines!(
    super::with_nonces,
    [
        a_client_is_told_a_nonce_and_comes_back_with_everything_else_as_it_was,
        our_own_apis_and_pushed_requests_ask_for_one_too
    ]
);

async fn a_client_is_told_a_nonce_and_comes_back_with_everything_else_as_it_was(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let holder = world.key_holder();
    let redeem = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("code_verifier", crate::harness::token_endpoint::VERIFIER),
    ];
    let first = app.redeem_holding(&holder, &code).await.refused("use_dpop_nonce");
    assert_eq!(first.headers["access-control-expose-headers"], "dpop-nonce, www-authenticate");
    let nonce = told(&first);
    for wrong in
        ["", "x", &nonce[1..], &format!("{nonce}A"), &nonce.replace(|it: char| it.is_ascii_uppercase(), "a")]
    {
        let refused = app.ask_beside(&repeating(&holder, wrong), &redeem).await.refused("use_dpop_nonce");
        told(&refused);
    }
    let tokens = app.ask_beside(&repeating(&holder, &nonce), &redeem).await.bound_to(&holder);
    let next = told(&tokens);
    // A nonce may be repeated by many proofs, and only for a while.
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", &*tokens.refresh_token())];
    let renewed = app.ask_beside(&repeating(&holder, &nonce), &refresh).await.bound_to(&holder);
    world.clock.pass(Lifetime::from_minutes(6));
    let renew = renewed.refresh_token();
    let refresh = [("grant_type", "refresh_token"), ("refresh_token", renew.as_str())];
    let stale = app.ask_beside(&repeating(&holder, &next), &refresh).await.refused("use_dpop_nonce");
    app.ask_beside(&repeating(&holder, &told(&stale)), &refresh).await.bound_to(&holder);
    // Whoever proves no key is told nothing of it.
    let service = books.service("clerk", "invoices:read").await;
    assert_eq!(service.for_itself(&[]).await.granted().nonce(), None);
}

async fn our_own_apis_and_pushed_requests_ask_for_one_too(world: &World) {
    let books = world.books().await;
    let app = books.app(json!({"token_endpoint_auth_method": "none"})).await;
    let (_, code) = books.code(&app, "openid invoices:read").await;
    let holder = world.key_holder();
    let nonce = told(&app.redeem_holding(&holder, &code).await.refused("use_dpop_nonce"));
    let redeem = [
        ("grant_type", "authorization_code"),
        ("code", &code),
        ("code_verifier", crate::harness::token_endpoint::VERIFIER),
    ];
    let token = app.ask_beside(&repeating(&holder, &nonce), &redeem).await.bound_to(&holder).access_token();
    let path = "/connect/userinfo";
    let refused = holder.shows(path, &token).await;
    let nonce = refused.refused("use_dpop_nonce").nonce.clone().unwrap();
    let shown = holder.shows_saying(path, &token, &json!({"nonce": nonce})).await;
    assert!(shown.status == 200 && shown.nonce.is_some(), "{shown:?}");
    // What is wrong besides is said first: a nonce would not help.
    holder.shows_saying(path, &token, &json!({"ath": null})).await.refused("invalid_dpop_proof");
    let form = [("client_id", app.id.as_str())];
    let pushed =
        beside(world, Method::POST, "/connect/par", &holder.proof("POST", "/connect/par")).form(&form);
    let pushed = TokenEndpointResponse::of(pushed.send().await.unwrap()).await;
    assert_eq!((pushed.status, &pushed.body["error"]), (400, &json!("use_dpop_nonce")));
    assert!(pushed.nonce().is_some());
}
