//! Rate limits of registration.

use super::minimal_metadata;
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use sinete_core::time::Lifetime;

async fn from(world: &World, address: &str) -> reqwest::Response {
    let request = world.http.post(world.public_url("/connect/register")).json(&minimal_metadata());
    request.header("x-forwarded-for", address).send().await.unwrap()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn client_registration_is_rate_limited_by_address() {
    let limits = [
        ("SINETE_TRUSTED_PROXIES", "127.0.0.1"),
        ("SINETE_REGISTRATION__PER_MINUTE", "10"),
        ("SINETE_REGISTRATION__BURST", "5"),
        ("SINETE_REGISTRATION__PER_DAY", "9"),
    ];
    let world = World::start_with_config(TestEngine::Sqlite, &limits).await;
    for _ in 0..5 {
        assert_eq!(from(&world, "203.0.113.9").await.status(), 201);
    }
    let answer = from(&world, "203.0.113.9").await;
    assert_eq!(answer.status(), 429);
    assert_eq!(answer.headers()["retry-after"], "6");
    assert_eq!(answer.headers()["x-frame-options"], "DENY");
    let body: serde_json::Value = answer.json().await.unwrap();
    assert_eq!(body["error"], "temporarily_unavailable");
    assert_eq!(from(&world, "203.0.113.10").await.status(), 201);
    world.clock.advance(Lifetime::from_seconds(6));
    assert_eq!(from(&world, "203.0.113.9").await.status(), 201);
    assert_eq!(from(&world, "203.0.113.9").await.status(), 429);
    // A registration for an organization is authenticated, and the loopback address is for development: neither is
    // limited.
    let owner = world.create_owner(&world.create_organization("acme").await).await;
    let request = world.http.post(world.public_url("/connect/register")).json(&minimal_metadata());
    let request = request.header("x-forwarded-for", "203.0.113.9").bearer_auth(&owner.secret);
    assert_eq!(request.send().await.unwrap().status(), 201);
    for _ in 0..20 {
        assert_eq!(from(&world, "127.0.0.1").await.status(), 201);
    }
    // Nine a day in total, from any address.
    let mut accepted_count = 0;
    for host in 20..30 {
        accepted_count += u32::from(from(&world, &format!("203.0.113.{host}")).await.status() == 201);
    }
    assert_eq!(accepted_count, 2);
    world.stop().await;
}
