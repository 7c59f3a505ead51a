//! Attempts are counted before they are checked, and time steps and codes work once.

use super::{Database, Scene};
use crate::WriteBatch;
use crate::contract::both_engines;
use crate::contract::probe::NOW;
use crate::sign_in::attempt_counters;
use crate::sign_in::attempt_counters::{AttemptCounterKey, AttemptCounterRow};
use crate::sign_in::credentials;
use crate::sign_in::credentials::magic_links;
use crate::sign_in::credentials::magic_links::NewMagicLink;
use crate::sign_in::credentials::one_time_codes;
use crate::sign_in::credentials::one_time_codes::{NewOneTimeCode, OneTimeCodeKey};
use crate::sign_in::credentials::recovery_codes;
use crate::sign_in::credentials::{NewCredential, StoredCredentialKind};
use crate::sign_in::flows;
use sinete_core::id::CredentialId;
use sinete_core::secret::Digest;
use sinete_core::time::Lifetime;
use std::sync::Arc;
use tokio::sync::Barrier;

both_engines!(
    one_time_code_attempts_made_concurrently_are_all_counted,
    one_time_code_is_accepted_only_for_its_purpose_and_flow,
    totp_step_is_accepted_once_and_never_backwards,
    recovery_code_works_while_its_set_is_active,
    magic_link_works_for_its_purpose_while_its_flow_is_open,
    failed_attempts_made_concurrently_are_all_counted
);

async fn one_time_code_attempts_made_concurrently_are_all_counted(database: Database) {
    let scene = Scene::set(database).await;
    let (flow, _) = scene.flow().await;
    let code_key = OneTimeCodeKey { flow, purpose: "sign_in" };
    let code = NewOneTimeCode {
        key: code_key,
        digest: &Digest::from_bytes([1; 32]),
        attempts_max: 5,
        created_at: NOW,
        expires_at: scene.world.expires_at,
    };
    scene.happens([one_time_codes::store_one_time_code(&code)]).await;
    let line = Arc::new(Barrier::new(16));
    let guessers: Vec<_> = (0..16)
        .map(|_| {
            let (store, line) = (scene.store.clone(), line.clone());
            tokio::spawn(async move {
                line.wait().await;
                // Each reads, counts and reads again until an attempt is theirs or none is left.
                loop {
                    let code = one_time_codes::find_one_time_code(&store, code_key).await.unwrap().unwrap();
                    if code.attempts >= code.attempts_max {
                        return 0;
                    }
                    let paid = WriteBatch::new().with_statement(one_time_codes::record_code_attempt(
                        code_key,
                        code.attempts,
                        NOW,
                    ));
                    if store.commit(paid).await.unwrap().is_committed() {
                        return 1;
                    }
                }
            })
        })
        .collect();
    let mut paid = 0;
    for guesser in guessers {
        paid += guesser.await.unwrap();
    }
    assert_eq!(paid, 5);
    scene.is_refused([one_time_codes::record_code_attempt(code_key, 5, NOW)], "one_time_codes.attempt").await;
    // A new code resets the attempts.
    scene.happens([one_time_codes::store_one_time_code(&code)]).await;
    scene.happens([one_time_codes::record_code_attempt(code_key, 0, NOW)]).await;
}

async fn one_time_code_is_accepted_only_for_its_purpose_and_flow(database: Database) {
    let scene = Scene::set(database).await;
    let ((flow, _), (elsewhere, _)) = (scene.flow().await, scene.flow().await);
    let (correct_digest, wrong) = (Digest::from_bytes([1; 32]), Digest::from_bytes([2; 32]));
    let code_key = OneTimeCodeKey { flow, purpose: "sign_in" };
    let code = NewOneTimeCode {
        key: code_key,
        digest: &correct_digest,
        attempts_max: 5,
        created_at: NOW,
        expires_at: scene.world.expires_at,
    };
    scene.happens([one_time_codes::store_one_time_code(&code)]).await;
    let refused = "one_time_codes.spend";
    // The attempt was not counted yet.
    scene.is_refused([one_time_codes::redeem_one_time_code(code_key, &correct_digest, NOW)], refused).await;
    scene.happens([one_time_codes::record_code_attempt(code_key, 0, NOW)]).await;
    for (code_key, digest) in [
        (code_key, wrong),
        (OneTimeCodeKey { purpose: "reset_password", ..code_key }, correct_digest),
        (OneTimeCodeKey { flow: elsewhere, ..code_key }, correct_digest),
    ] {
        scene.is_refused([one_time_codes::redeem_one_time_code(code_key, &digest, NOW)], refused).await;
    }
    scene
        .is_refused(
            [one_time_codes::redeem_one_time_code(code_key, &correct_digest, scene.world.expires_at)],
            refused,
        )
        .await;
    scene.happens([one_time_codes::redeem_one_time_code(code_key, &correct_digest, NOW)]).await;
    scene.is_refused([one_time_codes::record_code_attempt(code_key, 1, NOW)], "one_time_codes.attempt").await;
    let one_time_code = one_time_codes::find_one_time_code(&scene.store, code_key).await.unwrap().unwrap();
    assert_eq!((one_time_code.attempts, one_time_code.spent_at), (1, Some(NOW)));
    // Codes of an ended flow are invalid.
    scene
        .happens([
            one_time_codes::store_one_time_code(&code),
            one_time_codes::record_code_attempt(code_key, 0, NOW),
        ])
        .await;
    scene.happens([flows::finish_flow(flow, 1, NOW)]).await;
    scene.is_refused([one_time_codes::redeem_one_time_code(code_key, &correct_digest, NOW)], refused).await;
}

async fn add(scene: &Scene, kind: StoredCredentialKind, is_confirmed: bool) -> CredentialId {
    let id = scene.id();
    let credential = NewCredential {
        id,
        account: scene.world.account,
        kind,
        name: "mine",
        handle: None,
        material: &[1, 2],
        counter: 0,
        created_at: NOW,
        confirmed_at: is_confirmed.then_some(NOW),
    };
    scene.happens([credentials::add_credential(&credential)]).await;
    id
}

async fn totp_step_is_accepted_once_and_never_backwards(database: Database) {
    let scene = Scene::set(database).await;
    let seed = add(&scene, StoredCredentialKind::Totp, false).await;
    let refused = "credentials.accept_step";
    scene.is_refused([credentials::accept_totp_step(seed, 10, NOW)], refused).await;
    scene.happens([credentials::confirm_totp_step(seed, 10, NOW)]).await;
    scene.is_refused([credentials::confirm_totp_step(seed, 11, NOW)], "credentials.confirm_step").await;
    for step in [9, 10] {
        scene.is_refused([credentials::accept_totp_step(seed, step, NOW)], refused).await;
    }
    scene.happens([credentials::accept_totp_step(seed, 11, NOW)]).await;
    scene.is_refused([credentials::accept_totp_step(seed, 11, NOW)], refused).await;
    let [credential] =
        &credentials::list_account_credentials(&scene.store, scene.world.account).await.unwrap()[..]
    else {
        panic!("there is one credential");
    };
    assert_eq!((credential.id, credential.counter, credential.used_at), (seed, 11, Some(NOW)));
    scene.happens([credentials::disable_credential(credential, NOW)]).await;
    scene.is_refused([credentials::accept_totp_step(seed, 12, NOW)], refused).await;
    // It has changed since it was read.
    scene.is_refused([credentials::remove_credential(credential, NOW)], "credentials.remove").await;
}

async fn recovery_code_works_while_its_set_is_active(database: Database) {
    let scene = Scene::set(database).await;
    let (set, other) = (
        add(&scene, StoredCredentialKind::RecoveryCodes, true).await,
        add(&scene, StoredCredentialKind::RecoveryCodes, true).await,
    );
    let [first, second] = [1, 2].map(|byte| Digest::from_bytes([byte; 32]));
    scene
        .happens([
            recovery_codes::add_recovery_code(&first, set),
            recovery_codes::add_recovery_code(&second, set),
        ])
        .await;
    assert_eq!(recovery_codes::count_unused_codes(&scene.store, set).await, Ok(2));
    let refused = "recovery_codes.spend";
    scene.is_refused([recovery_codes::redeem_recovery_code(&first, other, NOW)], refused).await;
    scene.happens([recovery_codes::redeem_recovery_code(&first, set, NOW)]).await;
    scene.is_refused([recovery_codes::redeem_recovery_code(&first, set, NOW)], refused).await;
    assert_eq!(recovery_codes::count_unused_codes(&scene.store, set).await, Ok(1));
    let credentials = credentials::list_account_credentials(&scene.store, scene.world.account).await.unwrap();
    let in_use = credentials.iter().find(|it| it.id == set).unwrap();
    scene.happens([credentials::remove_credential(in_use, NOW)]).await;
    scene.is_refused([recovery_codes::redeem_recovery_code(&second, set, NOW)], refused).await;
}

async fn magic_link_works_for_its_purpose_while_its_flow_is_open(database: Database) {
    let scene = Scene::set(database).await;
    let (flow, _) = scene.flow().await;
    let (digest, later_one) = (scene.secret(), scene.secret());
    for digest in [&digest, &later_one] {
        let link = NewMagicLink {
            digest,
            flow,
            purpose: "sign_in",
            created_at: NOW,
            expires_at: scene.world.expires_at,
        };
        scene.happens([magic_links::issue_magic_link(&link)]).await;
    }
    let refused = "magic_links.spend";
    scene.is_refused([magic_links::consume_magic_link(&digest, "reset_password", NOW)], refused).await;
    scene.happens([magic_links::consume_magic_link(&digest, "sign_in", NOW)]).await;
    scene.is_refused([magic_links::consume_magic_link(&digest, "sign_in", NOW)], refused).await;
    let link = magic_links::find_magic_link(&scene.store, &digest).await.unwrap().unwrap();
    assert_eq!((link.flow, link.spent_at), (flow, Some(NOW)));
    scene.happens([flows::finish_flow(flow, 1, NOW)]).await;
    scene.is_refused([magic_links::consume_magic_link(&later_one, "sign_in", NOW)], refused).await;
}

async fn failed_attempts_made_concurrently_are_all_counted(database: Database) {
    let scene = Scene::set(database).await;
    let line = Arc::new(Barrier::new(16));
    let failing: Vec<_> = (0..16)
        .map(|_| {
            let (store, line) = (scene.store.clone(), line.clone());
            tokio::spawn(async move {
                let key = AttemptCounterKey { subject: "account 1", factor: "password" };
                line.wait().await;
                loop {
                    let before = attempt_counters::find_attempt_counter(&store, key).await.unwrap();
                    let count = before.map_or(1, |before| before.count + 1);
                    let blocked_until = NOW.plus(Lifetime::from_seconds(1));
                    let after = AttemptCounterRow { count, since: NOW, blocked_until };
                    let statement = attempt_counters::advance_attempt_counter(key, before.as_ref(), &after);
                    if store.commit(WriteBatch::new().with_statement(statement)).await.unwrap().is_committed()
                    {
                        return;
                    }
                }
            })
        })
        .collect();
    for failing in failing {
        failing.await.unwrap();
    }
    let key = AttemptCounterKey { subject: "account 1", factor: "password" };
    assert_eq!(attempt_counters::find_attempt_counter(&scene.store, key).await.unwrap().unwrap().count, 16);
    let other = AttemptCounterKey { factor: "totp", ..key };
    assert_eq!(attempt_counters::find_attempt_counter(&scene.store, other).await, Ok(None));
    scene.happens([attempt_counters::clear_attempt_counter(key)]).await;
    assert_eq!(attempt_counters::find_attempt_counter(&scene.store, key).await, Ok(None));
}
