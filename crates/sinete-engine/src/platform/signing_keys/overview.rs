//! What can be said about the keys: all of them with their lives, and what keeps an instance from being safe.

use super::KeySource;
use crate::{Engine, Failure};
use sinete_core::platform::signing_keys::{
    SigningAlgorithm, SigningKeyLifecycle, SigningKeyPhase, SigningKeyPurpose,
};
use sinete_crypto::platform::signing_keys::SigningKeyMarking;
use sinete_store::platform::signing_keys;

/// Most keys a list shows. There are a handful a year.
const LISTED_MAX: u32 = 1_000;

/// One key in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyOverview {
    /// Its name.
    pub kid: String,
    /// What it signs.
    pub purpose: SigningKeyPurpose,
    /// The algorithm it signs with.
    pub algorithm: SigningAlgorithm,
    /// Where it comes from.
    pub source: KeySource,
    /// Whether it is a development key.
    pub marking: SigningKeyMarking,
    /// When it is published, signs and is withdrawn.
    pub life: SigningKeyLifecycle,
    /// Where it is in its life.
    pub phase: SigningKeyPhase,
    /// Why it does not count, if it does not.
    pub unusable: Option<String>,
}

/// Every key, those of the configuration first, then those of the database, newest first.
pub async fn list(engine: &Engine) -> Result<Vec<KeyOverview>, Failure> {
    let (now, ring) = (engine.now(), engine.key_ring());
    let configured = ring.configured_keys().map(|held| KeyOverview {
        kid: held.key.kid().to_owned(),
        purpose: SigningKeyPurpose::Tokens,
        algorithm: held.key.algorithm(),
        source: KeySource::Configured,
        marking: held.key.marking(),
        life: held.life,
        phase: held.life.phase(now),
        unusable: None,
    });
    let mut listed: Vec<_> = configured.collect();
    for row in signing_keys::list_key_history(engine.store(), LISTED_MAX).await? {
        if listed.iter().any(|other| other.kid == row.kid) {
            continue;
        }
        let phase = match row.life.phase(now) {
            // The configuration has another key for this: it verifies and does not sign.
            SigningKeyPhase::Signing
                if row.purpose == SigningKeyPurpose::Tokens && ring.has_configured_key(row.algorithm) =>
            {
                SigningKeyPhase::Retiring
            }
            phase => phase,
        };
        let unusable = ring.unusable_keys().iter().find(|key| key.kid == row.kid);
        listed.push(KeyOverview {
            purpose: row.purpose,
            algorithm: row.algorithm,
            source: KeySource::Database,
            marking: if row.is_development {
                SigningKeyMarking::Development
            } else {
                SigningKeyMarking::Real
            },
            life: row.life,
            phase,
            unusable: unusable.map(|key| key.reason.clone()),
            kid: row.kid,
        });
    }
    Ok(listed)
}

/// What keeps the keys from being fit for production.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyProblem {
    /// Nothing signs with an algorithm that every instance needs.
    #[error("no {0} key signs")]
    Missing(SigningAlgorithm),
    /// A development key is among those that are published.
    #[error("the {algorithm} key {kid} is a development key")]
    Development {
        /// The key.
        kid: String,
        /// Its algorithm.
        algorithm: SigningAlgorithm,
        /// Where it comes from.
        kept_in: KeySource,
    },
    /// A stored key does not count.
    #[error("the stored key {kid} cannot be used: {reason}")]
    Unusable {
        /// The key.
        kid: String,
        /// One sentence.
        reason: String,
    },
}

/// Everything about the keys for tokens that keeps the instance from being fit for production. A development
/// key is found by its own mark, by what its file said, and by the thumbprints this database remembers.
pub async fn find_problems(engine: &Engine) -> Result<Vec<KeyProblem>, Failure> {
    let (now, ring) = (engine.now(), engine.key_ring());
    let missing = SigningAlgorithm::REQUIRED
        .into_iter()
        .filter(|algorithm| ring.signing_key(*algorithm, now).is_none());
    let mut problems: Vec<_> = missing.map(KeyProblem::Missing).collect();
    for held in ring.entries() {
        let key = &held.key;
        let is_development = key.marking() == SigningKeyMarking::Development
            || signing_keys::is_development_key(engine.store(), key.kid()).await?;
        if is_development && held.life.phase(now) != SigningKeyPhase::Withdrawn {
            let (kid, algorithm) = (key.kid().to_owned(), key.algorithm());
            problems.push(KeyProblem::Development { kid, algorithm, kept_in: held.source });
        }
    }
    let unusable = ring.unusable_keys().iter().cloned();
    problems.extend(unusable.map(|key| KeyProblem::Unusable { kid: key.kid, reason: key.reason }));
    Ok(problems)
}
