//! The key that seals stored secrets: noticing a wrong one, and replacing one.

use crate::{ATTEMPTS_MAX, Engine, EventCause, Failure};
use sinete_core::entropy::Entropy;
use sinete_core::events::security_event::{EventKind, SecurityEvent, SecurityEventActor};
use sinete_core::id::InstanceId;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::encryption::{
    DecryptionError, EncryptionContext, EncryptionPurpose, InstanceKeyId, InstanceKeyRing,
};
use sinete_store::platform::encrypted_columns::{EncryptedColumn, EncryptedSecret};
use sinete_store::platform::{encrypted_columns, instance};
use sinete_store::{Store, WriteBatch};

/// How many secrets are sealed anew in one act.
const BATCH: u32 = 100;

/// What is sealed to notice a wrong key. It is no secret: everything is in whether it opens.
const KEY_CHECK_PLAINTEXT: &[u8] = b"sinete";

/// The configured instance key is not the one this database was sealed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongInstanceKey {
    /// Another key sealed it.
    #[error(
        "the instance key is the wrong one: this database was sealed with {sealed_with}, and the configured key is {configured}"
    )]
    DifferentKey {
        /// The key it was sealed with.
        sealed_with: InstanceKeyId,
        /// The key that is configured.
        configured: InstanceKeyId,
    },
    /// The value it is checked by was altered.
    #[error("the value by which the instance key is checked was altered: restore the database from a backup")]
    AlteredCheck,
}

/// What sealing everything anew came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReencryptionTally {
    /// How many secrets were sealed anew.
    pub secrets: u64,
    /// How many do not open with any configured key, and were left as they are.
    pub undecryptable: u64,
}

/// The instance's id, with a new one made where the database was never set up.
pub(crate) async fn establish_instance(
    store: &Store,
    keys: &InstanceKeyRing,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Result<Result<InstanceId, WrongInstanceKey>, Failure> {
    if let Some(found) = instance::find_instance(store).await? {
        return Ok(check_instance_key(&found, keys));
    }
    let id = InstanceId::mint(now, entropy);
    let key_check = keys.encrypt(&instance_key_place(&id), KEY_CHECK_PLAINTEXT, entropy)?;
    let event = SecurityEvent::new(EventKind::InstanceCreated, SecurityEventActor::System, now, entropy)
        .with_subject("instance", id);
    let act =
        WriteBatch::new().with_statement(instance::create_instance(id, now, &key_check)).with_event(&event);
    if store.commit(act).await?.is_ok() {
        return Ok(Ok(id));
    }
    // Another node set it up in the same moment; its key must be ours.
    let found = instance::find_instance(store).await?.ok_or(Failure::Contended)?;
    Ok(check_instance_key(&found, keys))
}

fn check_instance_key(
    found: &instance::InstanceRow,
    keys: &InstanceKeyRing,
) -> Result<InstanceId, WrongInstanceKey> {
    match keys.decrypt(&instance_key_place(&found.id), &found.key_check) {
        Ok(checked) if **checked == *KEY_CHECK_PLAINTEXT => Ok(found.id),
        Err(DecryptionError::UnknownKey(sealed_with)) => {
            Err(WrongInstanceKey::DifferentKey { sealed_with, configured: keys.current().id() })
        }
        Ok(_) | Err(DecryptionError::UnknownForm | DecryptionError::Altered) => {
            Err(WrongInstanceKey::AlteredCheck)
        }
    }
}

fn instance_key_place(id: &InstanceId) -> EncryptionContext<'_> {
    EncryptionContext::new(EncryptionPurpose::InstanceCheck, id.as_bytes())
}

/// Seals every stored secret anew with the current instance key, batch by batch, telling after each how many
/// were done. It can be stopped at any point and run again: what is done is not done twice. Only when nothing
/// is left under an earlier key does the instance itself move on, and the earlier key may go.
///
/// Every node must already run with the current key, or it goes on sealing with the earlier one.
pub async fn reencrypt_secrets(
    engine: &Engine,
    cause: &EventCause,
    mut progress: impl FnMut(u64) + Send,
) -> Result<ReencryptionTally, Failure> {
    let mut result = ReencryptionTally { secrets: 0, undecryptable: 0 };
    for column in EncryptedColumn::ALL {
        let mut after = None;
        loop {
            let current = engine.instance_keys().current_key_prefix();
            let found = encrypted_columns::list_stale_secrets(
                engine.store(),
                column,
                &current,
                after.as_ref(),
                BATCH,
            )
            .await?;
            let Some(last) = found.last() else { break };
            after = Some(last.record.clone());
            let (done, unopened) = reencrypt_batch(engine, column, &found).await?;
            result.secrets += done;
            result.undecryptable += unopened;
            progress(result.secrets);
        }
    }
    if result.undecryptable == 0 {
        finish_reencryption(engine, cause, result.secrets).await?;
    }
    Ok(result)
}

/// Seals what was found anew, all in one act, or one by one if somebody else is changing one of them.
async fn reencrypt_batch(
    engine: &Engine,
    column: EncryptedColumn,
    found: &[EncryptedSecret],
) -> Result<(u64, u64), Failure> {
    let mut steps = Vec::with_capacity(found.len());
    let mut unopened = 0;
    for secret in found {
        match reencrypt_secret(engine, column, secret)? {
            Some(sealed) => steps.push((secret, sealed)),
            None => unopened += 1,
        }
    }
    let act = steps.iter().fold(WriteBatch::new(), |act, (secret, sealed)| {
        act.with_statement(encrypted_columns::replace_encrypted_secret(column, secret, sealed))
    });
    let mut done = steps.len() as u64;
    if engine.store().commit(act).await?.is_err() {
        done = 0;
        for (secret, sealed) in &steps {
            // Whoever changed it since has sealed it with the current key, or it is found by the next run.
            let act = WriteBatch::new()
                .with_statement(encrypted_columns::replace_encrypted_secret(column, secret, sealed));
            done += u64::from(engine.store().commit(act).await?.is_ok());
        }
    }
    Ok((done, unopened))
}

/// The secret sealed with the current key; nothing if it does not open.
fn reencrypt_secret(
    engine: &Engine,
    column: EncryptedColumn,
    secret: &EncryptedSecret,
) -> Result<Option<Vec<u8>>, Failure> {
    let keys = engine.instance_keys();
    let place = EncryptionContext::new(column_purpose(column), secret.record.as_bytes());
    match keys.decrypt(&place, &secret.sealed) {
        Ok(opened) => Ok(Some(keys.encrypt(&place, &opened, engine.entropy())?)),
        Err(reason) => {
            tracing::error!(column = ?column, reason = %reason, "a stored secret does not open");
            Ok(None)
        }
    }
}

const fn column_purpose(column: EncryptedColumn) -> EncryptionPurpose {
    match column {
        EncryptedColumn::SigningKeys => EncryptionPurpose::SigningKey,
        EncryptedColumn::TotpSeeds => EncryptionPurpose::TotpSeed,
        EncryptedColumn::Messages => EncryptionPurpose::Message,
        EncryptedColumn::WebhookSecrets | EncryptedColumn::PreviousWebhookSecrets => {
            EncryptionPurpose::WebhookSecret
        }
        EncryptedColumn::ConnectionSecrets => EncryptionPurpose::ConnectionSecret,
        EncryptedColumn::ApprovalNotices => EncryptionPurpose::ApprovalNotice,
    }
}

/// Moves the instance itself to the current key, if it is not there yet.
async fn finish_reencryption(engine: &Engine, cause: &EventCause, secrets: u64) -> Result<(), Failure> {
    let keys = engine.instance_keys();
    for _ in 0..ATTEMPTS_MAX {
        let found = instance::find_instance(engine.store()).await?.ok_or(Failure::Contended)?;
        if !keys.needs_reencryption(&found.key_check) {
            return Ok(());
        }
        let key_check =
            keys.encrypt(&instance_key_place(&found.id), KEY_CHECK_PLAINTEXT, engine.entropy())?;
        let event = engine
            .event(EventKind::InstanceKeyRotated, cause, engine.now())
            .with_subject("instance", found.id)
            .with_detail("instance_key", keys.current().id().to_string())
            .with_detail("secrets", secrets);
        let act = WriteBatch::new()
            .with_statement(instance::replace_key_check(&found, &key_check))
            .with_event(&event);
        if engine.store().commit(act).await?.is_ok() {
            return Ok(());
        }
    }
    Err(Failure::Contended)
}
