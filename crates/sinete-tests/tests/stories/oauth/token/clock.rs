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

both_engines!(clock_before_the_first_signing_key_is_temporarily_unavailable);

async fn clock_before_the_first_signing_key_is_temporarily_unavailable(world: &World) {
    let books = world.create_token_fixture().await;
    let service = books.create_service("clerk", "invoices:read").await;
    service.request_client_credentials(&[]).await.assert_granted();
    // The key for ES256 is in the database and began to sign when the world did.
    world.clock.rewind(Lifetime::from_hours(24));
    // What was decided before, and what is asked for the first time.
    let other = books.create_service("clerk", "invoices:send").await;
    for early in [service.request_client_credentials(&[]).await, other.request_client_credentials(&[]).await]
    {
        assert_eq!(
            (early.status, &early.body["error"]),
            (503, &json!("temporarily_unavailable")),
            "{}",
            early.text
        );
        assert!(early.headers.contains_key("retry-after"));
    }
    world.clock.advance(Lifetime::from_hours(24));
    service.request_client_credentials(&[]).await.assert_granted();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn clock_offset_beyond_its_bound_issues_no_tokens() {
    let world = World::start(TestEngine::Postgres).await;
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let service = books.create_service("clerk", "invoices:read").await;
    world.clock.run();
    let (_, tokens) = books.issue_tokens(&app, "openid offline_access invoices:read").await;
    let ready = async || world.http.get(world.admin_url("/readyz")).send().await.unwrap().status().as_u16();
    for wrong in [60_000_000, -60_000_000] {
        world.clock.run_with_offset(wrong);
        until(503, ready).await;
        for refused in [
            service.request_client_credentials(&[]).await,
            app.refresh_tokens(&tokens.refresh_token(), &[]).await,
        ] {
            assert_eq!(
                (refused.status, &refused.body["error"]),
                (503, &json!("temporarily_unavailable")),
                "{}",
                refused.text
            );
        }
        // Within its bound a clock may be wrong.
        world.clock.run_with_offset(1_000_000);
        until(200, ready).await;
        service.request_client_credentials(&[]).await.assert_granted();
    }
    // Nothing was used up meanwhile.
    app.refresh_tokens(&tokens.refresh_token(), &[]).await.assert_granted();
    world.stop().await;
}
