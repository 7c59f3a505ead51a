//! One network address is held to a pace where nothing is proven, and nobody who proves who they are.

use crate::harness::database::Engine;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;

async fn counting(on: Engine) -> World {
    let paces = [("SINETE_RATE_LIMITS_ENABLED", "true"), ("SINETE_RATE_LIMITS_TOKEN", "5")];
    World::begin_with(on, &paces).await
}

async fn wrong_credentials_are_counted_and_right_ones_are_not_held_up(on: Engine) {
    let world = counting(on).await;
    let owner = world.operator().await;
    let wrong = || world.http.get(world.public("/manage/organizations")).bearer_auth("sn_ak_x").send();
    for _ in 0..5 {
        assert_eq!(wrong().await.unwrap().status(), 401);
    }
    let answer = wrong().await.unwrap();
    assert_eq!(answer.status(), 429);
    assert!(answer.headers()["retry-after"].to_str().unwrap().parse::<u64>().unwrap() > 0);
    let problem: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(problem["type"], "urn:sinete:problem:too_many_requests");
    // Whoever proves who they are is served from the same address, and costs nothing.
    for _ in 0..20 {
        owner.get("/manage/organizations").await.is(200);
    }
    owner.post("/manage/organizations", json!({"slug": "acme"})).await.is(201);
    world.clock.pass(Lifetime::from_seconds(12));
    assert_eq!(wrong().await.unwrap().status(), 401);
    world.end().await;
}

mod sqlite {
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn wrong_credentials_are_counted_and_right_ones_are_not_held_up() {
        super::wrong_credentials_are_counted_and_right_ones_are_not_held_up(super::Engine::Sqlite).await;
    }
}

mod postgres {
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn wrong_credentials_are_counted_and_right_ones_are_not_held_up() {
        super::wrong_credentials_are_counted_and_right_ones_are_not_held_up(super::Engine::Postgres).await;
    }
}
