//! Key rotation without any verifier noticing.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{World, document, judged, key_refusal, published, signer, token};
use sinete_core::limits::{KEYS_CACHE_LIFETIME, KEYS_REFRESH_INTERVAL, TOKEN_LIFETIME_MAX};
use sinete_core::platform::signing_keys::{SigningAlgorithm, SigningKeyPhase};
use sinete_core::time::{Lifetime, Timestamp};
use sinete_crypto::platform::jwt::JwtRejection;
use sinete_crypto::platform::signing_keys::{InvalidSigningKey, SigningKey};
use sinete_engine::platform::signing_keys;
use sinete_engine::platform::signing_keys::{KeyChangeError, KeyChangeRefusal};
use sinete_engine::{Engine, EventCause};
use std::sync::Arc;
use tokio::sync::Barrier;

both_engines!(
    signing_key_first_signs_at_once_and_later_ones_after_publication,
    token_signed_just_before_rotation_is_valid_until_it_expires,
    token_is_verified_by_a_node_with_the_oldest_allowed_jwks,
    signing_key_rotation_raced_creates_one_successor,
    signing_key_creation_raced_by_first_starts_creates_one,
    signing_key_is_imported_in_every_format_and_only_once,
    signing_key_that_is_weak_is_not_imported,
    signing_key_rotation_without_a_signing_key_is_refused,
    signing_keys_are_listed_with_their_phase,
    signing_keys_in_use_survive_a_database_outage
);

const MOMENT: Lifetime = Lifetime::from_micros(1);

async fn signing_key_first_signs_at_once_and_later_ones_after_publication(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    assert!(document(&engine).is_empty());
    let first =
        signing_keys::generate(&engine, SigningAlgorithm::Es256, &EventCause::system()).await.unwrap();
    assert_eq!(
        (signer(&engine, SigningAlgorithm::Es256), published(&engine)),
        (first.kid.clone(), vec![first.kid.clone()])
    );
    let tag = engine.key_ring().jwks_document().tag.clone();

    world.pass(Lifetime::from_days(90));
    let second = signing_keys::rotate(&engine, SigningAlgorithm::Es256, &EventCause::system()).await.unwrap();
    assert_eq!(second.predecessor, Some(first.kid.clone()));
    assert_eq!(published(&engine).len(), 2);
    assert_ne!(engine.key_ring().jwks_document().tag, tag);
    // A JWKS fetched the moment before may be cached this long, and another node may publish late.
    let wait = second.lifecycle.signs_from.since(second.lifecycle.published_at);
    assert!(wait >= KEYS_CACHE_LIFETIME.plus(KEYS_REFRESH_INTERVAL), "{wait:?}");

    world.set(second.lifecycle.signs_from.minus(MOMENT));
    assert_eq!(signer(&engine, SigningAlgorithm::Es256), first.kid);
    world.set(second.lifecycle.signs_from);
    assert_eq!(signer(&engine, SigningAlgorithm::Es256), second.kid);
    assert_eq!(
        world.events().await,
        ["instance.created", "signing_key.generated", "signing_key.generated", "signing_key.rotated"]
    );
}

async fn token_signed_just_before_rotation_is_valid_until_it_expires(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    for algorithm in [SigningAlgorithm::Es256, SigningAlgorithm::EdDsa] {
        signing_keys::generate(&engine, algorithm, &EventCause::system()).await.unwrap();
        world.pass(Lifetime::from_hours(1));
        let successor = signing_keys::rotate(&engine, algorithm, &EventCause::system()).await.unwrap();
        world.set(successor.lifecycle.signs_from.minus(MOMENT));
        let last = token(&engine, algorithm, TOKEN_LIFETIME_MAX);
        let expires = Timestamp::from_seconds(world.now().seconds()).plus(TOKEN_LIFETIME_MAX);

        world.set(expires.minus(MOMENT));
        signing_keys::reload_keys(&engine).await.unwrap();
        assert_eq!(judged(&engine, &last).await, Ok(()));
        assert_ne!(signer(&engine, algorithm), successor.predecessor.clone().unwrap());
        world.set(expires.plus(Lifetime::from_minutes(1)));
        signing_keys::reload_keys(&engine).await.unwrap();
        assert_eq!(judged(&engine, &last).await, Err(JwtRejection::UnknownKey));
        assert!(!published(&engine).contains(&successor.predecessor.unwrap()));
    }
}

/// A node reloads the keys every half minute; one of two nodes signs, and the other one, which is as far
/// behind as allowed, verifies. A relying party verifies with a JWKS that it fetched from that node up to
/// five minutes ago.
async fn token_is_verified_by_a_node_with_the_oldest_allowed_jwks(database: Database) {
    let world = World::new(database).await;
    let (signing, lagging) = (world.node().await, world.node().await);
    signing_keys::generate(&signing, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    let mut fetched: Vec<(Timestamp, Vec<String>)> = Vec::new();
    for step in 0..60_u32 {
        signing_keys::reload_keys(&lagging).await.unwrap();
        fetched.push((world.now(), published(&lagging)));
        if step % 25 == 5 {
            signing_keys::rotate(&signing, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
        }
        world.pass(KEYS_REFRESH_INTERVAL.plus(Lifetime::from_micros(0)));
        if step >= 1 {
            let signed = token(&signing, SigningAlgorithm::EdDsa, Lifetime::from_minutes(10));
            assert_eq!(judged(&lagging, &signed).await, Ok(()), "at step {step}");
            let oldest_allowed = world.now().minus(KEYS_CACHE_LIFETIME);
            let kid = signer(&signing, SigningAlgorithm::EdDsa);
            for (_, copy) in fetched.iter().filter(|(at, copy)| *at >= oldest_allowed && !copy.is_empty()) {
                assert!(copy.contains(&kid), "at step {step}");
            }
        }
    }
}

/// What racers do.
#[derive(Clone, Copy)]
enum Deed {
    Ensure,
    Rotate,
}

/// Runs the same action sixteen times concurrently, on two nodes in turn. Returns the winners, and why the
/// others lost.
async fn race(nodes: [&Engine; 2], deed: Deed) -> (Vec<signing_keys::AddedKey>, Vec<KeyChangeRefusal>) {
    let barrier = Arc::new(Barrier::new(16));
    let racers: Vec<_> = (0..16)
        .map(|number| {
            let (engine, barrier) = (nodes[number % 2].clone(), barrier.clone());
            tokio::spawn(async move {
                barrier.wait().await;
                let cause = EventCause::system();
                match deed {
                    Deed::Ensure => signing_keys::ensure_keys(&engine, &[SigningAlgorithm::EdDsa], &cause)
                        .await
                        .map_err(KeyChangeError::from),
                    Deed::Rotate => {
                        let rotated = signing_keys::rotate(&engine, SigningAlgorithm::EdDsa, &cause).await;
                        rotated.map(|joined| vec![joined])
                    }
                }
            })
        })
        .collect();
    let (mut won, mut lost) = (Vec::new(), Vec::new());
    for racer in racers {
        match racer.await.unwrap() {
            Ok(joined) => won.extend(joined),
            Err(KeyChangeError::Refused(refused)) => lost.push(refused),
            Err(KeyChangeError::Failed(failure)) => panic!("{failure}"),
        }
    }
    (won, lost)
}

async fn signing_key_rotation_raced_creates_one_successor(database: Database) {
    let world = World::new(database).await;
    let (one, two) = (world.node().await, world.node().await);
    signing_keys::generate(&one, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    for round in 2..=13 {
        world.pass(Lifetime::from_hours(3));
        let (won, lost) = race([&one, &two], Deed::Rotate).await;
        assert_eq!((won.len(), lost.len()), (1, 15));
        assert!(lost.iter().all(|refused| {
            matches!(refused, KeyChangeRefusal::StillAnnounced { kid, .. } if *kid == won[0].kid)
        }));
        let count = "SELECT count(*) FROM signing_keys";
        assert_eq!(world.database.number(count).await, round);
        assert_eq!(world.database.number(&format!("{count} WHERE signs_until IS NULL")).await, 1);
    }
}

async fn signing_key_creation_raced_by_first_starts_creates_one(database: Database) {
    let world = World::new(database).await;
    let (one, two) = (world.node().await, world.node().await);
    let (won, lost) = race([&one, &two], Deed::Ensure).await;
    assert_eq!((won.len(), lost.len()), (1, 0));
    assert_eq!(world.database.number("SELECT count(*) FROM signing_keys").await, 1);
    signing_keys::reload_keys(&two).await.unwrap();
    assert_eq!(signer(&one, SigningAlgorithm::EdDsa), signer(&two, SigningAlgorithm::EdDsa));
}

async fn signing_key_is_imported_in_every_format_and_only_once(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let key = SigningKey::generate(SigningAlgorithm::Rs256).unwrap();
    let pem = key.to_pem().unwrap();
    let refused = key_refusal(signing_keys::import(&engine, &pem, None, &EventCause::system()).await);
    assert_eq!(refused, KeyChangeRefusal::NotAKey(InvalidSigningKey::AlgorithmMissing));
    let joined = signing_keys::import(&engine, &pem, Some(SigningAlgorithm::Rs256), &EventCause::system())
        .await
        .unwrap();
    assert_eq!(
        (joined.kid.as_str(), signer(&engine, SigningAlgorithm::Rs256).as_str()),
        (key.kid(), key.kid())
    );
    // Again, and under the other algorithm that the key fits.
    for algorithm in [SigningAlgorithm::Rs256, SigningAlgorithm::Ps256] {
        let refused =
            key_refusal(signing_keys::import(&engine, &pem, Some(algorithm), &EventCause::system()).await);
        let refusal =
            KeyChangeRefusal::Duplicate { kid: key.kid().to_owned(), algorithm: SigningAlgorithm::Rs256 };
        assert_eq!(refused, refusal);
    }
    // RFC 8037 appendix A.1.
    let jwk = r#"{"kty":"OKP","crv":"Ed25519","d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
    signing_keys::import(&engine, jwk, None, &EventCause::system()).await.unwrap();
    assert_eq!(signer(&engine, SigningAlgorithm::EdDsa), "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k");
    // A later import is announced like any successor, and a revoked key cannot be imported again.
    let other = SigningKey::generate(SigningAlgorithm::EdDsa).unwrap().to_pem().unwrap();
    let announced = signing_keys::import(&engine, &other, None, &EventCause::system()).await.unwrap();
    assert_eq!(announced.lifecycle.phase(world.now()), SigningKeyPhase::Announced);
    signing_keys::revoke(&engine, &announced.kid, &EventCause::system()).await.unwrap();
    let reimport_refusal =
        key_refusal(signing_keys::import(&engine, &other, None, &EventCause::system()).await);
    assert!(matches!(reimport_refusal, KeyChangeRefusal::Duplicate { .. }), "{reimport_refusal:?}");
    assert_eq!(world.events().await.iter().filter(|kind| *kind == "signing_key.imported").count(), 3);
}

async fn signing_key_that_is_weak_is_not_imported(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let weak = include_str!("../../../sinete-crypto/src/platform/signing_keys/fixtures/rsa-1024.pem");
    let refused = key_refusal(
        signing_keys::import(&engine, weak, Some(SigningAlgorithm::Rs256), &EventCause::system()).await,
    );
    assert_eq!(refused, KeyChangeRefusal::NotAKey(InvalidSigningKey::TooFewBits(1024)));
    assert_eq!(world.database.number("SELECT count(*) FROM signing_keys").await, 0);
    assert_eq!(world.events().await, ["instance.created"]);
}

async fn signing_key_rotation_without_a_signing_key_is_refused(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let refused =
        key_refusal(signing_keys::rotate(&engine, SigningAlgorithm::Es256, &EventCause::system()).await);
    assert_eq!(refused, KeyChangeRefusal::NothingToRotate(SigningAlgorithm::Es256));
    let problems = signing_keys::find_problems(&engine).await.unwrap();
    assert_eq!(problems, SigningAlgorithm::REQUIRED.map(signing_keys::KeyProblem::Missing));
    let keys =
        signing_keys::ensure_keys(&engine, &SigningAlgorithm::REQUIRED, &EventCause::system()).await.unwrap();
    assert_eq!(keys.len(), 2);
    assert_eq!(signing_keys::find_problems(&engine).await.unwrap(), []);
    assert_eq!(
        signing_keys::ensure_keys(&engine, &SigningAlgorithm::REQUIRED, &EventCause::system()).await.unwrap(),
        []
    );
    assert_eq!(engine.key_ring().algorithms(world.now()), [SigningAlgorithm::Rs256, SigningAlgorithm::Es256]);
}

async fn signing_keys_are_listed_with_their_phase(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    signing_keys::generate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    for _ in 0..2 {
        world.pass(Lifetime::from_hours(2));
        signing_keys::rotate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    }
    let phases = |overviews: Vec<signing_keys::KeyOverview>| {
        overviews.into_iter().map(|key| key.phase).collect::<Vec<_>>()
    };
    let now = phases(signing_keys::list(&engine).await.unwrap());
    assert_eq!(now, [SigningKeyPhase::Announced, SigningKeyPhase::Signing, SigningKeyPhase::Withdrawn]);
    world.pass(Lifetime::from_minutes(6));
    let later = phases(signing_keys::list(&engine).await.unwrap());
    assert_eq!(later, [SigningKeyPhase::Signing, SigningKeyPhase::Retiring, SigningKeyPhase::Withdrawn]);
}

async fn signing_keys_in_use_survive_a_database_outage(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    signing_keys::generate(&engine, SigningAlgorithm::Es256, &EventCause::system()).await.unwrap();
    world.store.close().await;
    assert!(signing_keys::reload_keys(&engine).await.is_err());
    let signed = token(&engine, SigningAlgorithm::Es256, Lifetime::from_minutes(10));
    assert_eq!(judged(&engine, &signed).await, Ok(()));
    assert_eq!(document(&engine).len(), 1);
}
