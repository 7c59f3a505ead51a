//! The keys that sign the head. Their private keys are stored encrypted with the instance key, and the public
//! keys are derived from them, so that an attacker with write access to the database cannot add a key.

use super::SecurityLogError;
use sinete_core::entropy::Entropy;
use sinete_core::platform::signing_keys::{SigningAlgorithm, SigningKeyLifecycle, SigningKeyPurpose};
use sinete_core::time::Timestamp;
use sinete_crypto::platform::encryption::{
    DecryptionError, EncryptionContext, EncryptionPurpose, InstanceKeyRing,
};
use sinete_crypto::platform::signing_keys::{PublicKey, SigningKey, SigningKeyMarking};
use sinete_store::platform::signing_keys;
use sinete_store::platform::signing_keys::NewSigningKey;
use sinete_store::{GuardedStatement, Store};
use std::fmt;

/// The algorithm of head signatures.
const ALGORITHM: SigningAlgorithm = SigningAlgorithm::EdDsa;

/// The genuine keys of the log.
pub(super) struct LogVerificationKeys {
    keys: Vec<(SigningKey, SigningKeyLifecycle)>,
}

impl LogVerificationKeys {
    /// Loads the keys that can be decrypted with the instance key and ignores others. Fails if none can be
    /// decrypted because the instance key is another one.
    pub(super) async fn load(
        store: &Store,
        instance_keys: &InstanceKeyRing,
        now: Timestamp,
    ) -> Result<Self, SecurityLogError> {
        let (mut keys, mut unknown) = (Vec::new(), None);
        for stored in signing_keys::list_published_keys(store, now).await? {
            if stored.purpose != SigningKeyPurpose::Log || stored.algorithm != ALGORITHM {
                continue;
            }
            let context = EncryptionContext::new(EncryptionPurpose::SigningKey, &stored.kid);
            let private = match instance_keys.decrypt(&context, &stored.sealed_private) {
                Ok(private) => private,
                Err(error @ DecryptionError::UnknownKey(_)) => {
                    unknown = Some(error);
                    continue;
                }
                Err(DecryptionError::UnknownFormat | DecryptionError::Altered) => continue,
            };
            match SigningKey::from_pkcs8(&private, ALGORITHM, SigningKeyMarking::Real) {
                Ok(key) if key.kid() == stored.kid => keys.push((key, stored.lifecycle)),
                Ok(_) | Err(_) => {}
            }
        }
        match unknown {
            Some(error) if keys.is_empty() => Err(SecurityLogError::KeyNotDecryptable(error)),
            _ => Ok(Self { keys }),
        }
    }

    /// Generates a key, with the statement that stores it.
    pub(super) fn generate(
        instance_keys: &InstanceKeyRing,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<(Self, GuardedStatement), SecurityLogError> {
        let key = SigningKey::generate(ALGORITHM).map_err(|_| SecurityLogError::SigningFailed)?;
        let private = key.to_pkcs8().map_err(|_| SecurityLogError::SigningFailed)?;
        let encrypted_key = instance_keys
            .encrypt(&EncryptionContext::new(EncryptionPurpose::SigningKey, key.kid()), &private, entropy)
            .map_err(|_| SecurityLogError::SigningFailed)?;
        let key_lifecycle = SigningKeyLifecycle::new_first(now);
        let step = signing_keys::add_signing_key(&NewSigningKey {
            kid: key.kid(),
            purpose: SigningKeyPurpose::Log,
            algorithm: ALGORITHM,
            public_jwk: &key.public_key().to_jwk().to_string(),
            sealed_private: &encrypted_key,
            is_development: false,
            created_at: now,
            lifecycle: key_lifecycle,
        });
        Ok((Self { keys: vec![(key, key_lifecycle)] }, step))
    }

    /// Whether there are no keys.
    pub(super) const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The signing key. It is used immediately: no verifier has to learn it first.
    pub(super) fn signing_key(&self) -> Result<&SigningKey, SecurityLogError> {
        let unfinished = self.keys.iter().filter(|(_, key_lifecycle)| key_lifecycle.signs_until.is_none());
        unfinished
            .max_by_key(|(_, key_lifecycle)| key_lifecycle.signs_from)
            .map(|(key, _)| key)
            .ok_or(SecurityLogError::NoKey)
    }

    /// Finds the public key with this `kid`.
    pub(super) fn find_public_key(&self, kid: &str) -> Option<&PublicKey> {
        self.keys.iter().map(|(key, _)| key).find(|key| key.kid() == kid).map(|key| &**key.public_key())
    }
}

impl fmt::Debug for LogVerificationKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.keys.iter().map(|(key, _)| key.kid())).finish()
    }
}
