//! Stored secrets cannot be read without the instance key, and that key can be replaced.

use crate::both_engines;
use crate::database::Database;
use crate::fixture::{START, World, document, instance_keys, published, signer};
use sinete_core::entropy::DangerouslySeededEntropy;
use sinete_core::id::{
    AccountId, ApprovalRequestId, ConnectionId, CredentialId, MessageId, OrganizationId, WebhookId,
};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose};
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_engine::platform::instance_key;
use sinete_engine::platform::instance_key::{ReencryptionTally, WrongInstanceKey};
use sinete_engine::platform::signing_keys as engine_signing_keys;
use sinete_engine::platform::signing_keys::KeyProblem;
use sinete_engine::{Engine, EngineStartError, EventCause, InstanceMode};
use sinete_store::platform::encrypted_columns;
use sinete_store::platform::encrypted_columns::EncryptedColumn;
use sinete_store::platform::signing_keys;

both_engines!(
    stored_private_key_is_unreadable_without_the_instance_key,
    instance_key_mismatch_is_detected_at_start,
    instance_is_initialized_once_by_nodes_that_start_together,
    signing_key_inserted_into_the_database_directly_is_ignored,
    reencryption_covers_all_encrypted_values_and_frees_the_old_key,
    reencryption_resumes_after_an_interruption,
    reencryption_leaves_and_reports_values_that_do_not_decrypt
);

async fn stored_private_key_is_unreadable_without_the_instance_key(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    for algorithm in SigningAlgorithm::ALL {
        let kid = engine_signing_keys::generate(&engine, algorithm, &EventCause::system()).await.unwrap().kid;
        let row = signing_keys::find_signing_key(&world.store, &kid).await.unwrap().unwrap();
        let ring = engine.key_ring();
        let key = ring.signing_key(algorithm, world.now()).unwrap();
        let private = key.to_pkcs8().unwrap();
        // No part of the private key is stored in plain text, and the public JWK contains nothing private.
        let stored = [&row.sealed_private[..], row.public_jwk.as_bytes()].concat();
        for stretch in private[30..].chunks_exact(8) {
            let public = row.public_jwk.as_bytes().windows(8).any(|window| window == stretch);
            assert!(public || !stored.windows(8).any(|window| window == stretch), "{algorithm}");
        }
        let jwk: serde_json::Value = serde_json::from_str(&row.public_jwk).unwrap();
        assert!(jwk.get("d").is_none() && jwk["kid"] == kid);
        let context = EncryptionContext::new(EncryptionPurpose::SigningKey, &kid);
        assert!(instance_keys(2, &[3]).decrypt(&context, &row.sealed_private).is_err());
        assert_eq!(*instance_keys(1, &[]).decrypt(&context, &row.sealed_private).unwrap(), *private);
    }
}

async fn instance_key_mismatch_is_detected_at_start(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let sealed_with = engine.instance_keys().current().id();
    let refused =
        world.start(InstanceMode::Production, instance_keys(2, &[3]), Vec::new()).await.unwrap_err();
    let configured = instance_keys(2, &[]).current().id();
    let EngineStartError::WrongInstanceKey(wrong) = refused else { panic!("{refused}") };
    assert_eq!(wrong, WrongInstanceKey::DifferentKey { sealed_with, configured });
    let sentence = wrong.to_string();
    assert!(sentence.contains(&sealed_with.to_string()) && !sentence.contains('\n'), "{sentence}");
    // With the right key among the previous ones it starts.
    assert!(world.start(InstanceMode::Production, instance_keys(2, &[1]), Vec::new()).await.is_ok());

    let other = world.database.bytes(&[1; 50]);
    world.database.run(&format!("UPDATE instance SET key_check = {other}")).await;
    assert!(world.start(InstanceMode::Production, instance_keys(1, &[]), Vec::new()).await.is_err());
}

async fn instance_is_initialized_once_by_nodes_that_start_together(database: Database) {
    let world = World::new(database).await;
    let starts = (0..8).map(|_| world.start(InstanceMode::Production, instance_keys(1, &[]), Vec::new()));
    let mut ids = Vec::new();
    for engine in futures_of(starts).await {
        ids.push(engine.unwrap().instance_id());
    }
    ids.dedup();
    assert_eq!((ids.len(), world.events().await), (1, vec!["instance.created".to_owned()]));
}

/// Runs all futures concurrently.
async fn futures_of<F: Future>(futures: impl IntoIterator<Item = F>) -> Vec<F::Output> {
    let mut pending_futures: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(move |context| {
        for (future, output) in &mut pending_futures {
            if output.is_none()
                && let std::task::Poll::Ready(ready) = future.as_mut().poll(context)
            {
                *output = Some(ready);
            }
        }
        if pending_futures.iter().any(|(_, output)| output.is_none()) {
            return std::task::Poll::Pending;
        }
        std::task::Poll::Ready(pending_futures.iter_mut().filter_map(|(_, output)| output.take()).collect())
    })
    .await
}

async fn signing_key_inserted_into_the_database_directly_is_ignored(database: Database) {
    let world = World::new(database).await;
    let engine = world.node().await;
    let real =
        engine_signing_keys::generate(&engine, SigningAlgorithm::Es256, &EventCause::system()).await.unwrap();
    // An attacker with write access, who knows one encrypted value, adds a row for a key of their own.
    let theirs = SigningKey::generate(SigningAlgorithm::Es256).unwrap();
    let copied =
        signing_keys::find_signing_key(&world.store, &real.kid).await.unwrap().unwrap().sealed_private;
    for (kid, ciphertext) in [(theirs.kid(), copied.clone()), ("made-up", vec![1; 80]), ("empty", Vec::new())]
    {
        let (ciphertext_literal, jwk) = (world.database.bytes(&ciphertext), theirs.public_jwk());
        world
            .database
            .run(&format!(
                "INSERT INTO signing_keys (kid, purpose, algorithm, public_jwk, sealed_private, created_at, \
                 published_at, signs_from, signs_until) VALUES \
                 ('{kid}', 'tokens', 'ES256', '{jwk}', {ciphertext_literal}, 1, 1, 1, 9000000000000000)"
            ))
            .await;
    }
    for engine in [engine.clone(), world.node().await] {
        engine_signing_keys::reload_keys(&engine).await.unwrap();
        assert_eq!(
            (published(&engine), signer(&engine, SigningAlgorithm::Es256)),
            (vec![real.kid.clone()], real.kid.clone())
        );
        let problems = engine_signing_keys::find_problems(&engine).await.unwrap();
        let unusable =
            problems.iter().filter(|problem| matches!(problem, KeyProblem::Unusable { .. })).count();
        assert_eq!(unusable, 3, "{problems:?}");
    }
    // Two stored keys with swapped private keys cannot be decrypted either.
    engine_signing_keys::generate(&engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    let copied = world.database.bytes(&copied);
    world
        .database
        .run(&format!("UPDATE signing_keys SET sealed_private = {copied} WHERE algorithm = 'EdDSA'"))
        .await;
    assert_eq!(document(&world.node().await).len(), 1);
}

/// Stores one of each encrypted value, and this many messages.
async fn fill(world: &World, engine: &Engine, messages: usize) {
    engine_signing_keys::generate(engine, SigningAlgorithm::Es256, &EventCause::system()).await.unwrap();
    engine_signing_keys::generate(engine, SigningAlgorithm::EdDsa, &EventCause::system()).await.unwrap();
    let entropy = DangerouslySeededEntropy::new(77);
    let hex = |bytes: &[u8]| world.database.bytes(bytes);
    let seal = |purpose, id: &[u8; 16]| {
        hex(&engine
            .instance_keys()
            .encrypt(&EncryptionContext::new(purpose, id), b"a secret", &entropy)
            .unwrap())
    };
    let account = AccountId::mint(START, &entropy);
    let credential = CredentialId::mint(START, &entropy);
    let webhook = WebhookId::mint(START, &entropy);
    let request = ApprovalRequestId::mint(START, &entropy);
    let (organization, connection) =
        (OrganizationId::mint(START, &entropy), ConnectionId::mint(START, &entropy));
    let mut sql = format!(
        "INSERT INTO accounts (id, condition, created_at, condition_at) VALUES ({a}, 'enabled', 1, 1);\
         INSERT INTO credentials (id, account_id, kind, material, created_at) VALUES ({c}, {a}, 'totp', {m}, 1);\
         INSERT INTO webhooks (id, address, sealed_secret, sealed_previous_secret, next_attempt_at, created_at) \
         VALUES ({w}, 'x', {s}, {s}, 1, 1);\
         INSERT INTO organizations (id, slug, name, kind, condition, created_at, condition_at) \
         VALUES ({o}, 'acme', 'Acme', 'customer', 'enabled', 1, 1);\
         INSERT INTO connections (id, organization_id, issuer, chosen, sealed_secret, created_at) \
         VALUES ({k}, {o}, 'x', '{{}}', {p}, 1);\
         INSERT INTO clients (id, kind, name, scope, metadata, condition, created_at, condition_at) \
         VALUES ('agent', 'agent', 'Agent', '', '{{}}', 'enabled', 1, 1);\
         INSERT INTO approval_requests (digest, id, client_id, asked_of, request, sealed_notice, poll_interval, \
         created_at, expires_at) VALUES ({q}, {q}, 'agent', {q}, '{{}}', {n}, 1, 1, 9);",
        a = hex(account.as_bytes()),
        c = hex(credential.as_bytes()),
        m = seal(EncryptionPurpose::TotpSeed, credential.as_bytes()),
        w = hex(webhook.as_bytes()),
        s = seal(EncryptionPurpose::WebhookSecret, webhook.as_bytes()),
        o = hex(organization.as_bytes()),
        k = hex(connection.as_bytes()),
        p = seal(EncryptionPurpose::ConnectionSecret, connection.as_bytes()),
        q = hex(request.as_bytes()),
        n = seal(EncryptionPurpose::CibaNotificationToken, request.as_bytes()),
    );
    for _ in 0..messages {
        let id = MessageId::mint(START, &entropy);
        let (ciphertext, id) = (seal(EncryptionPurpose::Message, id.as_bytes()), hex(id.as_bytes()));
        sql += &format!(
            "INSERT INTO outbox (id, channel, sealed_message, created_at, expires_at, next_attempt_at) \
             VALUES ({id}, 'mail', {ciphertext}, 1, 9, 1);"
        );
    }
    world.database.run(&sql).await;
}

/// The number of secrets that are not encrypted with this engine's current key.
async fn behind(world: &World, engine: &Engine) -> usize {
    let mut count = 0;
    for column in EncryptedColumn::ALL {
        let mark = engine.instance_keys().current_key_prefix();
        count += encrypted_columns::list_stale_secrets(&world.store, column, &mark, None, 10_000)
            .await
            .unwrap()
            .len();
    }
    count
}

async fn reencryption_covers_all_encrypted_values_and_frees_the_old_key(database: Database) {
    let world = World::new(database).await;
    let first = world.node().await;
    fill(&world, &first, 3).await;
    let kid = signer(&first, SigningAlgorithm::Es256);

    let second = world.start(InstanceMode::Production, instance_keys(2, &[1]), Vec::new()).await.unwrap();
    assert_eq!((behind(&world, &first).await, behind(&world, &second).await), (0, 10));
    let mut progress_counts = Vec::new();
    let resealed = instance_key::reencrypt_secrets(&second, &EventCause::system(), |done_count| {
        progress_counts.push(done_count)
    })
    .await
    .unwrap();
    assert_eq!(
        (resealed, progress_counts.last()),
        (ReencryptionTally { secrets: 10, undecryptable: 0 }, Some(&10))
    );
    assert_eq!(behind(&world, &second).await, 0);
    // A second run finds nothing to do, and records no event.
    let second_tally = instance_key::reencrypt_secrets(&second, &EventCause::system(), |_| {}).await.unwrap();
    assert_eq!(second_tally, ReencryptionTally { secrets: 0, undecryptable: 0 });
    let rotated = world.events().await.iter().filter(|kind| *kind == "instance_key.rotated").count();
    assert_eq!(rotated, 1);

    let alone = world.start(InstanceMode::Production, instance_keys(2, &[]), Vec::new()).await.unwrap();
    assert_eq!(signer(&alone, SigningAlgorithm::Es256), kid);
    assert!(alone.key_ring().unusable_keys().is_empty());
    let old = world.start(InstanceMode::Production, instance_keys(1, &[]), Vec::new()).await;
    assert!(matches!(old, Err(EngineStartError::WrongInstanceKey(_))));
    for column in EncryptedColumn::ALL.into_iter().filter(|column| *column != EncryptedColumn::SigningKeys) {
        let purpose = match column {
            EncryptedColumn::TotpSeeds => EncryptionPurpose::TotpSeed,
            EncryptedColumn::Messages => EncryptionPurpose::Message,
            EncryptedColumn::WebhookSecrets | EncryptedColumn::PreviousWebhookSecrets => {
                EncryptionPurpose::WebhookSecret
            }
            EncryptedColumn::ConnectionSecrets => EncryptionPurpose::ConnectionSecret,
            EncryptedColumn::CibaNotifications => EncryptionPurpose::CibaNotificationToken,
            EncryptedColumn::SigningKeys => EncryptionPurpose::SigningKey,
        };
        for secret in
            encrypted_columns::list_stale_secrets(&world.store, column, b"none", None, 10).await.unwrap()
        {
            let context = EncryptionContext::new(purpose, secret.record.as_bytes());
            assert_eq!(&**alone.instance_keys().decrypt(&context, &secret.ciphertext).unwrap(), b"a secret");
        }
    }
}

async fn reencryption_resumes_after_an_interruption(database: Database) {
    let world = World::new(database).await;
    fill(&world, &world.node().await, 250).await;
    let engine = world.start(InstanceMode::Production, instance_keys(2, &[1]), Vec::new()).await.unwrap();
    let all = behind(&world, &engine).await;
    assert_eq!(all, 257);
    // The task ends in the middle of the work, at the first progress report after 100 secrets.
    let interrupted = {
        let engine = engine.clone();
        tokio::spawn(async move {
            let progress = |count: u64| {
                if count > 100 {
                    std::panic::resume_unwind(Box::new("interrupted"));
                }
            };
            instance_key::reencrypt_secrets(&engine, &EventCause::system(), progress).await
        })
    };
    assert!(interrupted.await.unwrap_err().is_panic());
    let remaining_count = behind(&world, &engine).await;
    assert!(0 < remaining_count && remaining_count < all, "{remaining_count} of {all}");
    // The instance itself has not changed to the new key: without the old one nothing starts, and nothing is
    // lost.
    let hasty = world.start(InstanceMode::Production, instance_keys(2, &[]), Vec::new()).await;
    assert!(matches!(hasty, Err(EngineStartError::WrongInstanceKey(_))));
    assert!(!world.events().await.contains(&"instance_key.rotated".to_owned()));

    let engine = world.start(InstanceMode::Production, instance_keys(2, &[1]), Vec::new()).await.unwrap();
    let resealed = instance_key::reencrypt_secrets(&engine, &EventCause::system(), |_| {}).await.unwrap();
    assert_eq!((resealed.undecryptable, behind(&world, &engine).await), (0, 0));
    assert!(resealed.secrets <= remaining_count as u64);
    assert!(world.start(InstanceMode::Production, instance_keys(2, &[]), Vec::new()).await.is_ok());
}

async fn reencryption_leaves_and_reports_values_that_do_not_decrypt(database: Database) {
    let world = World::new(database).await;
    fill(&world, &world.node().await, 1).await;
    let garbage = world.database.bytes(&[9; 60]);
    world.database.run(&format!("UPDATE outbox SET sealed_message = {garbage}")).await;
    let engine = world.start(InstanceMode::Production, instance_keys(2, &[1]), Vec::new()).await.unwrap();
    let resealed = instance_key::reencrypt_secrets(&engine, &EventCause::system(), |_| {}).await.unwrap();
    assert_eq!(resealed, ReencryptionTally { secrets: 7, undecryptable: 1 });
    // The old key still counts as needed, so it must be configured at the next start.
    let hasty = world.start(InstanceMode::Production, instance_keys(2, &[]), Vec::new()).await;
    assert!(matches!(hasty, Err(EngineStartError::WrongInstanceKey(_))));
}
