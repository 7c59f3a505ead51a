//! Codes are short, so that guessing at them is paid for: by whoever is signed in, and by the network they are in.

use super::scene;
use crate::both_engines;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::limits::USER_CODES_WRONG_HOURLY_MAX;
use sinete_core::time::Lifetime;

both_engines!(
    five_wrong_codes_are_free_then_each_waits_longer_in_every_session,
    a_network_that_typed_a_hundred_wrong_codes_waits_for_the_hour_to_pass,
    a_code_is_good_for_ten_minutes_and_then_answered_like_one_that_never_was
);

async fn five_wrong_codes_are_free_then_each_waits_longer_in_every_session(world: &World) {
    let scene = scene(world).await;
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let walk = world.at_a_device(&scene.browser.token).await;
    let right = || json!({"user_code": waiting.user_code});
    let told = walk.tries("user_code", json!({"user_code": "BBBB-BBBB"})).await.refused(422, "unprocessable");
    for wrong in ["nonsense", "BBBB-BBB", "ＢBBB-BBBB", "😀"] {
        let other = walk.tries("user_code", json!({"user_code": wrong})).await.refused(422, "unprocessable");
        assert_eq!(other.body["detail"], told.body["detail"], "nothing tells one wrong code from another");
    }
    walk.tries("user_code", json!({"user_code": "CCCC-CCCC"})).await.refused(422, "unprocessable");
    let held_up = walk.tries("user_code", right()).await.refused(429, "too_many_requests");
    assert_eq!(held_up.headers["retry-after"], "1");
    // Another flow, another session: the same person waits.
    let again = world
        .browser(
            scene.browser.account,
            &sinete_core::assurance::AuthenticationEvidence::of(
                sinete_core::assurance::AuthenticationProof::Password,
            ),
        )
        .await;
    let elsewhere = world.at_a_device(&again.token).await;
    elsewhere.tries("user_code", right()).await.refused(429, "too_many_requests");
    // Somebody else does not.
    let other = world.browser_of(&scene.books.tenant, scene.books.person("clerk").await).await;
    world.at_a_device(&other.token).await.tries("user_code", right()).await.is(200);
    world.clock.pass(Lifetime::from_seconds(1));
    walk.tries("user_code", right()).await.is(200);
    assert_eq!(world.logged("device.user_code_failed").await, 6);
}

async fn a_network_that_typed_a_hundred_wrong_codes_waits_for_the_hour_to_pass(world: &World) {
    let scene = scene(world).await;
    let mut typed = 0;
    while typed < USER_CODES_WRONG_HOURLY_MAX {
        // Each account for itself is far from waiting.
        let person =
            world.browser_of(&scene.books.tenant, world.member(&scene.books.tenant, &["member"]).await).await;
        let walk = world.at_a_device(&person.token).await;
        for _ in 0..5.min(USER_CODES_WRONG_HOURLY_MAX - typed) {
            walk.tries("user_code", json!({"user_code": "BBBB-BBBB"})).await.refused(422, "unprocessable");
            typed += 1;
        }
    }
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let walk = world.at_a_device(&scene.browser.token).await;
    walk.tries("user_code", json!({"user_code": waiting.user_code})).await.refused(429, "too_many_requests");
    world.clock.pass(Lifetime::from_hours(1));
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let walk = world.at_a_device(&scene.browser.token).await;
    walk.tries("user_code", json!({"user_code": waiting.user_code})).await.is(200);
}

async fn a_code_is_good_for_ten_minutes_and_then_answered_like_one_that_never_was(world: &World) {
    let scene = scene(world).await;
    let waiting = scene.tv.waits(&[("scope", "openid")]).await;
    let mut walk = world.at_a_device(&scene.browser.token).await;
    walk.says("user_code", json!({"user_code": waiting.user_code})).await.is(200);
    world.clock.pass(Lifetime::from_minutes(10));
    walk.says("consent", json!({"allow": true})).await.is(200);
    assert_eq!((walk.stage(), &walk.last.body["refused"]["error"]), ("refused", &json!("invalid_request")));
    let late = world.at_a_device(&scene.browser.token).await;
    late.tries("user_code", json!({"user_code": waiting.user_code})).await.refused(422, "unprocessable");
    let (status, told) = scene.tv.polls(&waiting.device_code).await;
    assert_eq!((status, &told["error"]), (400, &json!("expired_token")));
}
