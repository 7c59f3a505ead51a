//! Connections to PostgreSQL that are lost around a commit. A client that retries only after a response that says
//! nothing happened never sends a consumed token, so it loses no tokens.

use crate::harness::database::{TestDatabase, TestEngine};
use crate::harness::postgres_proxy::{Fate, Proxy, Wire};
use crate::harness::token_endpoint::{TokenClient, TokenEndpointResponse};
use crate::harness::world::World;
use serde_json::json;
use std::time::Duration;
use tempfile::TempDir;

const FATES: [Fate; 4] =
    [Fate::AnswerSwallowed, Fate::CutAfterwards, Fate::RequestSwallowed, Fate::CutBefore];

/// The event of a rotation: only the statement that rotates contains it.
const ROTATED: &[u8] = b"refresh_token.rotated";
/// The event of a redeemed code.
const REDEEMED: &[u8] = b"code.redeemed";

async fn behind_a_proxy(seconds: &str) -> (World, Proxy, TestDatabase) {
    let folder = TempDir::new().unwrap();
    let database = TestDatabase::create(TestEngine::Postgres, &folder).await;
    let proxy = Proxy::before(&database.url).await;
    let url = proxy.url(&database.url);
    let settings = [("SINETE_DATABASE_URL", url.as_str()), ("SINETE_DATABASE_ANSWER_SECONDS", seconds)];
    let world = World::start_with_config(TestEngine::Postgres, &settings).await;
    (world, proxy, database)
}

/// Retries as documented: after 503, and after no other status.
async fn done(ask: impl AsyncFn() -> TokenEndpointResponse) -> TokenEndpointResponse {
    for _ in 0..20 {
        let reply = ask().await;
        if reply.status != 503 {
            return reply;
        }
        assert!(reply.headers.contains_key("retry-after"), "{}", reply.text);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("the request never succeeded");
}

async fn renewed(app: &TokenClient<'_>, token: &str) -> TokenEndpointResponse {
    done(async || app.refresh_tokens(token, &[]).await).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refresh_token_survives_every_lost_commit_response() {
    let (world, proxy, database) = behind_a_proxy("3").await;
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    for fate in FATES {
        let (_, code) = books.issue_code(&app, "openid offline_access invoices:read").await;
        proxy.meet(REDEEMED, fate);
        let tokens = done(async || app.redeem_code(&code, &[]).await).await.assert_granted();
        assert_eq!(proxy.unmet(), 0, "{fate:?}: the redemption bypassed the proxy");
        // The first refresh reads everything; the next ones use the cache of this node.
        let mut token = tokens.refresh_token();
        for _ in 0..3 {
            proxy.meet(ROTATED, fate);
            token = renewed(&app, &token).await.assert_granted().refresh_token();
            assert_eq!(proxy.unmet(), 0, "{fate:?}: the rotation bypassed the proxy");
        }
    }
    assert_eq!(world.count_events("refresh_token.reused").await, 0, "no token was presented twice");
    assert_eq!(world.count_events("grant.revoked").await, 0);
    world.stop().await;
    database.drop_database().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refresh_token_families_survive_a_frozen_database_under_load() {
    const FAMILIES: usize = 12;
    let (world, proxy, database) = behind_a_proxy("2").await;
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let mut tokens = Vec::new();
    for _ in 0..FAMILIES {
        tokens.push(books.issue_tokens(&app, "openid offline_access invoices:read").await.1.refresh_token());
    }
    let families = async {
        let renew = |first: String| {
            let app = app.clone();
            async move {
                let mut token = first;
                for _ in 0..8 {
                    let reply = renewed(&app, &token).await;
                    // If the database is away for too long, the response says so, and the request is not repeated.
                    if reply.status == 504 {
                        return None;
                    }
                    token = reply.assert_granted().refresh_token();
                }
                Some(token)
            }
        };
        crate::stories::platform::api_conventions::join_all(tokens.into_iter().map(renew).collect()).await
    };
    let freezing = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        proxy.make(Wire::Frozen);
        tokio::time::sleep(Duration::from_millis(3_500)).await;
        proxy.make(Wire::Whole);
    };
    let (families, ()) = tokio::join!(families, freezing);
    assert_eq!(world.count_events("refresh_token.reused").await, 0);
    let latest_tokens: Vec<_> = families.into_iter().flatten().collect();
    assert_eq!(latest_tokens.len(), FAMILIES, "the database came back in time for every family");
    for token in latest_tokens {
        app.refresh_tokens(&token, &[]).await.assert_granted();
    }
    world.stop().await;
    database.drop_database().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unknown_commit_outcome_is_distinguished_from_failure() {
    let (world, proxy, database) = behind_a_proxy("1").await;
    let books = world.create_token_fixture().await;
    let app = books.create_app_client(json!({})).await;
    let (_, tokens) = books.issue_tokens(&app, "openid offline_access invoices:read").await;
    // The statement is committed, but its result cannot be read any longer.
    proxy.meet(ROTATED, Fate::AnswerSwallowed);
    let falls_silent = async {
        while proxy.unmet() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        proxy.make(Wire::Silent);
    };
    let token = tokens.refresh_token();
    let (unknown, ()) = tokio::join!(app.refresh_tokens(&token, &[]), falls_silent);
    assert_eq!((unknown.status, &unknown.body["error"]), (504, &json!("server_error")), "{}", unknown.text);
    assert!(
        unknown.text_member("error_description").contains("did not confirm in time whether"),
        "{}",
        unknown.text
    );
    assert!(!unknown.headers.contains_key("retry-after"), "the client must not retry");
    // A statement that was never sent is distinguished: nothing happened.
    let away = app.refresh_tokens(&token, &[]).await;
    assert_eq!((away.status, &away.body["error"]), (503, &json!("temporarily_unavailable")), "{}", away.text);
    assert!(away.headers.contains_key("retry-after"));
    proxy.make(Wire::Whole);
    world.stop().await;
    database.drop_database().await;
}
