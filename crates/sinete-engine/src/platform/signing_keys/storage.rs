//! Reads and writes signing keys.

use crate::{Engine, EventCause, Failure};
use sinete_core::events::security_event::{EventKind, SecurityEvent};
use sinete_core::platform::signing_keys::{SigningAlgorithm, SigningKeyLifecycle, SigningKeyPurpose};
use sinete_core::time::Timestamp;
use sinete_crypto::platform::encryption::{EncryptionContext, EncryptionPurpose};
use sinete_crypto::platform::signing_keys::{SigningKey, SigningKeyMarking};
use sinete_store::GuardedStatement;
use sinete_store::platform::signing_keys;
use sinete_store::platform::signing_keys::{NewSigningKey, SigningKeyRow};

/// The token signing keys of this algorithm in the database that are not withdrawn.
pub(crate) async fn list_active_keys(
    engine: &Engine,
    algorithm: SigningAlgorithm,
    now: Timestamp,
) -> Result<Vec<SigningKeyRow>, Failure> {
    let mut keys = signing_keys::list_published_keys(engine.store(), now).await?;
    keys.retain(|key| key.purpose == SigningKeyPurpose::Tokens && key.algorithm == algorithm);
    Ok(keys)
}

/// Whether the key has no successor yet.
pub(crate) fn is_newest(key: &SigningKeyRow) -> bool {
    key.lifecycle.signs_until.is_none()
}

/// The statements that store a key with its private key encrypted; the thumbprint of a development key is
/// stored permanently.
pub(crate) fn add_key_statements(
    engine: &Engine,
    key: &SigningKey,
    key_lifecycle: &SigningKeyLifecycle,
    now: Timestamp,
) -> Result<Vec<GuardedStatement>, Failure> {
    let context = EncryptionContext::new(EncryptionPurpose::SigningKey, key.kid());
    let encrypted_key = engine.instance_keys().encrypt(&context, &key.to_pkcs8()?, engine.entropy())?;
    let is_development = key.marking() == SigningKeyMarking::Development;
    let mut steps = vec![signing_keys::add_signing_key(&NewSigningKey {
        kid: key.kid(),
        purpose: SigningKeyPurpose::Tokens,
        algorithm: key.algorithm(),
        public_jwk: &key.public_jwk().to_string(),
        sealed_private: &encrypted_key,
        is_development,
        created_at: now,
        lifecycle: *key_lifecycle,
    })];
    if is_development {
        steps.push(signing_keys::record_development_key(key.kid(), now));
    }
    Ok(steps)
}

/// The common properties of the events of one transaction about keys.
pub(crate) struct KeyEventContext<'a> {
    pub engine: &'a Engine,
    pub algorithm: SigningAlgorithm,
    pub cause: &'a EventCause,
    pub now: Timestamp,
}

impl KeyEventContext<'_> {
    /// Creates an event about one of the keys.
    pub fn event(&self, kind: EventKind, kid: &str) -> SecurityEvent {
        self.engine
            .event(kind, self.cause, self.now)
            .with_subject("signing_key", kid)
            .with_detail("algorithm", self.algorithm.as_str())
            .with_detail("purpose", SigningKeyPurpose::Tokens.as_str())
    }
}
