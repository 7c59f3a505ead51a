//! Connections to PostgreSQL that are lost around a commit. Whoever tries again after "nothing happened", and only then,
//! never shows what is used up, so that nobody loses their tokens.

use crate::harness::database::{TestDatabase, TestEngine};
use crate::harness::postgres_proxy::{Fate, Proxy, Wire};
use crate::harness::token_endpoint::{TokenClient, TokenEndpointResponse};
use crate::harness::world::World;
use serde_json::json;
use std::time::Duration;
use tempfile::TempDir;

const FATES: [Fate; 4] =
    [Fate::AnswerSwallowed, Fate::CutAfterwards, Fate::RequestSwallowed, Fate::CutBefore];

/// What the event of a renewal says of itself: only the statement that renews carries it.
const ROTATED: &[u8] = b"refresh_token.rotated";
/// The same for a code.
const REDEEMED: &[u8] = b"code.redeemed";

async fn behind_a_proxy(seconds: &str) -> (World, Proxy, TestDatabase) {
    let folder = TempDir::new().unwrap();
    let database = TestDatabase::on(TestEngine::Postgres, &folder).await;
    let proxy = Proxy::before(&database.url).await;
    let url = proxy.url(&database.url);
    let settings = [("SINETE_DATABASE_URL", url.as_str()), ("SINETE_DATABASE_ANSWER_SECONDS", seconds)];
    let world = World::begin_with(TestEngine::Postgres, &settings).await;
    (world, proxy, database)
}

/// Asks until it is done, as the documents say: again after 503, and after nothing else.
async fn done(ask: impl AsyncFn() -> TokenEndpointResponse) -> TokenEndpointResponse {
    for _ in 0..20 {
        let reply = ask().await;
        if reply.status != 503 {
            return reply;
        }
        assert!(reply.headers.contains_key("retry-after"), "{}", reply.text);
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    panic!("it was never done");
}

async fn renewed(app: &TokenClient<'_>, token: &str) -> TokenEndpointResponse {
    done(async || app.refresh(token, &[]).await).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn refresh_tokens_survive_every_way_to_lose_the_answer_to_a_commit() {
    let (world, proxy, database) = behind_a_proxy("3").await;
    let books = world.books().await;
    let app = books.app(json!({})).await;
    for fate in FATES {
        let (_, code) = books.code(&app, "openid offline_access invoices:read").await;
        proxy.meet(REDEEMED, fate);
        let tokens = done(async || app.redeem(&code, &[]).await).await.granted();
        assert_eq!(proxy.unmet(), 0, "{fate:?}: the code was redeemed past the wire");
        // The first renewal reads everything, the next ones what this node remembers.
        let mut token = tokens.refresh_token();
        for _ in 0..3 {
            proxy.meet(ROTATED, fate);
            token = renewed(&app, &token).await.granted().refresh_token();
            assert_eq!(proxy.unmet(), 0, "{fate:?}: the token was renewed past the wire");
        }
    }
    assert_eq!(world.logged("refresh_token.reused").await, 0, "nobody showed a token twice");
    assert_eq!(world.logged("grant.revoked").await, 0);
    world.end().await;
    database.remove().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn families_survive_a_server_that_freezes_under_load() {
    const FAMILIES: usize = 12;
    let (world, proxy, database) = behind_a_proxy("2").await;
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let mut tokens = Vec::new();
    for _ in 0..FAMILIES {
        tokens.push(books.tokens(&app, "openid offline_access invoices:read").await.1.refresh_token());
    }
    let families = async {
        let renew = |first: String| {
            let app = app.clone();
            async move {
                let mut token = first;
                for _ in 0..8 {
                    let reply = renewed(&app, &token).await;
                    // Where the server stayed away too long, that is what is said, and nothing is tried again.
                    if reply.status == 504 {
                        return None;
                    }
                    token = reply.granted().refresh_token();
                }
                Some(token)
            }
        };
        crate::stories::manage::conventions::join_all(tokens.into_iter().map(renew).collect()).await
    };
    let freezing = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        proxy.make(Wire::Frozen);
        tokio::time::sleep(Duration::from_millis(3_500)).await;
        proxy.make(Wire::Whole);
    };
    let (families, ()) = tokio::join!(families, freezing);
    assert_eq!(world.logged("refresh_token.reused").await, 0);
    let known: Vec<_> = families.into_iter().flatten().collect();
    assert_eq!(known.len(), FAMILIES, "the server came back in time for everybody to be told");
    for token in known {
        app.refresh(&token, &[]).await.granted();
    }
    world.end().await;
    database.remove().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_outcome_that_stays_unknown_is_told_apart_from_nothing_happened() {
    let (world, proxy, database) = behind_a_proxy("1").await;
    let books = world.books().await;
    let app = books.app(json!({})).await;
    let (_, tokens) = books.tokens(&app, "openid offline_access invoices:read").await;
    // What is sent is done; then nobody can be reached any more who could say so.
    proxy.meet(ROTATED, Fate::AnswerSwallowed);
    let falls_silent = async {
        while proxy.unmet() > 0 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        proxy.make(Wire::Silent);
    };
    let token = tokens.refresh_token();
    let (unknown, ()) = tokio::join!(app.refresh(&token, &[]), falls_silent);
    assert_eq!((unknown.status, &unknown.body["error"]), (504, &json!("server_error")), "{}", unknown.text);
    assert!(unknown.text_of("error_description").contains("not known"), "{}", unknown.text);
    assert!(!unknown.headers.contains_key("retry-after"), "nobody is invited to ask again");
    // What never was sent is told apart: nothing happened.
    let away = app.refresh(&token, &[]).await;
    assert_eq!((away.status, &away.body["error"]), (503, &json!("temporarily_unavailable")), "{}", away.text);
    assert!(away.headers.contains_key("retry-after"));
    proxy.make(Wire::Whole);
    world.end().await;
    database.remove().await;
}
