//! The device polls and gets the tokens once.

use super::{SCOPE, scene};
use crate::both_engines;
use crate::harness::device_authorization::DEVICE_GRANT;
use crate::harness::token_endpoint::{FILES, INVOICES};
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::id::GrantId;
use sinete_core::secret::{AuthorizationCodeSecret, DeviceCode, Secret};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtType;
use sinete_store::oauth::clients::ClientOrigin;
use std::sync::{Arc, Mutex};

both_engines!(
    device_code_poll_too_soon_slows_down_and_is_remembered,
    device_code_poll_at_the_longest_interval_writes_nothing,
    device_code_tokens_have_exactly_the_allowed_scope,
    device_authorization_details_are_displayed_and_granted_as_displayed,
    device_code_reuse_revokes_the_grant_at_any_time,
    device_code_of_another_client_is_refused_and_stays_valid,
    device_code_is_refused_after_a_suspension_between_answer_and_poll
);

async fn device_code_poll_too_soon_slows_down_and_is_remembered(world: &World) {
    let scene = scene(world).await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let response_body = async |after: u32| {
        world.clock.advance(Lifetime::from_seconds(after));
        let (status, body) = scene.tv.poll_device_code(&reply.device_code).await;
        assert_eq!(status, 400);
        body["error"].as_str().unwrap().to_owned()
    };
    assert_eq!(response_body(0).await, "authorization_pending");
    assert_eq!(response_body(5).await, "authorization_pending");
    assert_eq!(response_body(4).await, "slow_down");
    assert_eq!(response_body(9).await, "slow_down", "the interval is ten seconds, so this is too soon again");
    assert_eq!(response_body(15).await, "authorization_pending", "the interval is fifteen seconds");
    assert_eq!(response_body(14).await, "slow_down");
    // Once allowed, the tokens are returned at the next poll.
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    scene.tv.redeem_device_code(&reply).await;
}

async fn device_code_poll_at_the_longest_interval_writes_nothing(world: &World) {
    let scene = scene(world).await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let statements: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let recorded_statements = Arc::clone(&statements);
    world
        .server
        .engine()
        .store()
        .set_query_observer(move |statement| recorded_statements.lock().unwrap().push(statement));
    let noted = async || {
        statements.lock().unwrap().clear();
        let (status, body) = scene.tv.poll_device_code(&reply.device_code).await;
        assert_eq!(status, 400);
        (
            body["error"].as_str().unwrap().to_owned(),
            statements.lock().unwrap().contains(&"device_requests.polled"),
        )
    };
    assert_eq!(noted().await, ("authorization_pending".to_owned(), true));
    // From five seconds to sixty, in steps of five.
    for _ in 0..11 {
        assert_eq!(noted().await, ("slow_down".to_owned(), true));
    }
    for _ in 0..3 {
        assert_eq!(noted().await, ("slow_down".to_owned(), false), "the interval is the longest one");
    }
    world.clock.advance(Lifetime::from_seconds(60));
    assert_eq!(noted().await, ("authorization_pending".to_owned(), true));
}

async fn device_code_tokens_have_exactly_the_allowed_scope(world: &World) {
    let scene = scene(world).await;
    let reply = scene
        .tv
        .start_allowed_device_authorization(
            &scene.browser.token,
            &[("scope", "openid offline_access invoices:read"), ("resource", INVOICES)],
        )
        .await;
    let ask = async |extra_params: &[(&str, &str)]| {
        let mut form = vec![("grant_type", DEVICE_GRANT), ("device_code", reply.device_code.as_str())];
        form.extend(extra_params);
        let form: Vec<_> =
            form.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        scene.tv.post_form("/connect/token", &form).await
    };
    let (status, body) = ask(&[("resource", FILES)]).await;
    assert_eq!(
        (status, &body["error"]),
        (400, &json!("invalid_target")),
        "the refused request consumes nothing"
    );
    // A larger scope than allowed is refused, which consumes nothing.
    for wider in [SCOPE, "invoices:send", "openid email", "planets:read"] {
        let (status, body) = ask(&[("scope", wider)]).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid_scope")), "{wider}");
    }
    let (status, tokens) = ask(&[("scope", "openid offline_access invoices:read")]).await;
    assert_eq!((status, &tokens["scope"]), (200, &json!("openid offline_access invoices:read")));
    let access = world.token_claims(tokens["access_token"].as_str().unwrap(), JwtType::Access);
    assert_eq!(
        (&access["aud"], &access["sub"], &access["client_id"]),
        (&json!(INVOICES), &json!(scene.clerk), &json!(scene.tv.id))
    );
    assert_eq!((&access["org"], &access["scope"]), (&json!(scene.books.tenant.id), &tokens["scope"]));
    let id = world.token_claims(tokens["id_token"].as_str().unwrap(), JwtType::Id);
    assert_eq!((&id["sub"], &id["aud"]), (&json!(scene.clerk), &json!(scene.tv.id)));
    assert!(id.get("nonce").is_none());
    let (status, renewed) = scene.tv.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await;
    assert_eq!((status, &renewed["scope"]), (200, &tokens["scope"]));
}

async fn device_authorization_details_are_displayed_and_granted_as_displayed(world: &World) {
    let scene = scene(world).await;
    let payments = json!({"identifier": "https://payments.example", "name": "Payments", "permissions": [{"permission": "payments:send", "english": "Send"}], "detail_types": {"payment": {"type": "object", "required": ["amount"], "properties": {"amount": {"type": "string"}}}}});
    scene.books.owner.create_api(payments).await.assert_status(201);
    let tv = world.create_device_client(ClientOrigin::Operator, json!({"scope": "openid"})).await;
    let details = r#"[{"type":"payment","amount":"12.00"}]"#;
    let asks =
        [("scope", "openid"), ("resource", "https://payments.example"), ("authorization_details", details)];
    let reply = tv.start_device_authorization(&asks).await;
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    let expected_details: Value = serde_json::from_str(details).unwrap();
    assert_eq!(walk.last.body["consent"]["details"], expected_details);
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    let tokens = tv.redeem_device_code(&reply).await;
    assert_eq!(tokens["authorization_details"], expected_details);
    let wrong = [
        ("scope", "openid"),
        ("resource", "https://payments.example"),
        ("authorization_details", r#"[{"type":"payment"}]"#),
    ];
    let (status, body) = tv.request_device_authorization(&wrong).await;
    assert_eq!((status, &body["error"]), (400, &json!("invalid_authorization_details")));
}

async fn device_code_reuse_revokes_the_grant_at_any_time(world: &World) {
    let scene = scene(world).await;
    for later in [Lifetime::ZERO, Lifetime::from_minutes(11), Lifetime::from_days(2)] {
        let reply =
            scene.tv.start_allowed_device_authorization(&scene.browser.token, &[("scope", SCOPE)]).await;
        let tokens = scene.tv.redeem_device_code(&reply).await;
        let (_, renewed) = scene.tv.refresh_tokens(tokens["refresh_token"].as_str().unwrap()).await;
        world.clock.advance(later);
        // Also after cleanup.
        sinete_engine::administration::cleanup::delete_expired(world.server.engine()).await.unwrap();
        let (status, body) = scene.tv.poll_device_code(&reply.device_code).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")));
        assert_eq!(scene.tv.refresh_tokens(renewed["refresh_token"].as_str().unwrap()).await.0, 400);
        let form = [("token".to_owned(), renewed["access_token"].as_str().unwrap().to_owned())];
        assert_eq!(scene.tv.post_form("/connect/introspect", &form).await.1, json!({"active": false}));
    }
    assert_eq!(world.count_events("device_code.replayed").await, 3);
}

async fn device_code_of_another_client_is_refused_and_stays_valid(world: &World) {
    let scene = scene(world).await;
    let thief = world.create_device_client(ClientOrigin::Operator, json!({"scope": SCOPE})).await;
    let reply =
        scene.tv.start_allowed_device_authorization(&scene.browser.token, &[("scope", "openid")]).await;
    let (status, body) = thief.poll_device_code(&reply.device_code).await;
    assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")));
    scene.tv.redeem_device_code(&reply).await;
    thief.poll_device_code(&reply.device_code).await;
    assert_eq!(
        (world.count_events("device_code.misdirected").await, world.count_events("grant.revoked").await),
        (2, 0)
    );
    // A secret of another kind is not a device code.
    let entropy = world.server.engine().entropy();
    let other = AuthorizationCodeSecret::mint(GrantId::from_bytes([1; 16]), entropy).reveal();
    let unknown = Secret::<DeviceCode>::mint(entropy).reveal();
    for code in [other.as_str(), unknown.as_str(), reply.user_code.as_str(), &reply.device_code[..40], "x"] {
        let (status, body) = scene.tv.poll_device_code(code).await;
        assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")), "{code}");
    }
    let (status, _) = scene.tv.redeem_code(&reply.device_code).await;
    assert_eq!(status, 400);
}

async fn device_code_is_refused_after_a_suspension_between_answer_and_poll(world: &World) {
    let (scene, operator) = (scene(world).await, world.create_operator().await);
    let (books, path) = (&scene.books, |below: &str| scene.books.tenant.path(below));
    let tv = world
        .create_device_client(ClientOrigin::Organization(books.tenant.id), json!({"scope": SCOPE}))
        .await;
    let reply = tv
        .start_allowed_device_authorization(&scene.browser.token, &[("scope", "openid invoices:read")])
        .await;
    let refused = async |error: &str| {
        let (status, body) = tv.poll_device_code(&reply.device_code).await;
        assert_eq!((status, &body["error"]), (400, &json!(error)));
    };
    for resource_path in [path(&format!("/clients/{}", tv.id)), path(&format!("/members/{}", scene.clerk))] {
        books.owner.post(&format!("{resource_path}/disable"), Value::Null).await.assert_status(200);
        refused("invalid_grant").await;
        books.owner.post(&format!("{resource_path}/enable"), Value::Null).await.assert_status(200);
    }
    world.create_assignment(&operator, &books.tenant, "abuse").await;
    operator.post(&path("/suspend"), json!({"reason": "abuse"})).await.assert_status(200);
    refused("invalid_grant").await;
    operator.post(&path("/restore"), json!({"reason": "settled"})).await.assert_status(200);
    books.change_settings(json!({"refused_grants": ["device_code"]})).await;
    refused("unauthorized_client").await;
    books.change_settings(json!({"refused_grants": []})).await;
    books.change_role("clerk", &["invoices:send"]).await;
    refused("invalid_grant").await;
    books.change_role("clerk", &["invoices:read"]).await;
    tv.redeem_device_code(&reply).await;
    // A revoked grant gives no tokens.
    let reply = tv.start_allowed_device_authorization(&scene.browser.token, &[("scope", "openid")]).await;
    let user = crate::harness::signed_in_user::SignedInUser {
        world,
        account: scene.browser.account,
        token: scene.browser.token.clone(),
    };
    user.delete(&format!("/account/memberships/{}/applications/{}", scene.clerk, tv.id))
        .await
        .assert_status(204);
    let (status, body) = tv.poll_device_code(&reply.device_code).await;
    assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")));
    // Neither does one whose session ended, unless it has offline access.
    let reply = tv.start_allowed_device_authorization(&scene.browser.token, &[("scope", "openid")]).await;
    let response = user.get("/account/sessions").await.assert_status(200);
    user.delete(&format!("/account/sessions/{}", response.body["items"][0]["id"].as_str().unwrap()))
        .await
        .assert_status(204);
    let (status, body) = tv.poll_device_code(&reply.device_code).await;
    assert_eq!((status, &body["error"]), (400, &json!("invalid_grant")));
}
