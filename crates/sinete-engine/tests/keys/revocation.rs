//! A compromised key is revoked at once, and another one always signs.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{World, judged, key_refusal, published, signer, token};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Lifetime;
use sinete_crypto::platform::jwt::JwtRejection;
use sinete_engine::EventCause;
use sinete_engine::platform::signing_keys;
use sinete_engine::platform::signing_keys::KeyChangeRefusal;

both_engines!(
    revoked_signing_key_is_replaced_at_once_and_its_tokens_are_invalid,
    revoked_signing_key_with_an_announced_successor_hands_over_at_once,
    revoked_successor_leaves_the_current_signing_key_in_place,
    revoked_retiring_signing_key_is_withdrawn_sooner,
    signing_key_that_cannot_be_revoked_is_refused
);

async fn revoked_signing_key_is_replaced_at_once_and_its_tokens_are_invalid(database: Database) {
    let world = World::new(database).await;
    let (engine, other_node) = (world.node().await, world.node().await);
    let key = signing_keys::generate(&engine, SigningAlgorithm::Es256, &EventCause::system()).await.unwrap();
    let stolen = token(&engine, SigningAlgorithm::Es256, Lifetime::from_minutes(10));
    signing_keys::reload_keys(&other_node).await.unwrap();
    // Twice, because a node caches verified signatures.
    for node in [&engine, &other_node, &engine, &other_node] {
        assert_eq!(judged(node, &stolen).await, Ok(()));
    }

    let revoked = signing_keys::revoke(&engine, &key.kid, &EventCause::system()).await.unwrap();
    let successor = revoked.successor.unwrap();
    assert_eq!(
        (published(&engine), signer(&engine, SigningAlgorithm::Es256)),
        (vec![successor.clone()], successor)
    );
    signing_keys::reload_keys(&other_node).await.unwrap();
    for node in [&engine, &other_node] {
        assert_eq!(judged(node, &stolen).await, Err(JwtRejection::UnknownKey));
        assert_eq!(
            judged(node, &token(&engine, SigningAlgorithm::Es256, Lifetime::from_minutes(10))).await,
            Ok(())
        );
    }
    assert_eq!(
        world.events().await,
        ["instance.created", "signing_key.generated", "signing_key.generated", "signing_key.revoked"]
    );
}

async fn revoked_signing_key_with_an_announced_successor_hands_over_at_once(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let old = signing_keys::generate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    let new = signing_keys::rotate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    assert_eq!(signer(&engine, SigningAlgorithm::EdDsa), old.kid);
    let revoked = signing_keys::revoke(&engine, &old.kid, &EventCause::system()).await.unwrap();
    assert_eq!(
        (revoked.successor, signer(&engine, SigningAlgorithm::EdDsa)),
        (Some(new.kid.clone()), new.kid.clone())
    );
    assert_eq!(published(&engine), [new.kid]);
}

async fn revoked_successor_leaves_the_current_signing_key_in_place(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let old = signing_keys::generate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    let new = signing_keys::rotate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    let revoked = signing_keys::revoke(&engine, &new.kid, &EventCause::system()).await.unwrap();
    assert_eq!(revoked.successor, Some(old.kid.clone()));
    world.pass(Lifetime::from_days(1));
    assert_eq!(
        (signer(&engine, SigningAlgorithm::EdDsa), published(&engine)),
        (old.kid.clone(), vec![old.kid])
    );
    signing_keys::rotate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
}

async fn revoked_retiring_signing_key_is_withdrawn_sooner(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let old = signing_keys::generate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    let new = signing_keys::rotate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    world.pass(Lifetime::from_minutes(10));
    let revoked = signing_keys::revoke(&engine, &old.kid, &EventCause::system()).await.unwrap();
    assert_eq!((revoked.successor, published(&engine)), (None, vec![new.kid.clone()]));
    assert_eq!(signer(&engine, SigningAlgorithm::EdDsa), new.kid);
}

async fn signing_key_that_cannot_be_revoked_is_refused(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let key = signing_keys::generate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    signing_keys::revoke(&engine, &key.kid, &EventCause::system()).await.unwrap();
    let second_refusal = key_refusal(signing_keys::revoke(&engine, &key.kid, &EventCause::system()).await);
    assert_eq!(second_refusal, KeyChangeRefusal::AlreadyWithdrawn(key.kid));
    let unknown = key_refusal(signing_keys::revoke(&engine, "nobody", &EventCause::system()).await);
    assert_eq!(unknown, KeyChangeRefusal::Unknown("nobody".to_owned()));
    world.database.run("UPDATE signing_keys SET purpose = 'log'").await;
    let log_key = signer(&engine, SigningAlgorithm::EdDsa);
    let refused = key_refusal(signing_keys::revoke(&engine, &log_key, &EventCause::system()).await);
    assert_eq!(refused, KeyChangeRefusal::SignsTheLog(log_key));
}
