//! Withdrawing a key before its time, because others may have it.

use super::follow::fresh;
use super::record::{KeyEventContext, added, standing};
use super::{KeyChangeError, refresh};
use crate::{ATTEMPTS_MAX, Engine, EventCause, Failure};
use sinete_core::security::event::EventKind;
use sinete_core::signing::{
    KeyRevocationRemedy, SigningKeyLifecycle, SigningKeyPhase, SigningKeyPurpose, remedy,
};
use sinete_core::time::Timestamp;
use sinete_crypto::key::SigningKey;
use sinete_store::signing_keys::{self, SigningKeyRow};
use sinete_store::{GuardedStatement, WriteBatch};

/// A key that was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevokedKey {
    /// The key.
    pub kid: String,
    /// The key that signs in its place from now on, if it signed.
    pub successor: Option<String>,
}

/// Withdraws a key of the database at once: it leaves the published keys, every token it signed is worthless,
/// and if it was the one that signs, another signs in its place. Other nodes follow within the interval at
/// which they read the keys.
pub async fn revoke(
    engine: &Engine,
    kid: &str,
    cause: &EventCause,
) -> Result<Result<RevokedKey, KeyChangeError>, Failure> {
    let mut replacement = None;
    for _ in 0..ATTEMPTS_MAX {
        let now = engine.now();
        let key = match find(engine, kid, now).await? {
            Ok(key) => key,
            Err(refused) => return Ok(Err(refused)),
        };
        let mut others = standing(engine, key.algorithm, now).await?;
        others.retain(|other| other.kid != key.kid);
        let mut remedy = remedy(&key.life, others.iter().map(|other| (other, other.life)), now);
        if engine.keys().has_configured(key.algorithm) {
            remedy = KeyRevocationRemedy::Nothing;
        }
        if remedy == KeyRevocationRemedy::Replace && replacement.is_none() {
            replacement = Some(fresh(engine, key.algorithm).await?);
        }
        let about = KeyEventContext { engine, algorithm: key.algorithm, cause, now };
        let (successor, steps) = remedied(&about, &remedy, replacement.as_ref())?;
        let event = about.event(EventKind::SigningKeyRevoked, kid).with("successor", successor.clone());
        let mut act = WriteBatch::new().with(signing_keys::relive(&key, &key.life.revoked(now)));
        act = act.with_all(steps).record(&event);
        if let (KeyRevocationRemedy::Replace, Some(successor)) = (&remedy, &successor) {
            act = act.record(&about.event(EventKind::SigningKeyGenerated, successor));
        }
        if engine.store().commit(act).await?.is_ok() {
            refresh(engine).await?;
            return Ok(Ok(RevokedKey { kid: kid.to_owned(), successor }));
        }
    }
    Err(Failure::Contended)
}

async fn find(
    engine: &Engine,
    kid: &str,
    now: Timestamp,
) -> Result<Result<SigningKeyRow, KeyChangeError>, Failure> {
    if let Some(held) = engine.keys().configured().find(|held| held.key.kid() == kid) {
        return Ok(Err(KeyChangeError::Configured(held.key.algorithm())));
    }
    Ok(match signing_keys::find(engine.store(), kid).await? {
        None => Err(KeyChangeError::Unknown(kid.to_owned())),
        Some(key) if key.purpose == SigningKeyPurpose::Log => Err(KeyChangeError::SignsTheLog(key.kid)),
        Some(key) if key.life.phase(now) == SigningKeyPhase::Withdrawn => {
            Err(KeyChangeError::AlreadyWithdrawn(key.kid))
        }
        Some(key) => Ok(key),
    })
}

/// Who signs instead, and how that is written down.
fn remedied(
    about: &KeyEventContext<'_>,
    remedy: &KeyRevocationRemedy<&SigningKeyRow>,
    replacement: Option<&SigningKey>,
) -> Result<(Option<String>, Vec<GuardedStatement>), Failure> {
    match (remedy, replacement) {
        (KeyRevocationRemedy::Nothing, _) | (KeyRevocationRemedy::Replace, None) => Ok((None, Vec::new())),
        (KeyRevocationRemedy::Advance(other, life) | KeyRevocationRemedy::Resume(other, life), _) => {
            Ok((Some(other.kid.clone()), vec![signing_keys::relive(other, life)]))
        }
        (KeyRevocationRemedy::Replace, Some(key)) => {
            let life = SigningKeyLifecycle::first(about.now);
            let steps = added(about.engine, key, &life, about.now)?;
            Ok((Some(key.kid().to_owned()), steps))
        }
    }
}
