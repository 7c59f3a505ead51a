//! Encryption of stored secrets under the instance key.
//!
//! An encrypted value is bound to its purpose and its record: moved to another row or column, it cannot be
//! decrypted. It names its key, so that the instance key can be rotated while the server runs: new values are
//! encrypted with the current key, and old ones are decrypted with the previous key until they are encrypted
//! again.
//!
//! Format: `version (1) ‖ key id (8) ‖ nonce (12) ‖ ciphertext ‖ tag (16)`, AES-256-GCM with a random nonce.
//! A key can encrypt about 2³² values before a nonce collision becomes likely enough to matter; an instance
//! encrypts a few per user.

pub use crate::platform::instance_key::{InstanceKey, InstanceKeyId, InvalidInstanceKey};

use aws_lc_rs::aead::{Aad, NONCE_LEN, Nonce};
use sinete_core::entropy::{Entropy, draw_bytes};
use zeroize::Zeroizing;

const VERSION: u8 = 1;
const KEY_ID_END: usize = 1 + InstanceKeyId::BYTES;
const NONCE_END: usize = KEY_ID_END + NONCE_LEN;
const TAG_BYTES: usize = 16;

/// The purpose of an encrypted value. The names are authenticated with the value and must never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EncryptionPurpose {
    /// A private signing key; its record is the `kid`.
    SigningKey,
    /// A TOTP secret; its record is the credential's id.
    TotpSeed,
    /// A message in the outbox; its record is the message's id.
    Message,
    /// A webhook secret; its record is the webhook's id.
    WebhookSecret,
    /// The client secret of a connection; its record is the connection's id.
    ConnectionSecret,
    /// The notification token of a CIBA client; its record is the id of the CIBA request.
    CibaNotificationToken,
    /// A response stored for an idempotency key; its record is the caller and the digest of the idempotency
    /// key.
    IdempotentResponse,
    /// A known value that detects a wrong instance key; its record is the instance's id.
    InstanceCheck,
}

impl EncryptionPurpose {
    const fn name(self) -> &'static str {
        match self {
            Self::SigningKey => "signing key",
            Self::TotpSeed => "totp seed",
            Self::Message => "message",
            Self::WebhookSecret => "webhook secret",
            Self::ConnectionSecret => "connection secret",
            Self::CibaNotificationToken => "approval notice",
            Self::IdempotentResponse => "repeated reply",
            Self::InstanceCheck => "instance check",
        }
    }
}

/// The context of an encrypted value: its purpose and its record.
#[derive(Clone, Copy, Debug)]
pub struct EncryptionContext<'a> {
    /// The purpose.
    pub purpose: EncryptionPurpose,
    /// The id of the record, as bytes.
    pub record: &'a [u8],
}

impl<'a> EncryptionContext<'a> {
    /// The context of a value with this purpose in the record with this id.
    pub fn new(purpose: EncryptionPurpose, record: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { purpose, record: record.as_ref() }
    }
}

/// The current instance key, and previous ones for decryption.
#[derive(Debug)]
pub struct InstanceKeyRing {
    current: InstanceKey,
    previous: Vec<InstanceKey>,
}

/// Why a value cannot be decrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecryptionError {
    /// It is not an encrypted value, or has the format of a newer version.
    #[error("the stored secret has an unknown format")]
    UnknownFormat,
    /// It was encrypted with an unknown key.
    #[error("the stored secret is encrypted with the instance key {0}, which is not configured")]
    UnknownKey(InstanceKeyId),
    /// It was altered, or belongs to another context.
    #[error("the stored secret was altered or belongs to another record")]
    Altered,
}

/// The library failed to encrypt. This happens only for values of many gigabytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the secret could not be encrypted")]
pub struct EncryptionError;

impl InstanceKeyRing {
    /// Creates a key ring from the current key and those it replaces.
    pub const fn new(current: InstanceKey, previous: Vec<InstanceKey>) -> Self {
        Self { current, previous }
    }

    /// Encrypts a secret for its context.
    pub fn encrypt(
        &self,
        encryption_context: &EncryptionContext<'_>,
        secret: &[u8],
        entropy: &dyn Entropy,
    ) -> Result<Vec<u8>, EncryptionError> {
        let nonce: [u8; NONCE_LEN] = draw_bytes(entropy);
        let mut ciphertext = Vec::with_capacity(NONCE_END + secret.len() + TAG_BYTES);
        ciphertext.push(VERSION);
        ciphertext.extend_from_slice(self.current.id().as_bytes());
        ciphertext.extend_from_slice(&nonce);
        let context = build_aad(&ciphertext[..KEY_ID_END], encryption_context);
        ciphertext.extend_from_slice(secret);
        let tag = self
            .current
            .cipher()
            .seal_in_place_separate_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(context),
                &mut ciphertext[NONCE_END..],
            )
            .map_err(|_| EncryptionError)?;
        ciphertext.extend_from_slice(tag.as_ref());
        Ok(ciphertext)
    }

    /// Decrypts a value in its context.
    pub fn decrypt(
        &self,
        encryption_context: &EncryptionContext<'_>,
        ciphertext: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, DecryptionError> {
        let id = key_id(ciphertext)?;
        let key = self.find_key(id).ok_or(DecryptionError::UnknownKey(id))?;
        let nonce = ciphertext.get(KEY_ID_END..NONCE_END).ok_or(DecryptionError::UnknownFormat)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| DecryptionError::UnknownFormat)?;
        let context = build_aad(&ciphertext[..KEY_ID_END], encryption_context);
        let mut secret = Zeroizing::new(ciphertext[NONCE_END..].to_vec());
        let opened = key.cipher().open_in_place(nonce, Aad::from(context), &mut secret);
        let length = opened.map_err(|_| DecryptionError::Altered)?.len();
        secret.truncate(length);
        Ok(secret)
    }

    /// Whether the value is encrypted with a key other than the current one.
    pub fn needs_reencryption(&self, ciphertext: &[u8]) -> bool {
        key_id(ciphertext) != Ok(self.current.id())
    }

    /// The prefix of all values encrypted with the current key, and of no others.
    pub fn current_key_prefix(&self) -> [u8; KEY_ID_END] {
        let mut mark = [VERSION; KEY_ID_END];
        mark[1..].copy_from_slice(self.current.id().as_bytes());
        mark
    }

    /// The key for new values.
    pub const fn current(&self) -> &InstanceKey {
        &self.current
    }

    /// The previous keys.
    pub fn previous(&self) -> &[InstanceKey] {
        &self.previous
    }

    fn find_key(&self, id: InstanceKeyId) -> Option<&InstanceKey> {
        std::iter::once(&self.current).chain(&self.previous).find(|key| key.id() == id)
    }
}

/// The id of the key that encrypted a value.
fn key_id(ciphertext: &[u8]) -> Result<InstanceKeyId, DecryptionError> {
    match ciphertext.split_first() {
        Some((&VERSION, rest)) => {
            let (id, _) = rest.split_first_chunk().ok_or(DecryptionError::UnknownFormat)?;
            Ok(InstanceKeyId::from_bytes(*id))
        }
        _ => Err(DecryptionError::UnknownFormat),
    }
}

/// The additional authenticated data. The length of the purpose separates it from the record's id.
fn build_aad(beginning: &[u8], encryption_context: &EncryptionContext<'_>) -> Vec<u8> {
    let purpose = encryption_context.purpose.name().as_bytes();
    let mut context =
        Vec::with_capacity(beginning.len() + 1 + purpose.len() + encryption_context.record.len());
    context.extend_from_slice(beginning);
    context.extend(u8::try_from(purpose.len()));
    context.extend_from_slice(purpose);
    context.extend_from_slice(encryption_context.record);
    context
}

#[cfg(test)]
mod tests;
