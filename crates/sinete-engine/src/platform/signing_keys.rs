//! Signing keys for tokens: their sources, selection and rotation. The key of the security log belongs to
//! [`crate::events::security_log`].
//!
//! A key is either from the configuration (files or the environment; it is never stored in the database and
//! is replaced by replacing the file) or in the database, with its private key encrypted with the instance
//! key. If the configuration has a key of an algorithm, keys of that algorithm in the database verify but do
//! not sign, and none is added.
//!
//! A key is used only if its private key can be decrypted and matches the public key, so an attacker with
//! write access to the database but without the instance key cannot add one.

pub(crate) mod configured;
mod jwt;
pub mod key_ring;
pub(crate) mod overview;
mod revocation;
mod rotation;
mod storage;

pub use configured::{DuplicateConfiguredKey, reload_configured_keys};
pub(crate) use jwt::sign_claims;
pub use overview::{KeyOverview, KeyProblem, find_problems, list};
pub use revocation::{RevokedKey, revoke};
pub use rotation::{AddedKey, ensure_keys, generate, import, rotate};

use crate::{Engine, Failure};
use key_ring::KeyRing;
use sinete_core::limits::KEYS_REFRESH_INTERVAL;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;
use sinete_crypto::platform::signing_keys::InvalidSigningKey;
use sinete_store::platform::signing_keys;

/// The keys that a development instance needs before it serves. Generating an RSA key takes a tenth to half a
/// second, so the PS256 key is generated after the start.
pub const REQUIRED_ALGORITHMS: [SigningAlgorithm; 3] =
    [SigningAlgorithm::Es256, SigningAlgorithm::Rs256, SigningAlgorithm::EdDsa];

/// Why a signing key is not added, rotated or withdrawn.
#[derive(Debug, thiserror::Error)]
pub enum KeyChangeError {
    /// The request was refused.
    #[error(transparent)]
    Refused(KeyChangeRefusal),
    /// An internal failure.
    #[error(transparent)]
    Failed(Failure),
}

impl From<KeyChangeRefusal> for KeyChangeError {
    fn from(refusal: KeyChangeRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl<E: Into<Failure>> From<E> for KeyChangeError {
    fn from(failure: E) -> Self {
        Self::Failed(failure.into())
    }
}

/// Why a request about keys was refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyChangeRefusal {
    /// The text is not a key, or a weak one.
    #[error(transparent)]
    NotAKey(#[from] InvalidSigningKey),
    /// A development key must not sign in production.
    #[error("this is a development key: production signs with real keys only")]
    DevelopmentKey,
    /// The key exists already, or existed once.
    #[error("the key {kid} already exists for {algorithm}: a key is used once, with one algorithm")]
    Duplicate {
        /// The key.
        kid: String,
        /// Its algorithm.
        algorithm: SigningAlgorithm,
    },
    /// Another node has just created the first key.
    #[error("another node has just created the first {0} key: one is enough")]
    AlreadyCreated(SigningAlgorithm),
    /// A successor is announced but does not sign yet.
    #[error(
        "the {algorithm} key {kid} is announced and signs from {signs_from}: until then no other is added"
    )]
    StillAnnounced {
        /// The algorithm.
        algorithm: SigningAlgorithm,
        /// The successor.
        kid: String,
        /// When it begins to sign.
        signs_from: Timestamp,
    },
    /// There is no key to rotate.
    #[error("there is no {0} key yet: create one first")]
    NothingToRotate(SigningAlgorithm),
    /// The keys of this algorithm come from the configuration.
    #[error("the {0} keys come from the configuration: replace them there and reload")]
    Configured(SigningAlgorithm),
    /// The key does not exist.
    #[error("there is no signing key {0}")]
    Unknown(String),
    /// Without the key, the security log could not be verified.
    #[error("the key {0} signs the security log, which could not be checked without it")]
    SignsTheLog(String),
    /// The key is already withdrawn.
    #[error("the signing key {0} is already withdrawn")]
    AlreadyWithdrawn(String),
}

/// The source of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A file or the environment.
    Configured,
    /// The database.
    Database,
}

/// Reloads the keys from the database. On failure the current keys stay in use.
pub async fn reload_keys(engine: &Engine) -> Result<(), Failure> {
    let replacing = engine.shared.key_ring.lock_for_replacement().await;
    let now = engine.now();
    let rows = signing_keys::list_published_keys(engine.store(), now).await?;
    let before = replacing.current();
    let ring = KeyRing::from_rows(&rows, &before, engine.instance_keys(), now);
    for unusable in ring.unusable_keys().iter().filter(|key| !before.unusable_keys().contains(key)) {
        tracing::error!(kid = unusable.kid, reason = unusable.reason, "a stored signing key cannot be used");
    }
    replacing.replace_with(ring);
    Ok(())
}

/// Reloads the keys periodically until dropped.
pub async fn run_reload(engine: &Engine) {
    loop {
        tokio::time::sleep(KEYS_REFRESH_INTERVAL.as_duration()).await;
        if let Err(failed) = reload_keys(engine).await {
            tracing::warn!(reason = %failed, "the signing keys could not be read again; those known stay in use");
        }
    }
}
