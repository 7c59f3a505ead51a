//! Withdrawing a key before its time, because others may have it.

use super::follow::fresh;
use super::record::{About, added, standing};
use super::{Refused, refresh};
use crate::{ATTEMPTS_MAX, Cause, Engine, Failed};
use sinete_core::security::event::EventKind;
use sinete_core::signing::{KeyPurpose, Life, Phase, Remedy, remedy};
use sinete_core::time::Timestamp;
use sinete_crypto::key::SigningKey;
use sinete_store::signing_keys::{self, StoredSigningKey};
use sinete_store::{Act, Step};

/// A key that was withdrawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Revoked {
    /// The key.
    pub kid: String,
    /// The key that signs in its place from now on, if it signed.
    pub successor: Option<String>,
}

/// Withdraws a key of the database at once: it leaves the published keys, every token it signed is worthless,
/// and if it was the one that signs, another signs in its place. Other nodes follow within the interval at
/// which they read the keys.
pub async fn revoke(engine: &Engine, kid: &str, cause: &Cause) -> Result<Result<Revoked, Refused>, Failed> {
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
            remedy = Remedy::Nothing;
        }
        if remedy == Remedy::Replace && replacement.is_none() {
            replacement = Some(fresh(engine, key.algorithm).await?);
        }
        let about = About { engine, algorithm: key.algorithm, cause, now };
        let (successor, steps) = remedied(&about, &remedy, replacement.as_ref())?;
        let event = about.event(EventKind::SigningKeyRevoked, kid).with("successor", successor.clone());
        let mut act = Act::new().with(signing_keys::relive(&key, &key.life.revoked(now)));
        act = act.with_all(steps).record(&event);
        if let (Remedy::Replace, Some(successor)) = (&remedy, &successor) {
            act = act.record(&about.event(EventKind::SigningKeyGenerated, successor));
        }
        if engine.store().commit(act).await?.is_ok() {
            refresh(engine).await?;
            return Ok(Ok(Revoked { kid: kid.to_owned(), successor }));
        }
    }
    Err(Failed::Contended)
}

async fn find(
    engine: &Engine,
    kid: &str,
    now: Timestamp,
) -> Result<Result<StoredSigningKey, Refused>, Failed> {
    if let Some(held) = engine.keys().configured().find(|held| held.key.kid() == kid) {
        return Ok(Err(Refused::Configured(held.key.algorithm())));
    }
    Ok(match signing_keys::find(engine.store(), kid).await? {
        None => Err(Refused::Unknown(kid.to_owned())),
        Some(key) if key.purpose == KeyPurpose::Log => Err(Refused::SignsTheLog(key.kid)),
        Some(key) if key.life.phase(now) == Phase::Withdrawn => Err(Refused::AlreadyWithdrawn(key.kid)),
        Some(key) => Ok(key),
    })
}

/// Who signs instead, and how that is written down.
fn remedied(
    about: &About<'_>,
    remedy: &Remedy<&StoredSigningKey>,
    replacement: Option<&SigningKey>,
) -> Result<(Option<String>, Vec<Step>), Failed> {
    match (remedy, replacement) {
        (Remedy::Nothing, _) | (Remedy::Replace, None) => Ok((None, Vec::new())),
        (Remedy::Advance(other, life) | Remedy::Resume(other, life), _) => {
            Ok((Some(other.kid.clone()), vec![signing_keys::relive(other, life)]))
        }
        (Remedy::Replace, Some(key)) => {
            let life = Life::first(about.now);
            let steps = added(about.engine, key, &life, about.now)?;
            Ok((Some(key.kid().to_owned()), steps))
        }
    }
}
