//! What can be said about the keys: all of them with their lives, and what keeps an instance from being safe.

use super::Source;
use crate::{Engine, Failed};
use sinete_core::signing::{Algorithm, KeyPurpose, Life, Phase};
use sinete_crypto::key::Marking;
use sinete_store::signing_keys;

/// Most keys a list shows. There are a handful a year.
const LISTED_MAX: u32 = 1_000;

/// One key in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub kid: String,
    /// What it signs.
    pub purpose: KeyPurpose,
    /// The algorithm it signs with.
    pub algorithm: Algorithm,
    /// Where it comes from.
    pub source: Source,
    /// Whether it is a development key.
    pub marking: Marking,
    /// When it is published, signs and is withdrawn.
    pub life: Life,
    /// Where it is in its life.
    pub phase: Phase,
    /// Why it does not count, if it does not.
    pub unusable: Option<String>,
}

/// Every key, those of the configuration first, then those of the database, newest first.
pub async fn list(engine: &Engine) -> Result<Vec<Listed>, Failed> {
    let (now, ring) = (engine.now(), engine.keys());
    let configured = ring.configured().map(|held| Listed {
        kid: held.key.kid().to_owned(),
        purpose: KeyPurpose::Tokens,
        algorithm: held.key.algorithm(),
        source: Source::Configured,
        marking: held.key.marking(),
        life: held.life,
        phase: held.life.phase(now),
        unusable: None,
    });
    let mut listed: Vec<_> = configured.collect();
    for row in signing_keys::history(engine.store(), LISTED_MAX).await? {
        if listed.iter().any(|other| other.kid == row.kid) {
            continue;
        }
        let phase = match row.life.phase(now) {
            // The configuration has another key for this: it verifies and does not sign.
            Phase::Signing if row.purpose == KeyPurpose::Tokens && ring.has_configured(row.algorithm) => {
                Phase::Retiring
            }
            phase => phase,
        };
        let unusable = ring.unusable().iter().find(|key| key.kid == row.kid);
        listed.push(Listed {
            purpose: row.purpose,
            algorithm: row.algorithm,
            source: Source::Database,
            marking: if row.is_development { Marking::Development } else { Marking::Real },
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
pub enum Problem {
    /// Nothing signs with an algorithm that every instance needs.
    #[error("no {0} key signs")]
    Missing(Algorithm),
    /// A development key is among those that are published.
    #[error("the {algorithm} key {kid} is a development key")]
    Development {
        /// The key.
        kid: String,
        /// Its algorithm.
        algorithm: Algorithm,
        /// Where it comes from.
        kept_in: Source,
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
pub async fn problems(engine: &Engine) -> Result<Vec<Problem>, Failed> {
    let (now, ring) = (engine.now(), engine.keys());
    let missing = Algorithm::REQUIRED.into_iter().filter(|algorithm| ring.signer(*algorithm, now).is_none());
    let mut problems: Vec<_> = missing.map(Problem::Missing).collect();
    for held in ring.held() {
        let key = &held.key;
        let is_development = key.marking() == Marking::Development
            || signing_keys::is_known_development(engine.store(), key.kid()).await?;
        if is_development && held.life.phase(now) != Phase::Withdrawn {
            let (kid, algorithm) = (key.kid().to_owned(), key.algorithm());
            problems.push(Problem::Development { kid, algorithm, kept_in: held.source });
        }
    }
    let unusable = ring.unusable().iter().cloned();
    problems.extend(unusable.map(|key| Problem::Unusable { kid: key.kid, reason: key.reason }));
    Ok(problems)
}
