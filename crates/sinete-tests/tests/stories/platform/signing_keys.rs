//! The published signing keys and their rotation.

use crate::both_engines;
use crate::harness::world::World;
use sinete_core::limits::{KEYS_CACHE_LIFETIME, KEYS_REFRESH_INTERVAL, TOKEN_LIFETIME_MAX};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Lifetime;
use sinete_engine::EventCause;
use sinete_engine::platform::signing_keys;

/// The ids of the published keys of an algorithm.
async fn published(world: &crate::harness::world::World, algorithm: &str) -> Vec<String> {
    let keys: serde_json::Value = world.get("/.well-known/jwks.json").await.json().await.unwrap();
    let mine = keys["keys"].as_array().unwrap().iter().filter(|key| key["alg"] == algorithm);
    mine.map(|key| key["kid"].as_str().unwrap().to_owned()).collect()
}

both_engines!(
    jwks_publishes_public_keys_only,
    jwks_with_a_current_etag_is_not_modified,
    signing_key_successor_is_published_before_it_signs_and_the_old_one_outlives_its_tokens
);

async fn jwks_publishes_public_keys_only(world: &World) {
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

async fn jwks_with_a_current_etag_is_not_modified(world: &World) {
    let answer = world.get("/.well-known/jwks.json").await;
    let tag = answer.headers()["etag"].clone();
    let request_builder =
        world.http.get(world.public_url("/.well-known/jwks.json")).header("if-none-match", tag);
    let cached_response = request_builder.send().await.unwrap();
    assert_eq!(cached_response.status(), 304);
    assert!(cached_response.bytes().await.unwrap().is_empty());
}

async fn signing_key_successor_is_published_before_it_signs_and_the_old_one_outlives_its_tokens(
    world: &World,
) {
    let engine = world.server.engine();
    let before = published(world, "ES256").await;
    signing_keys::rotate(engine, SigningAlgorithm::Es256, &EventCause::system()).await.unwrap();
    signing_keys::reload_keys(engine).await.unwrap();
    let both = published(world, "ES256").await;
    assert_eq!(both.len(), 2);
    let signing = |engine: &sinete_engine::Engine| {
        engine.key_ring().signing_key(SigningAlgorithm::Es256, engine.now()).unwrap().kid().to_owned()
    };
    assert_eq!(signing(engine), before[0]);
    world.clock.advance(KEYS_CACHE_LIFETIME.plus(KEYS_REFRESH_INTERVAL));
    assert_ne!(signing(engine), before[0]);
    assert_eq!(published(world, "ES256").await.len(), 2);
    world.clock.advance(TOKEN_LIFETIME_MAX.plus(Lifetime::from_minutes(2)));
    signing_keys::reload_keys(engine).await.unwrap();
    assert!(!published(world, "ES256").await.contains(&before[0]));
}
