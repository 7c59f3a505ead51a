//! A key that others may have is gone at once, and somebody always signs.

use crate::both_engines;
use crate::database::Database;
use crate::world::{World, judged, published, signer, token};
use sinete_core::signing::SigningAlgorithm;
use sinete_core::time::Lifetime;
use sinete_crypto::jwt::JwtRejection;
use sinete_engine::EventCause;
use sinete_engine::keys::{self, KeyChangeError};

both_engines!(
    a_revoked_key_is_replaced_at_once_and_its_tokens_are_worthless,
    when_a_successor_is_announced_it_takes_over_at_once,
    when_the_announced_successor_is_revoked_the_present_key_goes_on,
    a_retiring_key_that_is_revoked_only_goes_sooner,
    what_cannot_be_revoked_is_refused
);

async fn a_revoked_key_is_replaced_at_once_and_its_tokens_are_worthless(database: Database) {
    let world = World::new(database).await;
    let (engine, other_node) = (world.node().await, world.node().await);
    let key = keys::generate(&engine, SigningAlgorithm::Es256, &EventCause::system()).await.unwrap().unwrap();
    let stolen = token(&engine, SigningAlgorithm::Es256, Lifetime::from_minutes(10));
    keys::refresh(&other_node).await.unwrap();
    // Twice, because a node remembers that a signature was right.
    for node in [&engine, &other_node, &engine, &other_node] {
        assert_eq!(judged(node, &stolen).await, Ok(()));
    }

    let revoked = keys::revoke(&engine, &key.kid, &EventCause::system()).await.unwrap().unwrap();
    let successor = revoked.successor.unwrap();
    assert_eq!(
        (published(&engine), signer(&engine, SigningAlgorithm::Es256)),
        (vec![successor.clone()], successor)
    );
    keys::refresh(&other_node).await.unwrap();
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

async fn when_a_successor_is_announced_it_takes_over_at_once(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let old = keys::generate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap().unwrap();
    let new = keys::rotate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap().unwrap();
    assert_eq!(signer(&engine, SigningAlgorithm::EdDsa), old.kid);
    let revoked = keys::revoke(&engine, &old.kid, &EventCause::system()).await.unwrap().unwrap();
    assert_eq!(
        (revoked.successor, signer(&engine, SigningAlgorithm::EdDsa)),
        (Some(new.kid.clone()), new.kid.clone())
    );
    assert_eq!(published(&engine), [new.kid]);
}

async fn when_the_announced_successor_is_revoked_the_present_key_goes_on(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let old = keys::generate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap().unwrap();
    let new = keys::rotate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap().unwrap();
    let revoked = keys::revoke(&engine, &new.kid, &EventCause::system()).await.unwrap().unwrap();
    assert_eq!(revoked.successor, Some(old.kid.clone()));
    world.pass(Lifetime::from_days(1));
    assert_eq!(
        (signer(&engine, SigningAlgorithm::EdDsa), published(&engine)),
        (old.kid.clone(), vec![old.kid])
    );
    keys::rotate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap().unwrap();
}

async fn a_retiring_key_that_is_revoked_only_goes_sooner(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let old = keys::generate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap().unwrap();
    let new = keys::rotate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap().unwrap();
    world.pass(Lifetime::from_minutes(10));
    let revoked = keys::revoke(&engine, &old.kid, &EventCause::system()).await.unwrap().unwrap();
    assert_eq!((revoked.successor, published(&engine)), (None, vec![new.kid.clone()]));
    assert_eq!(signer(&engine, SigningAlgorithm::EdDsa), new.kid);
}

async fn what_cannot_be_revoked_is_refused(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let key = keys::generate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap().unwrap();
    keys::revoke(&engine, &key.kid, &EventCause::system()).await.unwrap().unwrap();
    let again = keys::revoke(&engine, &key.kid, &EventCause::system()).await.unwrap();
    assert_eq!(again, Err(KeyChangeError::AlreadyWithdrawn(key.kid)));
    let unknown = keys::revoke(&engine, "nobody", &EventCause::system()).await.unwrap();
    assert_eq!(unknown, Err(KeyChangeError::Unknown("nobody".to_owned())));
    world.database.run("UPDATE signing_keys SET purpose = 'log'").await;
    let log_key = signer(&engine, SigningAlgorithm::EdDsa);
    let refused = keys::revoke(&engine, &log_key, &EventCause::system()).await.unwrap();
    assert_eq!(refused, Err(KeyChangeError::SignsTheLog(log_key)));
}
