//! Authorization codes bound to a key (RFC 9449 §10).

use crate::both_engines;
use crate::harness::dpop_client::{DpopClient, request_with_proof};
use crate::harness::oauth_application::{BrowserSession, OAuthApplication};
use crate::harness::token_endpoint::{TestClientAuth, TokenClient};
use crate::harness::world::World;
use reqwest::Method;
use serde_json::{Value, json};
use sinete_store::oauth::clients::ClientOrigin;

/// A public client, and the browser of its user.
async fn scene(world: &World) -> (OAuthApplication<'_>, TokenClient<'_>, BrowserSession) {
    let acme = world.create_organization("acme").await;
    let ana = world.create_member(&acme, &["member"]).await;
    let browser = world.create_member_browser(&acme, ana).await;
    let metadata = json!({"consent": "implied", "token_endpoint_auth_method": "none"});
    let app = world.create_application(ClientOrigin::Operator, metadata).await;
    let client = TokenClient { world, id: app.id.to_string(), auth: TestClientAuth::None };
    (app, client, browser)
}

/// Redeems a code as the client that requested it.
async fn redeemed(
    client: &TokenClient<'_>,
    holder: &DpopClient<'_>,
    code: &str,
) -> crate::harness::token_endpoint::TokenEndpointResponse {
    client.redeem_code_with_dpop(holder, code).await
}

both_engines!(
    authorization_code_with_dpop_jkt_needs_that_key_and_stays_valid_for_another,
    pushed_request_with_a_dpop_proof_binds_its_code
);

async fn authorization_code_with_dpop_jkt_needs_that_key_and_stays_valid_for_another(world: &World) {
    let (app, client, browser) = scene(world).await;
    let (dpop_client, thief) = (world.create_dpop_client(), world.create_dpop_client());
    let code = app.obtain_code(&browser, &[("dpop_jkt", Some(&dpop_client.thumbprint()))]).await;
    redeemed(&client, &thief, &code).await.assert_oauth_error("invalid_grant");
    client.redeem_code(&code, &[]).await.assert_oauth_error("invalid_grant");
    redeemed(&client, &dpop_client, &code).await.assert_bound_to(&dpop_client);
    assert_eq!(
        (world.count_events("code.replayed").await, world.count_events("code.redeemed").await),
        (0, 1)
    );
    // A code without `dpop_jkt` is bound when it is redeemed.
    let code = app.obtain_code(&browser, &[]).await;
    redeemed(&client, &thief, &code).await.assert_bound_to(&thief);
    for wrong in ["short", &"A".repeat(44), "not a thumbprint"] {
        app.authorize(Some(&browser), &[("dpop_jkt", Some(wrong))])
            .await
            .assert_error_redirect("invalid_request");
    }
}

async fn pushed_request_with_a_dpop_proof_binds_its_code(world: &World) {
    let (app, client, browser) = scene(world).await;
    let (dpop_client, thief) = (world.create_dpop_client(), world.create_dpop_client());
    let push = async |proof: &str, jkt: Option<&str>| {
        let form = app.authorization_params(&[("dpop_jkt", jkt)]);
        let answer =
            request_with_proof(world, Method::POST, "/connect/par", proof).form(&form).send().await.unwrap();
        (answer.status().as_u16(), answer.json::<Value>().await.unwrap())
    };
    for jkt in [None, Some(dpop_client.thumbprint())] {
        let (status, pushed) = push(&dpop_client.proof("POST", "/connect/par"), jkt.as_deref()).await;
        assert_eq!(status, 201, "{pushed}");
        let handle = pushed["request_uri"].as_str().unwrap().to_owned();
        let bring = [("client_id".to_owned(), app.id.to_string()), ("request_uri".to_owned(), handle)];
        let code = world.open_authorization_endpoint(Some(&browser), &bring).await.code();
        redeemed(&client, &thief, &code).await.assert_oauth_error("invalid_grant");
        redeemed(&client, &dpop_client, &code).await.assert_bound_to(&dpop_client);
    }
    let (status, refused) = push(&dpop_client.proof("POST", "/connect/par"), Some(&thief.thumbprint())).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_dpop_proof")));
    let proof = dpop_client.proof("POST", "/connect/par");
    assert_eq!((push(&proof, None).await.0, push(&proof, None).await.0), (201, 400));
    let (status, refused) = push(&dpop_client.proof("POST", "/connect/token"), None).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_dpop_proof")));
}
