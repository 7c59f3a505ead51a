//! An attacker who rewrites the whole log, adds a key, or restores an older copy.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{World, instance_keys, verify};
use sinete_core::events::log_chain::{LogChainHead, LogDefect, LogFinding};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose};
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_engine::events::security_log::{LogSealer, SecurityLog, SecurityLogError};

both_engines!(
    security_log_recomputed_chain_is_detected,
    security_log_head_signed_by_a_foreign_key_is_rejected,
    security_log_rollback_is_detected_by_a_noted_head
);

/// Changes an event and all hashes after it, so that the chain is consistent again.
async fn rewrite(world: &World) -> LogChainHead {
    world.database.disarm().await;
    let id = world.database.bytes(world.links().await[2].event_id.as_bytes());
    world.database.run(&format!("UPDATE security_log SET subject_id = 'eve' WHERE id = {id}")).await;
    let mut head = world.log.signed_head().await.unwrap().to_head();
    let links = world.links().await;
    head.hash = LogChainHead::new_genesis(world.log.instance_id(), head.sealed_at).hash;
    for link in &links {
        head.hash = link.event.as_ref().unwrap().hash_after(head.hash);
        let hash = world.database.bytes(head.hash.as_bytes());
        let position = link.position;
        world.database.run(&format!("UPDATE log_chain SET hash = {hash} WHERE position = {position}")).await;
    }
    head
}

async fn security_log_recomputed_chain_is_detected(database: Database) {
    let world = World::with_sealed_events(database, 9).await;
    let head = rewrite(&world).await;
    assert_eq!(world.finds().await, [LogDefect::HeadDiffers]);
    // The head is replaced too, signed by another key under our `kid`.
    let forger = SigningKey::generate(SigningAlgorithm::EdDsa).unwrap();
    let signature = forger.sign(&head.signed_bytes(world.log.instance_id())).unwrap();
    let (hash, signature) = (world.database.bytes(head.hash.as_bytes()), world.database.bytes(&signature));
    world.database.run(&format!("UPDATE log_head SET hash = {hash}, signature = {signature}")).await;
    assert_eq!(world.finds().await, [LogDefect::HeadForged]);
    // A sealer does not sign further events after it.
    world.happens().await;
    assert!(matches!(world.seal().await, Err(SecurityLogError::Tampered(_))));
    assert_eq!(world.finds().await, [LogDefect::HeadForged]);
}

async fn security_log_head_signed_by_a_foreign_key_is_rejected(database: Database) {
    let world = World::with_sealed_events(database, 9).await;
    let head = rewrite(&world).await;
    let forger = SigningKey::generate(SigningAlgorithm::EdDsa).unwrap();
    let signature = forger.sign(&head.signed_bytes(world.log.instance_id())).unwrap();
    let (hash, signature, kid) =
        (world.database.bytes(head.hash.as_bytes()), world.database.bytes(&signature), forger.kid());
    let jwk = forger.public_jwk().to_string();
    let context = EncryptionContext::new(EncryptionPurpose::SigningKey, kid);
    let ciphertext = instance_keys(2).encrypt(&context, &forger.to_pkcs8().unwrap(), &world.entropy).unwrap();
    let ciphertext_literal = world.database.bytes(&ciphertext);
    world
        .database
        .run(&format!("UPDATE log_head SET hash = {hash}, signature = {signature}, kid = '{kid}'"))
        .await;
    // Next to our key, then under our `kid`, then alone.
    let insert = format!(
        "INSERT INTO signing_keys (kid, purpose, algorithm, public_jwk, sealed_private, created_at, \
         published_at, signs_from, signs_until) VALUES ('{kid}', 'log', 'EdDSA', '{jwk}', {ciphertext_literal}, 1, 1, 1, 2)"
    );
    world.database.run(&insert).await;
    let unknown = vec![LogDefect::HeadKeyUnknown { kid: kid.to_owned() }];
    let log = world.reopened().await.unwrap();
    assert_eq!(verify(&log, &[], world.now()).await.0, unknown);
    let ours = world.database.number("SELECT count(*) FROM signing_keys WHERE purpose = 'log'").await;
    assert_eq!(ours, 2);
    // Our own encrypted key under the forger's `kid` cannot be decrypted.
    world.database.run(&format!("DELETE FROM signing_keys WHERE kid = '{kid}'")).await;
    world.database.run(&format!("UPDATE signing_keys SET kid = '{kid}' WHERE purpose = 'log'")).await;
    let log = world.reopened().await.unwrap();
    assert_eq!(verify(&log, &[], world.now()).await.0, unknown);
    // Without any of our keys the chain is still verified, and a server does not start.
    world.database.run("DELETE FROM signing_keys").await;
    let log = world.reopened().await.unwrap();
    assert_eq!(verify(&log, &[], world.now()).await.0, unknown);
    let started = SecurityLog::open_or_create(&world.store, &world.keys, world.now(), &world.entropy).await;
    assert!(matches!(started, Err(SecurityLogError::Tampered(finding)) if finding.defect == unknown[0]));
    world.database.run(&insert).await;
    assert!(matches!(world.reopened().await, Err(SecurityLogError::KeyNotDecryptable(_))));
}

async fn security_log_rollback_is_detected_by_a_noted_head(database: Database) {
    let world = World::with_sealed_events(database, 9).await;
    for table in ["security_log", "log_chain", "log_head"] {
        world.database.run(&format!("CREATE TABLE saved_{table} AS SELECT * FROM {table}")).await;
    }
    let mut sealer = LogSealer::new(world.log.clone());
    for _ in 0..5 {
        world.happens().await;
    }
    assert_eq!(sealer.seal_pending(world.now()).await.unwrap().sealed_events, 5);
    let noted = world.log.signed_head().await.unwrap().to_head().anchor();
    let (findings, verification) = world.verify_with(&[noted]).await;
    assert_eq!((findings, verification.tally.anchors), (vec![], 1));
    world.database.disarm().await;
    for table in ["security_log", "log_chain", "log_head"] {
        world.database.run(&format!("DELETE FROM {table}")).await;
        world.database.run(&format!("INSERT INTO {table} SELECT * FROM saved_{table}")).await;
    }
    // All remaining data is genuine, so only the recorded head shows that there was more.
    assert_eq!(world.finds().await, []);
    assert_eq!(world.verify_with(&[noted]).await.0, [LogDefect::AnchorMissing(noted)]);
    // A server that saw the later head does not continue after this one.
    world.happens().await;
    let refused = sealer.seal_pending(world.now()).await.unwrap_err();
    let expected = LogFinding::for_log(LogDefect::AnchorMissing(noted));
    assert!(matches!(refused, SecurityLogError::Tampered(finding) if *finding == expected));
    // After a restart it does, and the rewritten part then differs from the recorded head.
    for _ in 0..5 {
        world.happens().await;
    }
    world.seal().await.unwrap();
    assert_eq!(world.verify_with(&[noted]).await.0, [LogDefect::AnchorDiffers(noted)]);
}
