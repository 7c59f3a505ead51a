//! Secrets that we must be able to read again, encrypted under the instance's own key.
//!
//! A sealed value is bound to what it is and to the record it belongs to: moved to another row or column it
//! does not open. It names the key it was sealed with, so that the instance key can be replaced while the
//! server runs: new values are sealed with the current key, old ones open with the previous one until each
//! has been sealed anew.
//!
//! `version (1) ‖ key id (8) ‖ nonce (12) ‖ ciphertext ‖ tag (16)`, AES-256-GCM with a random nonce. A key
//! is good for about four thousand million values before two nonces could coincide; an instance seals a few
//! per person.

pub use crate::platform::instance_key::{InstanceKey, InstanceKeyId, InvalidInstanceKey};

use aws_lc_rs::aead::{Aad, NONCE_LEN, Nonce};
use sinete_core::entropy::{Entropy, draw_bytes};
use zeroize::Zeroizing;

const VERSION: u8 = 1;
const KEY_ID_END: usize = 1 + InstanceKeyId::BYTES;
const NONCE_END: usize = KEY_ID_END + NONCE_LEN;
const TAG_BYTES: usize = 16;

/// What a sealed value is. The names are bound into what was sealed: they must never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EncryptionPurpose {
    /// The private half of a signing key; its record is the `kid`.
    SigningKey,
    /// The seed of an authenticator application; its record is the credential's id.
    TotpSeed,
    /// A message waiting to be sent; its record is the message's id.
    Message,
    /// The secret a webhook is signed with; its record is the webhook's id.
    WebhookSecret,
    /// The secret a provider gave an organization; its record is the connection's id.
    ConnectionSecret,
    /// What a client is told once somebody answers it; its record is the id of the request for approval.
    ApprovalNotice,
    /// An answer that may be given again; its record is the caller and the digest of the request's key.
    RepeatedReply,
    /// The known value by which a wrong instance key is noticed; its record is the instance's id.
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
            Self::ApprovalNotice => "approval notice",
            Self::RepeatedReply => "repeated reply",
            Self::InstanceCheck => "instance check",
        }
    }
}

/// Where a sealed value belongs: what it is, and in which record it stands.
#[derive(Clone, Copy, Debug)]
pub struct EncryptionContext<'a> {
    /// What it is.
    pub purpose: EncryptionPurpose,
    /// The id of its record, as bytes.
    pub record: &'a [u8],
}

impl<'a> EncryptionContext<'a> {
    /// The place of a value of this purpose in the record with this id.
    pub fn new(purpose: EncryptionPurpose, record: &'a (impl AsRef<[u8]> + ?Sized)) -> Self {
        Self { purpose, record: record.as_ref() }
    }
}

/// The key that seals, and those that may still be needed to open.
#[derive(Debug)]
pub struct InstanceKeyRing {
    current: InstanceKey,
    previous: Vec<InstanceKey>,
}

/// Why a sealed value does not open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DecryptionError {
    /// It was never sealed, or sealed by a newer program.
    #[error("the stored secret is not in a form this program knows")]
    UnknownForm,
    /// It was sealed with a key we do not have.
    #[error("the stored secret is sealed with the instance key {0}, which is not configured")]
    UnknownKey(InstanceKeyId),
    /// It was changed, or moved here from elsewhere.
    #[error("the stored secret was altered or belongs to another record")]
    Altered,
}

/// The library refused to seal. Only a value of many gigabytes makes it do so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the secret could not be sealed")]
pub struct EncryptionError;

impl InstanceKeyRing {
    /// The key to seal with, and the ones it replaces.
    pub const fn new(current: InstanceKey, previous: Vec<InstanceKey>) -> Self {
        Self { current, previous }
    }

    /// Seals the secret for its place.
    pub fn encrypt(
        &self,
        place: &EncryptionContext<'_>,
        secret: &[u8],
        entropy: &dyn Entropy,
    ) -> Result<Vec<u8>, EncryptionError> {
        let nonce: [u8; NONCE_LEN] = draw_bytes(entropy);
        let mut sealed = Vec::with_capacity(NONCE_END + secret.len() + TAG_BYTES);
        sealed.push(VERSION);
        sealed.extend_from_slice(self.current.id().as_bytes());
        sealed.extend_from_slice(&nonce);
        let context = build_aad(&sealed[..KEY_ID_END], place);
        sealed.extend_from_slice(secret);
        let tag = self
            .current
            .cipher()
            .seal_in_place_separate_tag(
                Nonce::assume_unique_for_key(nonce),
                Aad::from(context),
                &mut sealed[NONCE_END..],
            )
            .map_err(|_| EncryptionError)?;
        sealed.extend_from_slice(tag.as_ref());
        Ok(sealed)
    }

    /// Opens what was sealed for this place.
    pub fn decrypt(
        &self,
        place: &EncryptionContext<'_>,
        sealed: &[u8],
    ) -> Result<Zeroizing<Vec<u8>>, DecryptionError> {
        let id = key_id(sealed)?;
        let key = self.find_key(id).ok_or(DecryptionError::UnknownKey(id))?;
        let nonce = sealed.get(KEY_ID_END..NONCE_END).ok_or(DecryptionError::UnknownForm)?;
        let nonce = Nonce::try_assume_unique_for_key(nonce).map_err(|_| DecryptionError::UnknownForm)?;
        let context = build_aad(&sealed[..KEY_ID_END], place);
        let mut secret = Zeroizing::new(sealed[NONCE_END..].to_vec());
        let opened = key.cipher().open_in_place(nonce, Aad::from(context), &mut secret);
        let length = opened.map_err(|_| DecryptionError::Altered)?.len();
        secret.truncate(length);
        Ok(secret)
    }

    /// Whether the value is sealed with another key than the current one.
    pub fn needs_reencryption(&self, sealed: &[u8]) -> bool {
        key_id(sealed) != Ok(self.current.id())
    }

    /// What every value sealed with the current key begins with, and no other value does.
    pub fn current_key_prefix(&self) -> [u8; KEY_ID_END] {
        let mut mark = [VERSION; KEY_ID_END];
        mark[1..].copy_from_slice(self.current.id().as_bytes());
        mark
    }

    /// The key that new values are sealed with.
    pub const fn current(&self) -> &InstanceKey {
        &self.current
    }

    /// The keys it replaces.
    pub fn previous(&self) -> &[InstanceKey] {
        &self.previous
    }

    fn find_key(&self, id: InstanceKeyId) -> Option<&InstanceKey> {
        std::iter::once(&self.current).chain(&self.previous).find(|key| key.id() == id)
    }
}

/// The key a value was sealed with.
fn key_id(sealed: &[u8]) -> Result<InstanceKeyId, DecryptionError> {
    match sealed.split_first() {
        Some((&VERSION, rest)) => {
            let (id, _) = rest.split_first_chunk().ok_or(DecryptionError::UnknownForm)?;
            Ok(InstanceKeyId::from_bytes(*id))
        }
        _ => Err(DecryptionError::UnknownForm),
    }
}

/// What is authenticated along with the value. The purpose's length keeps it apart from the record's id.
fn build_aad(beginning: &[u8], place: &EncryptionContext<'_>) -> Vec<u8> {
    let purpose = place.purpose.name().as_bytes();
    let mut context = Vec::with_capacity(beginning.len() + 1 + purpose.len() + place.record.len());
    context.extend_from_slice(beginning);
    context.extend(u8::try_from(purpose.len()));
    context.extend_from_slice(purpose);
    context.extend_from_slice(place.record);
    context
}

#[cfg(test)]
mod tests;
