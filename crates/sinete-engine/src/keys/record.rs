//! How keys are read before a decision and written down after it.

use crate::{Cause, Engine, Failed};
use sinete_core::security::event::{Event, EventKind};
use sinete_core::signing::{Algorithm, KeyPurpose, Life};
use sinete_core::time::Timestamp;
use sinete_crypto::key::{Marking, SigningKey};
use sinete_crypto::seal::{Place, Purpose};
use sinete_store::Step;
use sinete_store::signing_keys::{self, NewSigningKey, StoredSigningKey};

/// The keys for tokens of this algorithm in the database that are not withdrawn.
pub(super) async fn standing(
    engine: &Engine,
    algorithm: Algorithm,
    now: Timestamp,
) -> Result<Vec<StoredSigningKey>, Failed> {
    let mut keys = signing_keys::standing(engine.store(), now).await?;
    keys.retain(|key| key.purpose == KeyPurpose::Tokens && key.algorithm == algorithm);
    Ok(keys)
}

/// Whether nothing follows the key yet.
pub(super) fn is_newest(key: &StoredSigningKey) -> bool {
    key.life.signs_until.is_none()
}

/// Writes a key down, its private half sealed; a development key's thumbprint is remembered for ever.
pub(super) fn added(
    engine: &Engine,
    key: &SigningKey,
    life: &Life,
    now: Timestamp,
) -> Result<Vec<Step>, Failed> {
    let place = Place::new(Purpose::SigningKey, key.kid());
    let sealed = engine.instance_keys().seal(&place, &key.to_pkcs8()?, engine.entropy())?;
    let is_development = key.marking() == Marking::Development;
    let mut steps = vec![signing_keys::add(&NewSigningKey {
        kid: key.kid(),
        purpose: KeyPurpose::Tokens,
        algorithm: key.algorithm(),
        public_jwk: &key.public_jwk().to_string(),
        sealed_private: &sealed,
        is_development,
        created_at: now,
        life: *life,
    })];
    if is_development {
        steps.push(signing_keys::remember_development(key.kid(), now));
    }
    Ok(steps)
}

/// What the events of one act about keys have in common.
pub(super) struct About<'a> {
    pub engine: &'a Engine,
    pub algorithm: Algorithm,
    pub cause: &'a Cause,
    pub now: Timestamp,
}

impl About<'_> {
    /// An event about one of the keys.
    pub fn event(&self, kind: EventKind, kid: &str) -> Event {
        self.engine
            .event(kind, self.cause, self.now)
            .about("signing_key", kid)
            .with("algorithm", self.algorithm.as_str())
            .with("purpose", KeyPurpose::Tokens.as_str())
    }
}
