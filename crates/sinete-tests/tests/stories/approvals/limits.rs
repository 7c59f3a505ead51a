//! How often somebody is asked, however they are spelled.

use super::{ANA, scene};
use crate::both_engines;
use crate::harness::world::World;
use serde_json::{Value, json};
use sinete_core::time::Lifetime;
use sinete_store::clients::ClientOrigin;

both_engines!(
    three_wait_and_five_are_asked_in_an_hour_however_the_person_is_spelled,
    twenty_are_asked_in_an_hour_by_all_clients_together,
    of_many_at_once_no_more_than_three_wait
);

async fn three_wait_and_five_are_asked_in_an_hour_however_the_person_is_spelled(world: &World) {
    let scene = scene(world).await;
    let sub = scene.clerk.to_string();
    let whom = |turn: usize| ["ANA@example.com", sub.as_str(), "ana@EXAMPLE.com", ANA][turn % 4].to_owned();
    for turn in 0..3 {
        scene.agent.waits_for(&whom(turn), &[]).await;
    }
    let refused = async |whom: &str| {
        let (status, told) = scene.agent.asks_approval(&[("login_hint", whom)]).await;
        assert_eq!(status, 429, "{told}");
        told
    };
    for turn in 0..4 {
        refused(&whom(turn)).await;
    }
    for waiting in scene.ana.requests().await {
        scene
            .ana
            .post(&format!("/account/requests/{}/deny", waiting["id"].as_str().unwrap()), Value::Null)
            .await
            .is(204);
    }
    // Those that were refused were not counted; two more make five.
    for turn in 0..2 {
        scene.agent.waits_for(&whom(turn), &[]).await;
    }
    for waiting in scene.ana.requests().await {
        scene
            .ana
            .post(&format!("/account/requests/{}/deny", waiting["id"].as_str().unwrap()), Value::Null)
            .await
            .is(204);
    }
    let known = refused(ANA).await;
    // Another client is counted apart, and another hour is another count.
    let other = world.agent(ClientOrigin::Operator, json!({})).await;
    other.waits_for(ANA, &[]).await;
    world.clock.pass(Lifetime::from_hours(1));
    scene.agent.waits_for(ANA, &[]).await;
    // Somebody whom nobody is, is counted and refused in the same way.
    for _ in 0..3 {
        scene.agent.waits_for("nobody@example.com", &[]).await;
    }
    assert_eq!(refused("NOBODY@example.com").await, known);
    // However it was meant, it is said how long to wait.
    let form = [("scope", "openid"), ("binding_message", "x"), ("login_hint", "nobody@example.com")];
    let request = world.http.post(world.public("/connect/backchannel")).form(&form);
    let answer =
        request.basic_auth(scene.agent.id.as_str(), scene.agent.secret.as_ref()).send().await.unwrap();
    let wait: i64 = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=5).contains(&wait), "{wait}");
}

async fn twenty_are_asked_in_an_hour_by_all_clients_together(world: &World) {
    let scene = scene(world).await;
    for _ in 0..4 {
        let agent = world.agent(ClientOrigin::Operator, json!({})).await;
        for _ in 0..5 {
            agent.waits_for(ANA, &[]).await;
            let path = scene.ana.newest_request().await;
            scene.ana.post(&format!("{path}/deny"), Value::Null).await.is(204);
        }
    }
    let (status, told) = scene.agent.asks_approval(&[("login_hint", ANA)]).await;
    assert_eq!((status, scene.ana.requests().await.len()), (429, 0), "{told}");
    // Somebody else is counted apart, and another hour is another count.
    scene.agent.waits_for("nobody@example.com", &[]).await;
    world.clock.pass(Lifetime::from_hours(1));
    scene.agent.waits_for(ANA, &[]).await;
    assert_eq!(scene.ana.requests().await.len(), 1);
}

async fn of_many_at_once_no_more_than_three_wait(world: &World) {
    let scene = scene(world).await;
    let ask = async || scene.agent.asks_approval(&[("login_hint", ANA)]).await.0;
    let (a, b, c, d, e, f) = tokio::join!(ask(), ask(), ask(), ask(), ask(), ask());
    let asked = [a, b, c, d, e, f].into_iter().filter(|status| *status == 200).count();
    assert_eq!(scene.ana.requests().await.len(), asked);
    assert!((1..=3).contains(&asked), "{asked}");
}
