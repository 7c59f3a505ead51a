//! Signing keys from files: they are never stored, and take precedence.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{World, instance_keys, judged, key_refusal, published, signer, token};
use sinete_core::platform::signing_keys::{SigningAlgorithm, SigningKeyPhase};
use sinete_core::time::Lifetime;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_engine::platform::signing_keys;
use sinete_engine::platform::signing_keys::{KeyChangeRefusal, KeySource};
use sinete_engine::{EngineStartError, EventCause, InstanceMode};

both_engines!(
    configured_signing_key_signs_and_is_never_stored,
    configured_signing_key_takes_precedence_over_stored_ones,
    configured_signing_key_file_replaced_takes_over_after_reload_and_cache_expiry,
    configured_signing_key_for_two_algorithms_prevents_the_start
);

async fn configured_signing_key_signs_and_is_never_stored(database: Database) {
    let world = World::new(database).await;
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let kid = key.kid().to_owned();
    let engine = world.start(InstanceMode::Production, instance_keys(1, &[]), vec![key]).await.unwrap();
    assert_eq!(
        (signer(&engine, SigningAlgorithm::Es256), published(&engine)),
        (kid.clone(), vec![kid.clone()])
    );
    let overviews = signing_keys::list(&engine).await.unwrap();
    assert_eq!(
        (overviews.len(), overviews[0].source, overviews[0].phase),
        (1, KeySource::Configured, SigningKeyPhase::Signing)
    );
    for refused in [
        key_refusal(signing_keys::generate(&engine, SigningAlgorithm::Es256, &EventCause::system()).await),
        key_refusal(signing_keys::rotate(&engine, SigningAlgorithm::Es256, &EventCause::system()).await),
        key_refusal(signing_keys::revoke(&engine, &kid, &EventCause::system()).await),
    ] {
        assert_eq!(refused, KeyChangeRefusal::Configured(SigningAlgorithm::Es256));
    }
    signing_keys::ensure_keys(
        &engine,
        &[SigningAlgorithm::Es256, SigningAlgorithm::EdDsa],
        &EventCause::system(),
    )
    .await
    .unwrap();
    assert_eq!(world.database.number("SELECT count(*) FROM signing_keys WHERE algorithm = 'ES256'").await, 0);
    assert_eq!(world.database.number("SELECT count(*) FROM signing_keys").await, 1);
}

async fn configured_signing_key_takes_precedence_over_stored_ones(database: Database) {
    let world = World::new(database).await;
    let stored = signing_keys::generate(&world.node().await, SigningAlgorithm::Es256, &EventCause::system())
        .await
        .unwrap();
    let old_token = token(&world.node().await, SigningAlgorithm::Es256, Lifetime::from_minutes(10));
    let key = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let kid = key.kid().to_owned();
    let engine = world.start(InstanceMode::Production, instance_keys(1, &[]), vec![key]).await.unwrap();
    assert_eq!(signer(&engine, SigningAlgorithm::Es256), kid);
    // Tokens signed by the stored key stay valid.
    assert_eq!(judged(&engine, &old_token).await, Ok(()));
    let overviews = signing_keys::list(&engine).await.unwrap();
    let overview = overviews.iter().find(|key| key.kid == stored.kid).unwrap();
    assert_eq!((overview.source, overview.phase), (KeySource::Database, SigningKeyPhase::Retiring));
    // The stored key can be revoked without a replacement.
    let revoked = signing_keys::revoke(&engine, &stored.kid, &EventCause::system()).await.unwrap();
    assert_eq!((revoked.successor, published(&engine)), (None, vec![kid]));
}

async fn configured_signing_key_file_replaced_takes_over_after_reload_and_cache_expiry(database: Database) {
    let world = World::new(database).await;
    let [old, new] = [(); 2].map(|()| SigningKey::generate(SigningAlgorithm::Es256).unwrap());
    let (old_kid, new_kid) = (old.kid().to_owned(), new.kid().to_owned());
    let old_pem = old.to_pem().unwrap();
    let engine = world.start(InstanceMode::Production, instance_keys(1, &[]), vec![old]).await.unwrap();
    signing_keys::generate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    let old = SigningKey::parse(&old_pem, None).unwrap();
    signing_keys::reload_configured_keys(&engine, vec![new, old]).await.unwrap();
    assert_eq!((signer(&engine, SigningAlgorithm::Es256), published(&engine).len()), (old_kid, 3));
    let signed = token(&engine, SigningAlgorithm::Es256, Lifetime::from_hours(1));
    world.pass(Lifetime::from_seconds(330));
    signing_keys::reload_keys(&engine).await.unwrap();
    assert_eq!((signer(&engine, SigningAlgorithm::Es256), judged(&engine, &signed).await), (new_kid, Ok(())));
}

async fn configured_signing_key_for_two_algorithms_prevents_the_start(database: Database) {
    let world = World::new(database).await;
    let pem = SigningKey::generate(SigningAlgorithm::Rs256).unwrap().to_pem().unwrap();
    let both = [SigningAlgorithm::Rs256, SigningAlgorithm::Ps256]
        .map(|it| SigningKey::parse(&pem, Some(it)).unwrap());
    let refused = world.start(InstanceMode::Production, instance_keys(1, &[]), both.into()).await;
    assert!(matches!(refused, Err(EngineStartError::ConfiguredTwice(_))));
}
