//! A proof binds the tokens of every grant type.

use crate::both_engines;
use crate::harness::ciba::CIBA_GRANT;
use crate::harness::device_authorization::DEVICE_GRANT;
use crate::harness::oauth_application::OAuthApplication;
use crate::harness::token_endpoint::{TestClientAuth, TokenClient};
use crate::harness::world::World;
use serde_json::json;
use sinete_core::secret::{BackchannelRequest, DeviceCode, Secret};
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;

fn at_token_endpoint<'w>(app: &OAuthApplication<'w>) -> TokenClient<'w> {
    let proof = app.secret.clone().map_or(TestClientAuth::None, TestClientAuth::Basic);
    TokenClient { world: app.world, id: app.id.to_string(), auth: proof }
}

both_engines!(
    dpop_binds_tokens_of_every_grant,
    dpop_proof_of_an_unknown_request_is_not_stored_and_of_a_known_one_is_accepted_once,
    dpop_proof_of_a_rate_limited_or_empty_poll_is_not_stored,
    dpop_bound_access_tokens_metadata_is_registered_and_returned
);

async fn dpop_binds_tokens_of_every_grant(world: &World) {
    let books = world.create_token_fixture().await;
    let holder = world.create_dpop_client();
    let clerk = books.create_member("clerk").await;
    let browser = world.create_member_browser(&books.tenant, clerk).await;

    let service = books.create_service("clerk", "invoices:read").await;
    service
        .request_token_with_dpop(&holder, &[("grant_type", "client_credentials")])
        .await
        .assert_bound_to(&holder);

    let tv = world
        .create_device_client(
            ClientOrigin::Operator,
            json!({"scope": "openid", "dpop_bound_access_tokens": true}),
        )
        .await;
    let reply = tv.start_allowed_device_authorization(&browser.token, &[("scope", "openid")]).await;
    let params = [("grant_type", DEVICE_GRANT), ("device_code", reply.device_code.as_str())];
    let at_device = at_token_endpoint(&tv);
    at_device.request_token(&params).await.assert_oauth_error("invalid_request");
    at_device.request_token_with_dpop(&holder, &params).await.assert_bound_to(&holder);

    let agent =
        world.create_ciba_client(ClientOrigin::Operator, json!({"dpop_bound_access_tokens": true})).await;
    let ana = world.sign_in_at_aal2(browser.account).await;
    let subject = ana.get("/account/memberships").await.body["items"][0]["id"].as_str().unwrap().to_owned();
    let request = agent.start_ciba(&subject, &[]).await;
    ana.approve_ciba_request().await;
    let params = [("grant_type", CIBA_GRANT), ("auth_req_id", request.as_str())];
    let client = at_token_endpoint(&agent);
    client.request_token(&params).await.assert_oauth_error("invalid_request");
    client.request_token_with_dpop(&holder, &params).await.assert_bound_to(&holder);

    let key = world.create_api_key_caller(&books.tenant, clerk, "invoices:read").await;
    let exchange = [
        ("grant_type", "token-exchange"),
        ("subject_token", key.secret.as_str()),
        ("scope", "invoices:read"),
        ("subject_token_type", sinete_core::oauth::grants::token_exchange::API_KEY_TYPE),
    ];
    service.request_token_with_dpop(&holder, &exchange).await.assert_bound_to(&holder);
}

async fn dpop_proof_of_an_unknown_request_is_not_stored_and_of_a_known_one_is_accepted_once(world: &World) {
    let (engine, holder) = (world.server.engine(), world.create_dpop_client());
    let later = engine.now().plus(Lifetime::from_days(1));
    let is_any = async || {
        sinete_store::oauth::assertion_replays::has_expired_replays(engine.store(), later).await.unwrap()
    };
    let (tv, agent) = (
        world.create_device_client(ClientOrigin::Operator, json!({"scope": "openid"})).await,
        world.create_ciba_client(ClientOrigin::Operator, json!({})).await,
    );
    let (at_device, client) = (at_token_endpoint(&tv), at_token_endpoint(&agent));
    let made_up = [
        Secret::<DeviceCode>::mint(engine.entropy()).reveal(),
        Secret::<BackchannelRequest>::mint(engine.entropy()).reveal(),
    ];
    let proofs = [(); 2].map(|()| holder.proof("POST", "/connect/token"));
    for (device_code, request) in [(made_up[0].as_str(), made_up[1].as_str()), ("made-up", "made-up")] {
        for _ in 0..2 {
            at_device
                .request_token_with_proofs(
                    &proofs[..1],
                    &[("grant_type", DEVICE_GRANT), ("device_code", device_code)],
                )
                .await
                .assert_oauth_error("invalid_grant");
            client
                .request_token_with_proofs(
                    &proofs[1..],
                    &[("grant_type", CIBA_GRANT), ("auth_req_id", request)],
                )
                .await
                .assert_oauth_error("invalid_grant");
        }
    }
    assert!(!is_any().await);
    // A proof is accepted for one poll only.
    let reply = tv.start_device_authorization(&[("scope", "openid")]).await;
    let params = [("grant_type", DEVICE_GRANT), ("device_code", reply.device_code.as_str())];
    at_device
        .request_token_with_proofs(&proofs[..1], &params)
        .await
        .assert_oauth_error("authorization_pending");
    assert!(is_any().await);
    world.clock.advance(Lifetime::from_seconds(5));
    at_device.request_token_with_proofs(&proofs[..1], &params).await.assert_oauth_error("invalid_dpop_proof");
}

async fn dpop_proof_of_a_rate_limited_or_empty_poll_is_not_stored(world: &World) {
    let books = world.create_token_fixture().await;
    let browser = world.create_member_browser(&books.tenant, books.create_member("clerk").await).await;
    let holder = world.create_dpop_client();
    let count_replays = async || world.dump_database().await["assertion_replays"].len();
    let metadata = || json!({"scope": "openid"});
    let (tv, radio) = (
        world.create_device_client(ClientOrigin::Operator, metadata()).await,
        world.create_device_client(ClientOrigin::Operator, metadata()).await,
    );
    let (at_device, elsewhere) = (at_token_endpoint(&tv), at_token_endpoint(&radio));
    let reply = tv.start_device_authorization(&[("scope", "openid")]).await;
    let params = [("grant_type", DEVICE_GRANT), ("device_code", reply.device_code.as_str())];
    at_device.request_token_with_dpop(&holder, &params).await.assert_oauth_error("authorization_pending");
    assert_eq!(count_replays().await, 1);
    for _ in 0..15 {
        at_device.request_token_with_dpop(&holder, &params).await.assert_oauth_error("slow_down");
    }
    elsewhere.request_token_with_dpop(&holder, &params).await.assert_oauth_error("invalid_grant");
    assert_eq!(count_replays().await, 1, "only the proof of the poll in time is stored");
    // Of several concurrent polls, one succeeds.
    world.clock.advance(Lifetime::from_seconds(60));
    let asks = || at_device.request_token_with_dpop(&holder, &params);
    tokio::join!(asks(), asks(), asks(), asks(), asks(), asks());
    assert_eq!(count_replays().await, 2);
    // The redemption stores the proof; a refused repetition or a late request stores none.
    let allowed = tv.start_allowed_device_authorization(&browser.token, &[("scope", "openid")]).await;
    let params = [("grant_type", DEVICE_GRANT), ("device_code", allowed.device_code.as_str())];
    let proof = [holder.proof("POST", "/connect/token")];
    at_device.request_token_with_proofs(&proof, &params).await.assert_bound_to(&holder);
    assert_eq!(count_replays().await, 3);
    at_device.request_token_with_dpop(&holder, &params).await.assert_oauth_error("invalid_grant");
    // The proof is used: nothing else is redeemed with it, and what it was refused for is still available.
    let second_authorization =
        tv.start_allowed_device_authorization(&browser.token, &[("scope", "openid")]).await;
    let params = [("grant_type", DEVICE_GRANT), ("device_code", second_authorization.device_code.as_str())];
    at_device.request_token_with_proofs(&proof, &params).await.assert_oauth_error("invalid_dpop_proof");
    at_device.request_token_with_dpop(&holder, &params).await.assert_bound_to(&holder);
    world.clock.advance(Lifetime::from_hours(1));
    let params = [("grant_type", DEVICE_GRANT), ("device_code", reply.device_code.as_str())];
    at_device.request_token_with_dpop(&holder, &params).await.assert_oauth_error("expired_token");
    assert_eq!(count_replays().await, 4);
    // The same for CIBA.
    let agent = world.create_ciba_client(ClientOrigin::Operator, json!({})).await;
    let ana = world.sign_in_at_aal2(browser.account).await;
    let subject = ana.get("/account/memberships").await.body["items"][0]["id"].as_str().unwrap().to_owned();
    let request = agent.start_ciba(&subject, &[]).await;
    let (client, params) =
        (at_token_endpoint(&agent), [("grant_type", CIBA_GRANT), ("auth_req_id", request.as_str())]);
    client.request_token_with_dpop(&holder, &params).await.assert_oauth_error("authorization_pending");
    client.request_token_with_dpop(&holder, &params).await.assert_oauth_error("slow_down");
    assert_eq!(count_replays().await, 5);
    ana.approve_ciba_request().await;
    client.request_token_with_dpop(&holder, &params).await.assert_bound_to(&holder);
    client.request_token_with_dpop(&holder, &params).await.assert_oauth_error("invalid_grant");
    assert_eq!(count_replays().await, 6);
}

async fn dpop_bound_access_tokens_metadata_is_registered_and_returned(world: &World) {
    let document =
        json!({"redirect_uris": ["https://app.example/callback"], "dpop_bound_access_tokens": true});
    let response =
        world.http.post(world.public_url("/connect/register")).json(&document).send().await.unwrap();
    assert_eq!(response.status(), 201);
    let created_client: serde_json::Value = response.json().await.unwrap();
    assert_eq!(created_client["dpop_bound_access_tokens"], true);
    let wrong = json!({"redirect_uris": ["https://app.example/callback"], "dpop_bound_access_tokens": "yes"});
    let refused = world.http.post(world.public_url("/connect/register")).json(&wrong).send().await.unwrap();
    assert_eq!(refused.status(), 400);

    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({"dpop_bound_access_tokens": true})).await;
    let response =
        books.owner.get(&books.tenant.path(&format!("/clients/{}", app.id))).await.assert_status(200);
    assert_eq!(response.body["metadata"]["dpop_bound_access_tokens"], true);

    let resource: serde_json::Value =
        world.get("/.well-known/oauth-protected-resource").await.json().await.unwrap();
    assert_eq!(resource["dpop_signing_alg_values_supported"], json!(["RS256", "PS256", "ES256", "EdDSA"]));
    assert_eq!(resource["dpop_bound_access_tokens_required"], false);
}
