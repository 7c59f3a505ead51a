//! An overview of the signing keys, and problems that prevent production use.

use super::KeySource;
use crate::{Engine, Failure};
use sinete_core::platform::signing_keys::{
    SigningAlgorithm, SigningKeyLifecycle, SigningKeyPhase, SigningKeyPurpose,
};
use sinete_crypto::platform::signing_keys::SigningKeyMarking;
use sinete_store::platform::signing_keys;

/// Maximum listed keys. There are a handful per year.
const LISTED_MAX: u32 = 1_000;

/// A key in the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOverview {
    /// The `kid`.
    pub kid: String,
    /// The purpose.
    pub purpose: SigningKeyPurpose,
    /// The algorithm.
    pub algorithm: SigningAlgorithm,
    /// The source.
    pub source: KeySource,
    /// Whether it is a development key.
    pub marking: SigningKeyMarking,
    /// When it is published, signs and is withdrawn.
    pub lifecycle: SigningKeyLifecycle,
    /// The phase of its lifecycle.
    pub phase: SigningKeyPhase,
    /// Why it cannot be used, if so.
    pub unusable: Option<String>,
}

/// Lists all keys: those of the configuration first, then those of the database, newest first.
pub async fn list(engine: &Engine) -> Result<Vec<KeyOverview>, Failure> {
    let (now, ring) = (engine.now(), engine.key_ring());
    let configured = ring.configured_keys().map(|key_entry| KeyOverview {
        kid: key_entry.key.kid().to_owned(),
        purpose: SigningKeyPurpose::Tokens,
        algorithm: key_entry.key.algorithm(),
        source: KeySource::Configured,
        marking: key_entry.key.marking(),
        lifecycle: key_entry.lifecycle,
        phase: key_entry.lifecycle.phase(now),
        unusable: None,
    });
    let mut keys: Vec<_> = configured.collect();
    for row in signing_keys::list_key_history(engine.store(), LISTED_MAX).await? {
        if keys.iter().any(|other| other.kid == row.kid) {
            continue;
        }
        let phase = match row.lifecycle.phase(now) {
            // The configuration has a key for this algorithm, so this one verifies but does not sign.
            SigningKeyPhase::Signing
                if row.purpose == SigningKeyPurpose::Tokens && ring.has_configured_key(row.algorithm) =>
            {
                SigningKeyPhase::Retiring
            }
            phase => phase,
        };
        let unusable = ring.unusable_keys().iter().find(|key| key.kid == row.kid);
        keys.push(KeyOverview {
            purpose: row.purpose,
            algorithm: row.algorithm,
            source: KeySource::Database,
            marking: if row.is_development {
                SigningKeyMarking::Development
            } else {
                SigningKeyMarking::Real
            },
            lifecycle: row.lifecycle,
            phase,
            unusable: unusable.map(|key| key.reason.clone()),
            kid: row.kid,
        });
    }
    Ok(keys)
}

/// A problem that prevents production use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyProblem {
    /// No key signs with an algorithm that every instance needs.
    #[error("no {0} key signs")]
    Missing(SigningAlgorithm),
    /// A development key is published.
    #[error("the {algorithm} key {kid} is a development key")]
    Development {
        /// The key.
        kid: String,
        /// Its algorithm.
        algorithm: SigningAlgorithm,
        /// The source.
        key_source: KeySource,
    },
    /// A stored key cannot be used.
    #[error("the stored key {kid} cannot be used: {reason}")]
    Unusable {
        /// The key.
        kid: String,
        /// The reason.
        reason: String,
    },
}

/// Finds all problems of the token signing keys. A development key is recognized by its own mark, by the
/// marking line in its file, and by the thumbprints stored in this database.
pub async fn find_problems(engine: &Engine) -> Result<Vec<KeyProblem>, Failure> {
    let (now, ring) = (engine.now(), engine.key_ring());
    let missing = SigningAlgorithm::REQUIRED
        .into_iter()
        .filter(|algorithm| ring.signing_key(*algorithm, now).is_none());
    let mut problems: Vec<_> = missing.map(KeyProblem::Missing).collect();
    for key_entry in ring.entries() {
        let key = &key_entry.key;
        let is_development = key.marking() == SigningKeyMarking::Development
            || signing_keys::is_development_key(engine.store(), key.kid()).await?;
        if is_development && key_entry.lifecycle.phase(now) != SigningKeyPhase::Withdrawn {
            let (kid, algorithm) = (key.kid().to_owned(), key.algorithm());
            problems.push(KeyProblem::Development { kid, algorithm, key_source: key_entry.source });
        }
    }
    let unusable = ring.unusable_keys().iter().cloned();
    problems.extend(unusable.map(|key| KeyProblem::Unusable { kid: key.kid, reason: key.reason }));
    Ok(problems)
}
