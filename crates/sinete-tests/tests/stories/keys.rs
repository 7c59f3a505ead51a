//! The published keys, and what becomes of them.

use crate::both_engines;
use crate::harness::world::World;
use sinete_core::limits::{KEYS_CACHE_LIFETIME, KEYS_REFRESH_INTERVAL, TOKEN_LIFETIME_MAX};
use sinete_core::signing::SigningAlgorithm;
use sinete_core::time::Lifetime;
use sinete_engine::{EventCause, keys};

/// The ids of the published keys of an algorithm.
async fn published(world: &crate::harness::world::World, algorithm: &str) -> Vec<String> {
    let keys: serde_json::Value = world.get("/.well-known/jwks.json").await.json().await.unwrap();
    let mine = keys["keys"].as_array().unwrap().iter().filter(|key| key["alg"] == algorithm);
    mine.map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

both_engines!(
    the_public_halves_are_published_and_nothing_else,
    a_copy_that_is_still_right_is_not_sent_again,
    a_successor_is_published_before_it_signs_and_the_old_key_stays_until_its_last_token_expired
);

async fn the_public_halves_are_published_and_nothing_else(world: &World) {
    let answer = world.get("/.well-known/jwks.json").await;
    assert_eq!(answer.headers()["cache-control"], "public, max-age=300");
    assert_eq!(answer.headers()["access-control-allow-origin"], "*");
    let keys: serde_json::Value = answer.json().await.unwrap();
    for key in keys["keys"].as_array().unwrap() {
        for private in ["d", "p", "q", "dp", "dq", "qi", "k"] {
            assert!(key.get(private).is_none(), "{key}");
        }
        assert_eq!(key["use"], "sig");
    }
    assert_eq!(published(world, "ES256").await.len(), 1);
    assert_eq!(published(world, "RS256").await.len(), 1);
}

async fn a_copy_that_is_still_right_is_not_sent_again(world: &World) {
    let answer = world.get("/.well-known/jwks.json").await;
    let tag = answer.headers()["etag"].clone();
    let asked = world.http.get(world.public("/.well-known/jwks.json")).header("if-none-match", tag);
    let again = asked.send().await.unwrap();
    assert_eq!(again.status(), 304);
    assert!(again.bytes().await.unwrap().is_empty());
}

async fn a_successor_is_published_before_it_signs_and_the_old_key_stays_until_its_last_token_expired(
    world: &World,
) {
    let engine = world.server.engine();
    let before = published(world, "ES256").await;
    keys::rotate(engine, SigningAlgorithm::Es256, &EventCause::system()).await.unwrap().unwrap();
    keys::refresh(engine).await.unwrap();
    let both = published(world, "ES256").await;
    assert_eq!(both.len(), 2);
    let signing = |engine: &sinete_engine::Engine| {
        engine.keys().signer(SigningAlgorithm::Es256, engine.now()).unwrap().kid().to_owned()
    };
    assert_eq!(signing(engine), before[0]);
    world.clock.pass(KEYS_CACHE_LIFETIME.plus(KEYS_REFRESH_INTERVAL));
    assert_ne!(signing(engine), before[0]);
    assert_eq!(published(world, "ES256").await.len(), 2);
    world.clock.pass(TOKEN_LIFETIME_MAX.plus(Lifetime::from_minutes(2)));
    keys::refresh(engine).await.unwrap();
    assert!(!published(world, "ES256").await.contains(&before[0]));
}
