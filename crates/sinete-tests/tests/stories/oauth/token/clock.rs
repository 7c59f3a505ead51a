//! A node with a wrong clock issues no tokens, and reports itself as unavailable instead of failing.

use crate::both_engines;
use crate::harness::database::TestEngine;
use crate::harness::world::World;
use serde_json::json;
use sinete_core::time::Lifetime;
use std::time::Duration;

/// Repeats a request until the response has this status.
async fn until(status: u16, ask: impl AsyncFn() -> u16) {
    for _ in 0..600 {
        if ask().await == status {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!("the response never had status {status}");
}

both_engines!(clock_before_the_first_signing_key_is_temporarily_unavailable);

async fn clock_before_the_first_signing_key_is_temporarily_unavailable(world: &World) {
    let books = world.create_token_fixture().await;
    let service = books.create_service("clerk", "invoices:read").await;
    service.request_client_credentials(&[]).await.assert_granted();
    // The ES256 key is in the database and became active when the server started.
    world.clock.rewind(Lifetime::from_hours(24));
    // A cached request, and one that is sent for the first time.
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
        // A small offset is tolerated.
        world.clock.run_with_offset(1_000_000);
        until(200, ready).await;
        service.request_client_credentials(&[]).await.assert_granted();
    }
    // Nothing was consumed meanwhile.
    app.refresh_tokens(&tokens.refresh_token(), &[]).await.assert_granted();
    world.stop().await;
}
