//! Development keys are used by development instances, and recognized everywhere else.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{World, document, instance_keys, key_refusal, published, signer};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Lifetime;
use sinete_engine::platform::signing_keys;
use sinete_engine::platform::signing_keys::{KeyChangeRefusal, KeyProblem, KeySource};
use sinete_engine::{Engine, EventCause, InstanceMode};

both_engines!(
    development_signing_keys_are_generated_once_and_marked,
    development_signing_key_copied_to_production_is_refused,
    development_signing_keys_are_replaced_at_once_by_real_ones_in_production,
    development_signing_key_from_a_file_is_recognized_by_its_thumbprint
);

async fn in_development(world: &World) -> Engine {
    world.start(InstanceMode::Development, instance_keys(1, &[]), Vec::new()).await.unwrap()
}

async fn development_signing_keys_are_generated_once_and_marked(database: Database) {
    let world = World::new(database).await;
    let engine = in_development(&world).await;
    let keys = signing_keys::ensure_keys(&engine, &signing_keys::REQUIRED_ALGORITHMS, &EventCause::system())
        .await
        .unwrap();
    assert_eq!((keys.len(), document(&engine).len()), (3, 3));
    assert!(document(&engine).iter().all(|key| key["sinete_development"] == true));
    let keys =
        signing_keys::ensure_keys(&engine, &SigningAlgorithm::ALL, &EventCause::system()).await.unwrap();
    assert_eq!((keys.len(), document(&engine).len()), (1, 4));
    assert_eq!(world.database.number("SELECT count(*) FROM development_keys").await, 4);

    let before = published(&engine);
    let restarted = in_development(&world).await;
    assert_eq!(
        signing_keys::ensure_keys(&restarted, &SigningAlgorithm::ALL, &EventCause::system()).await.unwrap(),
        []
    );
    assert_eq!(published(&restarted), before);
    // A development key is replaced by another one.
    signing_keys::rotate(&restarted, SigningAlgorithm::Es256, &EventCause::system()).await.unwrap();
    assert!(document(&restarted).iter().all(|key| key["sinete_development"] == true));
}

/// The private keys of a key ring, without the marking line.
fn bare_pems(engine: &Engine) -> Vec<(SigningAlgorithm, String)> {
    let bare = |pem: &str| pem[pem.find("-----BEGIN").unwrap()..].to_owned();
    let ring = engine.key_ring();
    ring.entries()
        .iter()
        .map(|key_entry| (key_entry.key.algorithm(), bare(&key_entry.key.to_pem().unwrap())))
        .collect()
}

async fn development_signing_key_copied_to_production_is_refused(database: Database) {
    let elsewhere = World::new(Database::sqlite()).await;
    let development = in_development(&elsewhere).await;
    signing_keys::ensure_keys(&development, &SigningAlgorithm::ALL, &EventCause::system()).await.unwrap();
    // These keys are new to this database: they are recognized by the keys alone.
    let world = World::new(database).await;
    let production = world.node().await;
    for (algorithm, pem) in bare_pems(&development) {
        let refused = key_refusal(
            signing_keys::import(&production, &pem, Some(algorithm), &EventCause::system()).await,
        );
        assert_eq!(refused, KeyChangeRefusal::DevelopmentKey, "{algorithm}");
    }
    assert_eq!(world.database.number("SELECT count(*) FROM signing_keys").await, 0);
}

async fn development_signing_keys_are_replaced_at_once_by_real_ones_in_production(database: Database) {
    let world = World::new(database).await;
    let development = in_development(&world).await;
    signing_keys::ensure_keys(
        &development,
        &[SigningAlgorithm::Es256, SigningAlgorithm::Rs256],
        &EventCause::system(),
    )
    .await
    .unwrap();
    world.pass(Lifetime::from_hours(1));
    signing_keys::rotate(&development, SigningAlgorithm::Es256, &EventCause::system()).await.unwrap();

    let production = world.node().await;
    let problems = signing_keys::find_problems(&production).await.unwrap();
    assert_eq!(problems.len(), 3);
    assert!(
        problems.iter().all(|problem| matches!(
            problem,
            KeyProblem::Development { key_source: KeySource::Database, .. }
        ))
    );
    let mut real = Vec::new();
    for algorithm in SigningAlgorithm::REQUIRED {
        let key = signing_keys::generate(&production, algorithm, &EventCause::system()).await.unwrap();
        assert_eq!(signer(&production, algorithm), key.kid);
        real.push(key.kid);
    }
    // Tokens signed by a development key are no longer valid.
    let mut published_kids = published(&production);
    published_kids.sort();
    real.sort();
    assert_eq!(published_kids, real);
    assert_eq!(signing_keys::find_problems(&production).await.unwrap(), []);
    assert!(document(&production).iter().all(|key| key.get("sinete_development").is_none()));
}

async fn development_signing_key_from_a_file_is_recognized_by_its_thumbprint(database: Database) {
    let world = World::new(database).await;
    let key = sinete_crypto::platform::signing_keys::SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let kid = key.kid().to_owned();
    let engine = world.start(InstanceMode::Production, instance_keys(1, &[]), vec![key]).await.unwrap();
    assert_eq!(
        signing_keys::find_problems(&engine).await.unwrap(),
        [KeyProblem::Missing(SigningAlgorithm::Rs256)]
    );
    // As if a development instance with this database had generated it.
    world
        .database
        .run(&format!("INSERT INTO development_keys (thumbprint, created_at) VALUES ('{kid}', 1)"))
        .await;
    let key_problem = KeyProblem::Development {
        kid,
        algorithm: SigningAlgorithm::Es256,
        key_source: KeySource::Configured,
    };
    assert_eq!(
        signing_keys::find_problems(&engine).await.unwrap(),
        [KeyProblem::Missing(SigningAlgorithm::Rs256), key_problem]
    );
}
