//! A node whose clock is wrong issues nothing, and says that it is not able to rather than that it is broken.

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;
use std::time::Duration;

/// Asks until the answer has this status.
async fn until(status: u16, ask: impl AsyncFn() -> u16) {
    for _ in 0..600 {
        if ask().await == status {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the answer was never {status}");
}

both_engines!(a_clock_before_the_first_key_is_unavailable_and_no_fault);

async fn a_clock_before_the_first_key_is_unavailable_and_no_fault(world: &World) {
    let books = world.books().await;
    let service = books.service("clerk", "invoices:read").await;
    service.for_itself(&[]).await.granted();
    // The key for ES256 is in the database and began to sign when the world did.
    world.clock.set_back(Lifetime::from_hours(24));
    // What was decided before, and what is asked for the first time.
    let other = books.service("clerk", "invoices:send").await;
    for early in [service.for_itself(&[]).await, other.for_itself(&[]).await] {
        assert_eq!(
            (early.status, &early.body["error"]),
            (503, &json!("temporarily_unavailable")),
            "{}",
            early.text
        );
        assert!(early.headers.contains_key("retry-after"));
    }
    world.clock.pass(Lifetime::from_hours(24));
    service.for_itself(&[]).await.granted();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_node_whose_clock_is_further_from_the_databases_than_its_bound_issues_no_tokens() {
    let world = World::begin(TestEngine::Postgres).await;
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let service = books.service("clerk", "invoices:read").await;
    world.clock.run();
    let (_, tokens) = books.tokens(&app, "openid offline_access invoices:read").await;
    let ready = async || world.http.get(world.admin("/readyz")).send().await.unwrap().status().as_u16();
    for wrong in [60_000_000, -60_000_000] {
        world.clock.run_ahead(wrong);
        until(503, ready).await;
        for refused in [service.for_itself(&[]).await, app.refresh(&tokens.refresh_token(), &[]).await] {
            assert_eq!(
                (refused.status, &refused.body["error"]),
                (503, &json!("temporarily_unavailable")),
                "{}",
                refused.text
            );
        }
        // Within its bound a clock may be wrong.
        world.clock.run_ahead(1_000_000);
        until(200, ready).await;
        service.for_itself(&[]).await.granted();
    }
    // Nothing was used up meanwhile.
    app.refresh(&tokens.refresh_token(), &[]).await.granted();
    world.end().await;
}
