//! Revocation of a signing key that may be compromised.

use super::rotation::generate_signing_key;
use super::storage::{KeyEventContext, add_key_statements, list_active_keys};
use super::{KeyChangeError, KeyChangeRefusal, reload_keys};
use crate::{ATTEMPTS_MAX, Engine, EventCause, Failure};
use sinete_core::events::security_event::EventKind;
use sinete_core::platform::signing_keys::{
    KeyRevocationRemedy, SigningKeyLifecycle, SigningKeyPhase, SigningKeyPurpose, plan_revocation,
};
use sinete_core::time::Timestamp;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_store::platform::signing_keys;
use sinete_store::platform::signing_keys::SigningKeyRow;
use sinete_store::{GuardedStatement, WriteBatch};

/// A revoked key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RevokedKey {
    /// The key.
    pub kid: String,
    /// The key that signs from now on, if the revoked one did.
    pub successor: Option<String>,
}

/// Revokes a key of the database: it is removed from the JWKS, all tokens it signed become invalid, and if it
/// was signing, another key takes over. Other nodes follow at their next reload.
pub async fn revoke(engine: &Engine, kid: &str, cause: &EventCause) -> Result<RevokedKey, KeyChangeError> {
    let mut replacement = None;
    for _ in 0..ATTEMPTS_MAX {
        let now = engine.now();
        let key = find_revocable_key(engine, kid, now).await?;
        let mut others = list_active_keys(engine, key.algorithm, now).await?;
        others.retain(|other| other.kid != key.kid);
        let mut remedy =
            plan_revocation(&key.lifecycle, others.iter().map(|other| (other, other.lifecycle)), now);
        if engine.key_ring().has_configured_key(key.algorithm) {
            remedy = KeyRevocationRemedy::Nothing;
        }
        if remedy == KeyRevocationRemedy::Replace && replacement.is_none() {
            replacement = Some(generate_signing_key(engine, key.algorithm).await?);
        }
        let context = KeyEventContext { engine, algorithm: key.algorithm, cause, now };
        let (successor, steps) = apply_remedy(&context, &remedy, replacement.as_ref())?;
        let event =
            context.event(EventKind::SigningKeyRevoked, kid).with_detail("successor", successor.clone());
        let mut batch = WriteBatch::new()
            .with_statement(signing_keys::change_key_lifecycle(&key, &key.lifecycle.revoke(now)));
        batch = batch.with_statements(steps).with_event(&event);
        if let (KeyRevocationRemedy::Replace, Some(successor)) = (&remedy, &successor) {
            batch = batch.with_event(&context.event(EventKind::SigningKeyGenerated, successor));
        }
        if engine.store().commit(batch).await?.is_committed() {
            reload_keys(engine).await?;
            return Ok(RevokedKey { kid: kid.to_owned(), successor });
        }
    }
    Err(Failure::Contended.into())
}

async fn find_revocable_key(
    engine: &Engine,
    kid: &str,
    now: Timestamp,
) -> Result<SigningKeyRow, KeyChangeError> {
    if let Some(key_entry) = engine.key_ring().configured_keys().find(|key_entry| key_entry.key.kid() == kid)
    {
        return Err(KeyChangeRefusal::Configured(key_entry.key.algorithm()).into());
    }
    match signing_keys::find_signing_key(engine.store(), kid).await? {
        None => Err(KeyChangeRefusal::Unknown(kid.to_owned()).into()),
        Some(key) if key.purpose == SigningKeyPurpose::Log => {
            Err(KeyChangeRefusal::SignsTheLog(key.kid).into())
        }
        Some(key) if key.lifecycle.phase(now) == SigningKeyPhase::Withdrawn => {
            Err(KeyChangeRefusal::AlreadyWithdrawn(key.kid).into())
        }
        Some(key) => Ok(key),
    }
}

/// Determines the key that signs instead, with the statements that store it.
fn apply_remedy(
    context: &KeyEventContext<'_>,
    remedy: &KeyRevocationRemedy<&SigningKeyRow>,
    replacement: Option<&SigningKey>,
) -> Result<(Option<String>, Vec<GuardedStatement>), Failure> {
    match (remedy, replacement) {
        (KeyRevocationRemedy::Nothing, _) | (KeyRevocationRemedy::Replace, None) => Ok((None, Vec::new())),
        (
            KeyRevocationRemedy::Advance(other, key_lifecycle)
            | KeyRevocationRemedy::Resume(other, key_lifecycle),
            _,
        ) => Ok((Some(other.kid.clone()), vec![signing_keys::change_key_lifecycle(other, key_lifecycle)])),
        (KeyRevocationRemedy::Replace, Some(key)) => {
            let key_lifecycle = SigningKeyLifecycle::new_first(context.now);
            let steps = add_key_statements(context.engine, key, &key_lifecycle, context.now)?;
            Ok((Some(key.kid().to_owned()), steps))
        }
    }
}
