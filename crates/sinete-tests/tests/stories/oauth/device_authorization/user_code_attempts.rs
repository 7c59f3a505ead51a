//! User codes are short, so wrong ones are limited for each account and each network.

use super::scene;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::USER_CODE_FAILURES_HOURLY_MAX;
use sinete_core::time::Lifetime;

both_engines!(
    user_code_failures_back_off_after_five_across_sessions,
    user_code_failures_of_a_network_are_limited_to_one_hundred_an_hour,
    user_code_expires_after_ten_minutes_like_an_unknown_one
);

async fn user_code_failures_back_off_after_five_across_sessions(world: &World) {
    let scene = scene(world).await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let walk = world.start_device_flow(&scene.browser.token).await;
    let build_valid_body = || json!({"user_code": reply.user_code});
    let response = walk
        .try_submit("user_code", json!({"user_code": "BBBB-BBBB"}))
        .await
        .assert_problem(422, "unprocessable");
    for wrong in ["nonsense", "BBBB-BBB", "ＢBBB-BBBB", "😀"] {
        let other = walk
            .try_submit("user_code", json!({"user_code": wrong}))
            .await
            .assert_problem(422, "unprocessable");
        assert_eq!(other.body["detail"], response.body["detail"], "every wrong code gets the same error");
    }
    walk.try_submit("user_code", json!({"user_code": "CCCC-CCCC"}))
        .await
        .assert_problem(422, "unprocessable");
    let held_up =
        walk.try_submit("user_code", build_valid_body()).await.assert_problem(429, "too_many_requests");
    assert_eq!(held_up.headers["retry-after"], "1");
    // Another flow and another session: the same account still waits.
    let second_browser = world
        .create_browser(
            scene.browser.account,
            &sinete_core::assurance::AuthenticationEvidence::from_proof(
                sinete_core::assurance::AuthenticationProof::Password,
            ),
        )
        .await;
    let elsewhere = world.start_device_flow(&second_browser.token).await;
    elsewhere.try_submit("user_code", build_valid_body()).await.assert_problem(429, "too_many_requests");
    // Another account does not.
    let other =
        world.create_member_browser(&scene.books.tenant, scene.books.create_member("clerk").await).await;
    world
        .start_device_flow(&other.token)
        .await
        .try_submit("user_code", build_valid_body())
        .await
        .assert_status(200);
    world.clock.advance(Lifetime::from_seconds(1));
    walk.try_submit("user_code", build_valid_body()).await.assert_status(200);
    assert_eq!(world.count_events("device.user_code_failed").await, 6);
}

async fn user_code_failures_of_a_network_are_limited_to_one_hundred_an_hour(world: &World) {
    let scene = scene(world).await;
    let mut failure_count = 0;
    while failure_count < USER_CODE_FAILURES_HOURLY_MAX {
        // No account alone has reached its limit.
        let session = world
            .create_member_browser(
                &scene.books.tenant,
                world.create_member(&scene.books.tenant, &["member"]).await,
            )
            .await;
        let walk = world.start_device_flow(&session.token).await;
        for _ in 0..5.min(USER_CODE_FAILURES_HOURLY_MAX - failure_count) {
            walk.try_submit("user_code", json!({"user_code": "BBBB-BBBB"}))
                .await
                .assert_problem(422, "unprocessable");
            failure_count += 1;
        }
    }
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let walk = world.start_device_flow(&scene.browser.token).await;
    walk.try_submit("user_code", json!({"user_code": reply.user_code}))
        .await
        .assert_problem(429, "too_many_requests");
    world.clock.advance(Lifetime::from_hours(1));
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let walk = world.start_device_flow(&scene.browser.token).await;
    walk.try_submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
}

async fn user_code_expires_after_ten_minutes_like_an_unknown_one(world: &World) {
    let scene = scene(world).await;
    let reply = scene.tv.start_device_authorization(&[("scope", "openid")]).await;
    let mut walk = world.start_device_flow(&scene.browser.token).await;
    walk.submit("user_code", json!({"user_code": reply.user_code})).await.assert_status(200);
    world.clock.advance(Lifetime::from_minutes(10));
    walk.submit("consent", json!({"allow": true})).await.assert_status(200);
    assert_eq!((walk.stage(), &walk.last.body["refused"]["error"]), ("refused", &json!("invalid_request")));
    let late = world.start_device_flow(&scene.browser.token).await;
    late.try_submit("user_code", json!({"user_code": reply.user_code}))
        .await
        .assert_problem(422, "unprocessable");
    let (status, body) = scene.tv.poll_device_code(&reply.device_code).await;
    assert_eq!((status, &body["error"]), (400, &json!("expired_token")));
}
