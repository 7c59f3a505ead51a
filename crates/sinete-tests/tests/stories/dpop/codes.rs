//! Codes that are bound to a key before they are given out (RFC 9449 §10).

use crate::both_engines;
use crate::harness::application::{BrowserSession, OAuthApplication};
use crate::harness::key_holder::{DpopClient, beside};
use crate::harness::token_endpoint::{TestClientAuth, TokenClient};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_store::clients::ClientOrigin;

/// An application without a secret, at both ends, and the browser of somebody whom it serves.
async fn scene(world: &World) -> (OAuthApplication<'_>, TokenClient<'_>, BrowserSession) {
    let acme = world.tenant("acme").await;
    let ana = world.member(&acme, &["member"]).await;
    let browser = world.browser_of(&acme, ana).await;
    let metadata = json!({"consent": "implied", "token_endpoint_auth_method": "none"});
    let app = world.application(ClientOrigin::Operator, metadata).await;
    let client = TokenClient { world, id: app.id.to_string(), proof: TestClientAuth::Nothing };
    (app, client, browser)
}

/// Redeems a code as the application that asked for it.
async fn redeemed(
    client: &TokenClient<'_>,
    holder: &DpopClient<'_>,
    code: &str,
) -> crate::harness::token_endpoint::TokenEndpointResponse {
    client.redeem_holding(holder, code).await
}

both_engines!(
    a_stolen_code_is_worth_nothing_with_another_key_and_is_not_used_up,
    a_pushed_request_binds_its_code_to_the_key_that_pushed_it
);

async fn a_stolen_code_is_worth_nothing_with_another_key_and_is_not_used_up(world: &World) {
    let (app, client, browser) = scene(world).await;
    let (own, thief) = (world.key_holder(), world.key_holder());
    let code = app.code(&browser, &[("dpop_jkt", Some(&own.thumbprint()))]).await;
    redeemed(&client, &thief, &code).await.refused("invalid_grant");
    client.redeem(&code, &[]).await.refused("invalid_grant");
    redeemed(&client, &own, &code).await.bound_to(&own);
    assert_eq!((world.logged("code.replayed").await, world.logged("code.redeemed").await), (0, 1));
    // A code that is bound to nobody is bound when it is redeemed.
    let code = app.code(&browser, &[]).await;
    redeemed(&client, &thief, &code).await.bound_to(&thief);
    for wrong in ["short", &"A".repeat(44), "not a thumbprint"] {
        app.authorize(Some(&browser), &[("dpop_jkt", Some(wrong))]).await.refused("invalid_request");
    }
}

async fn a_pushed_request_binds_its_code_to_the_key_that_pushed_it(world: &World) {
    let (app, client, browser) = scene(world).await;
    let (own, thief) = (world.key_holder(), world.key_holder());
    let push = async |proof: &str, jkt: Option<&str>| {
        let form = app.request(&[("dpop_jkt", jkt)]);
        let answer = beside(world, Method::POST, "/connect/par", proof).form(&form).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    for jkt in [None, Some(own.thumbprint())] {
        let (status, pushed) = push(&own.proof("POST", "/connect/par"), jkt.as_deref()).await;
        assert_eq!(status, 201, "{pushed}");
        let handle = pushed["request_uri"].as_str().unwrap().to_owned();
        let bring = [("client_id".to_owned(), app.id.to_string()), ("request_uri".to_owned(), handle)];
        let code = world.visit(Some(&browser), &bring).await.code();
        redeemed(&client, &thief, &code).await.refused("invalid_grant");
        redeemed(&client, &own, &code).await.bound_to(&own);
    }
    let (status, refused) = push(&own.proof("POST", "/connect/par"), Some(&thief.thumbprint())).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_dpop_proof")));
    let proof = own.proof("POST", "/connect/par");
    assert_eq!((push(&proof, None).await.0, push(&proof, None).await.0), (201, 400));
    let (status, refused) = push(&own.proof("POST", "/connect/token"), None).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_dpop_proof")));
}
