//! Signing keys for tokens: where they come from, which one signs, and how one follows another. The key of
//! the security log is [`crate::events::security_log`]'s.
//!
//! A key comes from the configuration (files or the environment: it never enters the database and is replaced
//! by replacing the file), or it lives in the database, its private half sealed with the instance key. Where
//! the configuration has a key of an algorithm, keys of that algorithm in the database verify but do not
//! sign, and none is added to them.
//!
//! A key counts only if its private half opens and is that of the public half: whoever can write to the
//! database but lacks the instance key cannot make a key of theirs count.

pub(crate) mod configured;
pub mod key_ring;
pub(crate) mod overview;
mod revocation;
mod rotation;
mod storage;

pub use configured::{DuplicateConfiguredKey, reload_configured_keys};
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

/// The keys without which a development instance does not begin to serve. An RSA key takes a tenth of a
/// second to make, sometimes half of one, so the one for PS256 is made once the instance serves.
pub const REQUIRED_ALGORITHMS: [SigningAlgorithm; 3] =
    [SigningAlgorithm::Es256, SigningAlgorithm::Rs256, SigningAlgorithm::EdDsa];

/// Why a request about keys was turned down.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyChangeError {
    /// What was brought is no key, or a weak one.
    #[error(transparent)]
    NotAKey(#[from] InvalidSigningKey),
    /// A development key must not sign in production.
    #[error("this is a development key: production signs with real keys only")]
    DevelopmentKey,
    /// The key is here already, or was once.
    #[error("the key {kid} is already here for {algorithm}: a key is used once, with one algorithm")]
    Duplicate {
        /// The key.
        kid: String,
        /// What it is here for.
        algorithm: SigningAlgorithm,
    },
    /// Somebody else has just made the first key.
    #[error("somebody else has just made the first {0} key: one is enough")]
    AlreadyThere(SigningAlgorithm),
    /// A successor has been announced and has not begun to sign.
    #[error(
        "the {algorithm} key {kid} is announced and signs from {signs_from}: until then there is no other"
    )]
    StillAnnounced {
        /// The algorithm.
        algorithm: SigningAlgorithm,
        /// The successor.
        kid: String,
        /// When it begins to sign.
        signs_from: Timestamp,
    },
    /// There is no key that could hand over.
    #[error("there is no {0} key yet: make one first")]
    NothingToRotate(SigningAlgorithm),
    /// The configuration brings the keys of this algorithm.
    #[error("the {0} keys come from the configuration: replace them there and reload")]
    Configured(SigningAlgorithm),
    /// There is no such key.
    #[error("there is no signing key {0}")]
    Unknown(String),
    /// Without the key the security log could no longer be checked.
    #[error("the key {0} signs the security log, which could not be checked without it")]
    SignsTheLog(String),
    /// The key is withdrawn already.
    #[error("the signing key {0} is withdrawn already")]
    AlreadyWithdrawn(String),
}

/// What a list, a reply or a log line says about a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A file or the environment.
    Configured,
    /// The database.
    Database,
}

/// Reads the keys in the database again. On failure the keys as they were stay in use.
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

/// Reads the keys again and again, for as long as this is awaited.
pub async fn run_reload(engine: &Engine) {
    loop {
        tokio::time::sleep(KEYS_REFRESH_INTERVAL.as_duration()).await;
        if let Err(failed) = reload_keys(engine).await {
            tracing::warn!(reason = %failed, "the signing keys could not be read again; those known stay in use");
        }
    }
}
