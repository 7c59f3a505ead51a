//! Poll mode: the client polls and gets the tokens once.

use super::{ANA, SCOPE, scene};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::secret::{BackchannelRequest, DeviceCode, Secret};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    ciba_poll_too_soon_slows_down_and_an_approval_is_delivered_at_once,
    ciba_tokens_have_exactly_the_approved_scope,
    ciba_auth_req_id_reuse_revokes_the_grant_at_any_time,
    ciba_auth_req_id_of_another_client_is_refused_and_stays_valid,
    ciba_tokens_are_refused_after_a_suspension_between_approval_and_poll
);

async fn ciba_poll_too_soon_slows_down_and_an_approval_is_delivered_at_once(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.start_ciba(ANA, &[]).await;
    let response_body = async |after: u32| {
        world.clock.advance(Lifetime::from_seconds(after));
        let (status, body) = scene.agent.poll_ciba(&request).await;
        assert_eq!(status, 400);
        body["error"].as_str().unwrap().to_owned()
    };
    assert_eq!(response_body(0).await, "authorization_pending");
    assert_eq!(response_body(5).await, "authorization_pending");
    assert_eq!(response_body(4).await, "slow_down");
    assert_eq!(response_body(9).await, "slow_down", "the interval is ten seconds, so this is too soon again");
    assert_eq!(response_body(15).await, "authorization_pending", "the interval is fifteen seconds");
    scene.ana.approve_ciba_request().await;
    scene.agent.redeem_ciba(&request).await;
    // An expired request can neither be approved nor redeemed.
    let late = scene.agent.start_ciba(ANA, &[("requested_expiry", "30")]).await;
    let path = scene.ana.newest_ciba_request().await;
    world.clock.advance(Lifetime::from_seconds(30));
    scene.ana.post(&format!("{path}/approve"), json!({})).await.assert_problem(404, "not_found");
    scene.agent.assert_ciba_poll_error(&late, "expired_token").await;
    let unfetched = scene.agent.start_ciba(ANA, &[]).await;
    scene.ana.approve_ciba_request().await;
    world.clock.advance(Lifetime::from_minutes(5));
    scene.agent.assert_ciba_poll_error(&unfetched, "expired_token").await;
}

async fn ciba_tokens_have_exactly_the_approved_scope(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.start_ciba(ANA, &[("scope", "openid invoices:send")]).await;
    scene.ana.approve_ciba_request().await;
    for wider in [SCOPE, "openid invoices:send invoices:read"] {
        let form = [
            ("grant_type", crate::harness::ciba::CIBA_GRANT),
            ("auth_req_id", request.as_str()),
            ("scope", wider),
        ];
        let (status, body) = scene
            .agent
            .post_form("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned())))
            .await;
        assert_eq!(
            (status, &body["error"]),
            (400, &json!("invalid_scope")),
            "the refused request consumes nothing"
        );
    }
    let form = [
        ("grant_type", crate::harness::ciba::CIBA_GRANT),
        ("auth_req_id", request.as_str()),
        ("scope", "openid invoices:send"),
    ];
    let (status, tokens) = scene
        .agent
        .post_form("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned())))
        .await;
    assert_eq!((status, &tokens["scope"]), (200, &json!("openid invoices:send")));
    let access = world.token_claims(tokens["access_token"].as_str().unwrap(), JwtType::Access);
    assert_eq!(
        (&access["sub"], &access["client_id"], &access["org"]),
        (&json!(scene.clerk), &json!(scene.agent.id), &json!(scene.books.tenant.id))
    );
    assert_eq!(access["scope"], tokens["scope"]);
    let id = world.token_claims(tokens["id_token"].as_str().unwrap(), JwtType::Id);
    assert_eq!((&id["aud"], id.get("nonce")), (&json!(scene.agent.id), None));
    assert!(id["auth_time"].is_i64(), "{id}");
}

async fn ciba_auth_req_id_reuse_revokes_the_grant_at_any_time(world: &World) {
    let scene = scene(world).await;
    for later in [Lifetime::ZERO, Lifetime::from_minutes(11), Lifetime::from_days(2)] {
        let ana = world.sign_in_at_aal2(scene.ana.account).await;
        let request = scene.agent.start_ciba(ANA, &[("scope", "openid offline_access")]).await;
        ana.approve_ciba_request().await;
        let tokens = scene.agent.redeem_ciba(&request).await;
        world.clock.advance(later);
        sinete_engine::administration::cleanup::delete_expired(world.server.engine()).await.unwrap();
        let (status, body) = scene.agent.poll_ciba(&request).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")));
        assert_eq!(scene.agent.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await.0, 400);
    }
    assert_eq!(world.count_events("approval.replayed").await, 3);
}

async fn ciba_auth_req_id_of_another_client_is_refused_and_stays_valid(world: &World) {
    let scene = scene(world).await;
    let thief = world.create_ciba_client(ClientOrigin::Operator, json!({"scope": SCOPE})).await;
    let request = scene.agent.start_ciba(ANA, &[]).await;
    scene.ana.approve_ciba_request().await;
    let (status, body) = thief.poll_ciba(&request).await;
    assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")));
    scene.agent.redeem_ciba(&request).await;
    assert_eq!(
        (world.count_events("approval.misdirected").await, world.count_events("grant.revoked").await),
        (1, 0)
    );
    let entropy = world.server.engine().entropy();
    let other = Secret::<DeviceCode>::mint(entropy).reveal();
    let unknown = Secret::<BackchannelRequest>::mint(entropy).reveal();
    for wrong in [other.as_str(), unknown.as_str(), &request[..40], "x"] {
        let (status, body) = scene.agent.poll_ciba(wrong).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")), "{wrong}");
    }
}

async fn ciba_tokens_are_refused_after_a_suspension_between_approval_and_poll(world: &World) {
    let (scene, operator) = (scene(world).await, world.create_operator().await);
    let (books, path) = (&scene.books, |below: &str| scene.books.tenant.path(below));
    let agent =
        world.create_ciba_client(ClientOrigin::Organization(books.tenant.id), json!({"scope": SCOPE})).await;
    let request =
        agent.start_ciba(ANA, &[("scope", "openid invoices:read"), ("requested_expiry", "600")]).await;
    scene.ana.approve_ciba_request().await;
    let refused = async |error: &str| {
        let (status, body) = agent.poll_ciba(&request).await;
        assert_eq!((status, &body["error"]), (400, &json!(error)));
    };
    for resource_path in [path(&format!("/clients/{}", agent.id)), path(&format!("/members/{}", scene.clerk))]
    {
        books.owner.post(&format!("{resource_path}/disable"), Value::Null).await.assert_status(200);
        refused("invalid_grant").await;
        books.owner.post(&format!("{resource_path}/enable"), Value::Null).await.assert_status(200);
    }
    world.create_assignment(&operator, &books.tenant, "abuse").await;
    operator.post(&path("/suspend"), json!({"reason": "abuse"})).await.assert_status(200);
    refused("invalid_grant").await;
    operator.post(&path("/restore"), json!({"reason": "settled"})).await.assert_status(200);
    books.change_settings(json!({"refused_grants": ["backchannel"]})).await;
    refused("unauthorized_client").await;
    books.change_settings(json!({"refused_grants": []})).await;
    books.change_role("clerk", &["invoices:send"]).await;
    refused("invalid_grant").await;
    books.change_role("clerk", &["invoices:read"]).await;
    agent.redeem_ciba(&request).await;
    // A revoked grant gives no tokens, and neither does one whose session ended.
    let request = agent.start_ciba(ANA, &[]).await;
    scene.ana.approve_ciba_request().await;
    scene
        .ana
        .delete(&format!("/account/memberships/{}/applications/{}", scene.clerk, agent.id))
        .await
        .assert_status(204);
    agent.assert_ciba_poll_error(&request, "invalid_grant").await;
    let request = agent.start_ciba(ANA, &[]).await;
    scene.ana.approve_ciba_request().await;
    operator
        .delete(&format!("/manage/accounts/{}/sessions", scene.ana.account), None)
        .await
        .assert_status(204);
    agent.assert_ciba_poll_error(&request, "invalid_grant").await;
}
