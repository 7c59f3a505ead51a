//! Rate limits on requests for one user, whatever the spelling of the hint.

use super::{ANA, scene};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_store::oauth::clients::ClientOrigin;

both_engines!(
    ciba_requests_of_one_client_to_one_user_are_limited_in_any_spelling,
    ciba_requests_of_all_clients_to_one_user_are_limited_to_twenty_an_hour,
    ciba_requests_made_concurrently_leave_at_most_three_pending
);

async fn ciba_requests_of_one_client_to_one_user_are_limited_in_any_spelling(world: &World) {
    let scene = scene(world).await;
    let sub = scene.clerk.to_string();
    let whom = |turn: usize| ["ANA@example.com", sub.as_str(), "ana@EXAMPLE.com", ANA][turn % 4].to_owned();
    for turn in 0..3 {
        scene.agent.start_ciba(&whom(turn), &[]).await;
    }
    let refused = async |whom: &str| {
        let (status, body) = scene.agent.request_ciba(&[("login_hint", whom)]).await;
        assert_eq!(status, 429, "{body}");
        body
    };
    for turn in 0..4 {
        refused(&whom(turn)).await;
    }
    for pending_request in scene.ana.pending_ciba_requests().await {
        scene
            .ana
            .post(&format!("/account/requests/{}/deny", pending_request["id"].as_str().unwrap()), Value::Null)
            .await
            .assert_status(204);
    }
    // Refused requests are not counted; two more make five.
    for turn in 0..2 {
        scene.agent.start_ciba(&whom(turn), &[]).await;
    }
    for pending_request in scene.ana.pending_ciba_requests().await {
        scene
            .ana
            .post(&format!("/account/requests/{}/deny", pending_request["id"].as_str().unwrap()), Value::Null)
            .await
            .assert_status(204);
    }
    let known_user_error = refused(ANA).await;
    // Another client has its own limit, and the next hour another.
    let other = world.create_ciba_client(ClientOrigin::Operator, json!({})).await;
    other.start_ciba(ANA, &[]).await;
    world.clock.advance(Lifetime::from_hours(1));
    scene.agent.start_ciba(ANA, &[]).await;
    // An unknown user is counted and refused in the same way.
    for _ in 0..3 {
        scene.agent.start_ciba("nobody@example.com", &[]).await;
    }
    assert_eq!(refused("NOBODY@example.com").await, known_user_error);
    // The response says how long to wait, in either case.
    let form = [("scope", "openid"), ("binding_message", "x"), ("login_hint", "nobody@example.com")];
    let request = world.http.post(world.public_url("/connect/backchannel")).form(&form);
    let answer =
        request.basic_auth(scene.agent.id.as_str(), scene.agent.secret.as_ref()).send().await.unwrap();
    let wait: i64 = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=5).contains(&wait), "{wait}");
}

async fn ciba_requests_of_all_clients_to_one_user_are_limited_to_twenty_an_hour(world: &World) {
    let scene = scene(world).await;
    for _ in 0..4 {
        let agent = world.create_ciba_client(ClientOrigin::Operator, json!({})).await;
        for _ in 0..5 {
            agent.start_ciba(ANA, &[]).await;
            let path = scene.ana.newest_ciba_request().await;
            scene.ana.post(&format!("{path}/deny"), Value::Null).await.assert_status(204);
        }
    }
    let (status, body) = scene.agent.request_ciba(&[("login_hint", ANA)]).await;
    assert_eq!((status, scene.ana.pending_ciba_requests().await.len()), (429, 0), "{body}");
    // Another user has a limit of their own, and the next hour another.
    scene.agent.start_ciba("nobody@example.com", &[]).await;
    world.clock.advance(Lifetime::from_hours(1));
    scene.agent.start_ciba(ANA, &[]).await;
    assert_eq!(scene.ana.pending_ciba_requests().await.len(), 1);
}

async fn ciba_requests_made_concurrently_leave_at_most_three_pending(world: &World) {
    let scene = scene(world).await;
    let ask = async || scene.agent.request_ciba(&[("login_hint", ANA)]).await.0;
    let (a, b, c, d, e, f) = tokio::join!(ask(), ask(), ask(), ask(), ask(), ask());
    let accepted_count = [a, b, c, d, e, f].into_iter().filter(|status| *status == 200).count();
    assert_eq!(scene.ana.pending_ciba_requests().await.len(), accepted_count);
    assert!((1..=3).contains(&accepted_count), "{accepted_count}");
}
