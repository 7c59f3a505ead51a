//! The secrets that sign deliveries, encrypted with the instance key.

use crate::{Engine, Failure};
use sinete_core::id::WebhookId;
use sinete_crypto::events::webhooks::WebhookSecret;
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose};

pub(super) fn encrypt_secret(
    engine: &Engine,
    id: WebhookId,
    secret: &WebhookSecret,
) -> Result<Vec<u8>, Failure> {
    let context = EncryptionContext::new(EncryptionPurpose::WebhookSecret, id.as_bytes());
    Ok(engine.instance_keys().encrypt(&context, secret.as_bytes(), engine.entropy())?)
}

/// Decrypts the secret of a webhook; `None` if it cannot be decrypted.
pub(crate) fn decrypt_secret(
    engine: &Engine,
    id: WebhookId,
    encrypted_secret: &[u8],
) -> Option<WebhookSecret> {
    let context = EncryptionContext::new(EncryptionPurpose::WebhookSecret, id.as_bytes());
    let bytes = engine.instance_keys().decrypt(&context, encrypted_secret).ok()?;
    WebhookSecret::from_bytes(&bytes)
}
