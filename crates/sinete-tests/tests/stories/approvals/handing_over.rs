//! A client asks whether somebody answered, and is handed the tokens once.

use super::{ANA, SCOPE, scene};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::secret::{BackchannelRequest, DeviceCode, Secret};
use sinete_core::time::Lifetime;
use sinete_crypto::jwt::JwtType;
use sinete_store::clients::ClientOrigin;

both_engines!(
    whoever_asks_too_soon_waits_longer_and_gets_what_is_there_at_once,
    a_client_gets_exactly_what_was_approved,
    what_is_shown_twice_ends_everything_that_came_of_it_whenever_it_comes,
    in_the_wrong_hands_it_is_worth_nothing_and_is_not_spoilt,
    what_stops_between_the_answer_and_the_tokens_stops_them
);

async fn whoever_asks_too_soon_waits_longer_and_gets_what_is_there_at_once(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.waits_for(ANA, &[]).await;
    let told = async |after: u32| {
        world.clock.pass(Lifetime::from_seconds(after));
        let (status, told) = scene.agent.fetches(&request).await;
        assert_eq!(status, 400);
        told["error"].as_str().unwrap().to_owned()
    };
    assert_eq!(told(0).await, "authorization_pending");
    assert_eq!(told(5).await, "authorization_pending");
    assert_eq!(told(4).await, "slow_down");
    assert_eq!(told(9).await, "slow_down", "ten seconds from now on, and that was too soon again");
    assert_eq!(told(15).await, "authorization_pending", "and now fifteen");
    scene.ana.approves().await;
    scene.agent.is_given(&request).await;
    // Nobody answers after its time, and nothing is handed over then.
    let late = scene.agent.waits_for(ANA, &[("requested_expiry", "30")]).await;
    let path = scene.ana.newest_request().await;
    world.clock.pass(Lifetime::from_seconds(30));
    scene.ana.post(&format!("{path}/approve"), json!({})).await.refused(404, "not_found");
    scene.agent.is_refused(&late, "expired_token").await;
    let unfetched = scene.agent.waits_for(ANA, &[]).await;
    scene.ana.approves().await;
    world.clock.pass(Lifetime::from_minutes(5));
    scene.agent.is_refused(&unfetched, "expired_token").await;
}

async fn a_client_gets_exactly_what_was_approved(world: &World) {
    let scene = scene(world).await;
    let request = scene.agent.waits_for(ANA, &[("scope", "openid invoices:send")]).await;
    scene.ana.approves().await;
    for wider in [SCOPE, "openid invoices:send invoices:read"] {
        let form = [
            ("grant_type", crate::harness::approvals::CIBA_GRANT),
            ("auth_req_id", request.as_str()),
            ("scope", wider),
        ];
        let (status, told) = scene
            .agent
            .post("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned())))
            .await;
        assert_eq!((status, &told["error"]), (400, &json!("invalid_scope")), "and nothing is used up by it");
    }
    let form = [
        ("grant_type", crate::harness::approvals::CIBA_GRANT),
        ("auth_req_id", request.as_str()),
        ("scope", "openid invoices:send"),
    ];
    let (status, tokens) = scene
        .agent
        .post("/connect/token", &form.map(|(name, value)| (name.to_owned(), value.to_owned())))
        .await;
    assert_eq!((status, &tokens["scope"]), (200, &json!("openid invoices:send")));
    let access = world.said(tokens["access_token"].as_str().unwrap(), JwtType::Access);
    assert_eq!(
        (&access["sub"], &access["client_id"], &access["org"]),
        (&json!(scene.clerk), &json!(scene.agent.id), &json!(scene.books.tenant.id))
    );
    assert_eq!(access["scope"], tokens["scope"]);
    let id = world.said(tokens["id_token"].as_str().unwrap(), JwtType::Id);
    assert_eq!((&id["aud"], id.get("nonce")), (&json!(scene.agent.id), None));
    assert!(id["auth_time"].is_i64(), "{id}");
}

async fn what_is_shown_twice_ends_everything_that_came_of_it_whenever_it_comes(world: &World) {
    let scene = scene(world).await;
    for later in [Lifetime::ZERO, Lifetime::from_minutes(11), Lifetime::from_days(2)] {
        let ana = world.signs_in_strongly(scene.ana.account).await;
        let request = scene.agent.waits_for(ANA, &[("scope", "openid offline_access")]).await;
        ana.approves().await;
        let tokens = scene.agent.is_given(&request).await;
        world.clock.pass(later);
        sinete_engine::sweep::sweep(world.server.engine()).await.unwrap();
        let (status, told) = scene.agent.fetches(&request).await;
        assert_eq!((status, &told["error"]), (400, &json!("invalid_grant")));
        assert_eq!(scene.agent.refresh(tokens["refresh_token"].as_str().unwrap()).await.0, 400);
    }
    assert_eq!(world.logged("approval.replayed").await, 3);
}

async fn in_the_wrong_hands_it_is_worth_nothing_and_is_not_spoilt(world: &World) {
    let scene = scene(world).await;
    let thief = world.agent(ClientOrigin::Operator, json!({"scope": SCOPE})).await;
    let request = scene.agent.waits_for(ANA, &[]).await;
    scene.ana.approves().await;
    let (status, told) = thief.fetches(&request).await;
    assert_eq!((status, &told["error"]), (400, &json!("invalid_grant")));
    scene.agent.is_given(&request).await;
    assert_eq!((world.logged("approval.misdirected").await, world.logged("grant.revoked").await), (1, 0));
    let entropy = world.server.engine().entropy();
    let other = Secret::<DeviceCode>::mint(entropy).reveal();
    let unknown = Secret::<BackchannelRequest>::mint(entropy).reveal();
    for wrong in [other.as_str(), unknown.as_str(), &request[..40], "x"] {
        let (status, told) = scene.agent.fetches(wrong).await;
        assert_eq!((status, &told["error"]), (400, &json!("invalid_grant")), "{wrong}");
    }
}

async fn what_stops_between_the_answer_and_the_tokens_stops_them(world: &World) {
    let (scene, operator) = (scene(world).await, world.operator().await);
    let (books, path) = (&scene.books, |below: &str| scene.books.tenant.path(below));
    let agent = world.agent(ClientOrigin::Organization(books.tenant.id), json!({"scope": SCOPE})).await;
    let request =
        agent.waits_for(ANA, &[("scope", "openid invoices:read"), ("requested_expiry", "600")]).await;
    scene.ana.approves().await;
    let refused = async |error: &str| {
        let (status, told) = agent.fetches(&request).await;
        assert_eq!((status, &told["error"]), (400, &json!(error)));
    };
    for thing in [path(&format!("/clients/{}", agent.id)), path(&format!("/members/{}", scene.clerk))] {
        books.owner.post(&format!("{thing}/disable"), Value::Null).await.is(200);
        refused("invalid_grant").await;
        books.owner.post(&format!("{thing}/enable"), Value::Null).await.is(200);
    }
    world.assign(&operator, &books.tenant, "abuse").await;
    operator.post(&path("/suspend"), json!({"reason": "abuse"})).await.is(200);
    refused("invalid_grant").await;
    operator.post(&path("/restore"), json!({"reason": "settled"})).await.is(200);
    books.change_settings(json!({"refused_grants": ["backchannel"]})).await;
    refused("unauthorized_client").await;
    books.change_settings(json!({"refused_grants": []})).await;
    books.change_role("clerk", &["invoices:send"]).await;
    refused("invalid_grant").await;
    books.change_role("clerk", &["invoices:read"]).await;
    agent.is_given(&request).await;
    // What is taken back is gone for good, and so is what hangs on a session that ended.
    let request = agent.waits_for(ANA, &[]).await;
    scene.ana.approves().await;
    scene
        .ana
        .delete(&format!("/account/memberships/{}/applications/{}", scene.clerk, agent.id))
        .await
        .is(204);
    agent.is_refused(&request, "invalid_grant").await;
    let request = agent.waits_for(ANA, &[]).await;
    scene.ana.approves().await;
    operator.delete(&format!("/manage/accounts/{}/sessions", scene.ana.account), None).await.is(204);
    agent.is_refused(&request, "invalid_grant").await;
}
