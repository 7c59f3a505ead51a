//! The instance key: detection of a wrong key, and re-encryption with a new one.

use crate::EngineStartError;
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

/// The number of secrets re-encrypted in one transaction.
const BATCH: u32 = 100;

/// The plaintext of the check value. It is not secret: only whether it can be decrypted matters.
const KEY_CHECK_PLAINTEXT: &[u8] = b"sinete";

/// The configured instance key is not the one of this database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongInstanceKey {
    /// The database uses another key.
    #[error(
        "the instance key is the wrong one: this database was encrypted with {sealed_with}, and the \
         configured key is {configured}"
    )]
    DifferentKey {
        /// The key of the database.
        sealed_with: InstanceKeyId,
        /// The configured key.
        configured: InstanceKeyId,
    },
    /// The check value was altered.
    #[error("the value by which the instance key is checked was altered: restore the database from a backup")]
    AlteredCheck,
}

/// The result of a re-encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReencryptionTally {
    /// The number of re-encrypted secrets.
    pub secrets: u64,
    /// The number of secrets that no configured key decrypts; they are unchanged.
    pub undecryptable: u64,
}

/// Loads the instance, or creates it in a new database.
pub(crate) async fn establish_instance(
    store: &Store,
    keys: &InstanceKeyRing,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Result<InstanceId, EngineStartError> {
    if let Some(instance) = instance::find_instance(store).await? {
        return Ok(check_instance_key(&instance, keys)?);
    }
    let id = InstanceId::mint(now, entropy);
    let key_check = keys.encrypt(&key_check_context(&id), KEY_CHECK_PLAINTEXT, entropy)?;
    let event = SecurityEvent::new(EventKind::InstanceCreated, SecurityEventActor::System, now, entropy)
        .with_subject("instance", id);
    let batch =
        WriteBatch::new().with_statement(instance::create_instance(id, now, &key_check)).with_event(&event);
    if store.commit(batch).await?.is_committed() {
        return Ok(id);
    }
    // Another node created it concurrently; its key must be ours.
    let instance = instance::find_instance(store).await?.ok_or(Failure::Contended)?;
    Ok(check_instance_key(&instance, keys)?)
}

fn check_instance_key(
    instance: &instance::InstanceRow,
    keys: &InstanceKeyRing,
) -> Result<InstanceId, WrongInstanceKey> {
    match keys.decrypt(&key_check_context(&instance.id), &instance.key_check) {
        Ok(checked) if **checked == *KEY_CHECK_PLAINTEXT => Ok(instance.id),
        Err(DecryptionError::UnknownKey(sealed_with)) => {
            Err(WrongInstanceKey::DifferentKey { sealed_with, configured: keys.current().id() })
        }
        Ok(_) | Err(DecryptionError::UnknownFormat | DecryptionError::Altered) => {
            Err(WrongInstanceKey::AlteredCheck)
        }
    }
}

fn key_check_context(id: &InstanceId) -> EncryptionContext<'_> {
    EncryptionContext::new(EncryptionPurpose::InstanceCheck, id.as_bytes())
}

/// Re-encrypts all stored secrets with the current instance key in batches, reporting progress after each. It
/// can be interrupted and repeated. Only when no secret uses a previous key does the instance itself change
/// to the current key, and the previous key can be removed.
///
/// All nodes must already run with the current key; otherwise they continue to encrypt with the previous one.
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
            let secrets = encrypted_columns::list_stale_secrets(
                engine.store(),
                column,
                &current,
                after.as_ref(),
                BATCH,
            )
            .await?;
            let Some(last) = secrets.last() else { break };
            after = Some(last.record.clone());
            let (reencrypted_count, unopened) = reencrypt_batch(engine, column, &secrets).await?;
            result.secrets += reencrypted_count;
            result.undecryptable += unopened;
            progress(result.secrets);
        }
    }
    if result.undecryptable == 0 {
        finish_reencryption(engine, cause, result.secrets).await?;
    }
    Ok(result)
}

/// Re-encrypts a batch in one transaction, or one by one if one of them changes concurrently.
async fn reencrypt_batch(
    engine: &Engine,
    column: EncryptedColumn,
    secrets: &[EncryptedSecret],
) -> Result<(u64, u64), Failure> {
    let mut steps = Vec::with_capacity(secrets.len());
    let mut unopened = 0;
    for secret in secrets {
        match reencrypt_secret(engine, column, secret)? {
            Some(encrypted_secret) => steps.push((secret, encrypted_secret)),
            None => unopened += 1,
        }
    }
    let batch = steps.iter().fold(WriteBatch::new(), |batch, (secret, encrypted_secret)| {
        batch.with_statement(encrypted_columns::replace_encrypted_secret(column, secret, encrypted_secret))
    });
    let mut reencrypted_count = steps.len() as u64;
    if !engine.store().commit(batch).await?.is_committed() {
        reencrypted_count = 0;
        for (secret, encrypted_secret) in &steps {
            // A secret that was changed meanwhile uses the current key, or is found by the next run.
            let batch = WriteBatch::new().with_statement(encrypted_columns::replace_encrypted_secret(
                column,
                secret,
                encrypted_secret,
            ));
            reencrypted_count += u64::from(engine.store().commit(batch).await?.is_committed());
        }
    }
    Ok((reencrypted_count, unopened))
}

/// Re-encrypts a secret; `None` if it cannot be decrypted.
fn reencrypt_secret(
    engine: &Engine,
    column: EncryptedColumn,
    secret: &EncryptedSecret,
) -> Result<Option<Vec<u8>>, Failure> {
    let keys = engine.instance_keys();
    let context = EncryptionContext::new(column_purpose(column), secret.record.as_bytes());
    match keys.decrypt(&context, &secret.ciphertext) {
        Ok(opened) => Ok(Some(keys.encrypt(&context, &opened, engine.entropy())?)),
        Err(reason) => {
            tracing::error!(column = ?column, reason = %reason, "a stored secret cannot be decrypted");
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
        EncryptedColumn::CibaNotifications => EncryptionPurpose::CibaNotificationToken,
    }
}

/// Changes the instance to the current key, if it has not changed yet.
async fn finish_reencryption(engine: &Engine, cause: &EventCause, secrets: u64) -> Result<(), Failure> {
    let keys = engine.instance_keys();
    for _ in 0..ATTEMPTS_MAX {
        let instance = instance::find_instance(engine.store()).await?.ok_or(Failure::Contended)?;
        if !keys.needs_reencryption(&instance.key_check) {
            return Ok(());
        }
        let key_check =
            keys.encrypt(&key_check_context(&instance.id), KEY_CHECK_PLAINTEXT, engine.entropy())?;
        let event = engine
            .event(EventKind::InstanceKeyRotated, cause, engine.now())
            .with_subject("instance", instance.id)
            .with_detail("instance_key", keys.current().id().to_string())
            .with_detail("secrets", secrets);
        let batch = WriteBatch::new()
            .with_statement(instance::replace_key_check(&instance, &key_check))
            .with_event(&event);
        if engine.store().commit(batch).await?.is_committed() {
            return Ok(());
        }
    }
    Err(Failure::Contended)
}
