//! Adds a signing key: as the first of its algorithm, or as the announced successor of the newest.

use super::storage::{KeyEventContext, add_key_statements, is_newest, list_active_keys};
use super::{KeyChangeError, KeyChangeRefusal, reload_keys};
use crate::{ATTEMPTS_MAX, Engine, EventCause, Failure, InstanceMode};
use sinete_core::events::security_event::EventKind;
use sinete_core::platform::signing_keys::{
    RotationInProgress, SigningAlgorithm, SigningKeyLifecycle, plan_rotation,
};
use sinete_core::time::Timestamp;
use sinete_crypto::platform::signing_keys::{SigningKey, SigningKeyMarking};
use sinete_store::WriteBatch;
use sinete_store::platform::signing_keys;
use sinete_store::platform::signing_keys::SigningKeyRow;

/// An added key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddedKey {
    /// The key.
    pub kid: String,
    /// When it is published and signs.
    pub lifecycle: SigningKeyLifecycle,
    /// The predecessor, if there was one.
    pub predecessor: Option<String>,
}

/// Generates a token signing key. The first one of its algorithm signs at once; a later one is announced
/// first.
pub async fn generate(
    engine: &Engine,
    algorithm: SigningAlgorithm,
    cause: &EventCause,
) -> Result<AddedKey, KeyChangeError> {
    let outlook = plan_succession(engine, algorithm).await?;
    let key = generate_signing_key(engine, algorithm).await?;
    add_key(engine, &key, EventKind::SigningKeyGenerated, Some(outlook), cause).await
}

/// Generates a key for each of these algorithms that has none, and returns those generated. A development
/// instance does this itself; in production an operator must request it.
pub async fn ensure_keys(
    engine: &Engine,
    algorithms: &[SigningAlgorithm],
    cause: &EventCause,
) -> Result<Vec<AddedKey>, Failure> {
    let mut keys = Vec::new();
    for algorithm in algorithms {
        match plan_succession(engine, *algorithm).await {
            Ok(KeySuccession::First) => {}
            Ok(KeySuccession::Successor) | Err(KeyChangeError::Refused(_)) => continue,
            Err(KeyChangeError::Failed(failure)) => return Err(failure),
        }
        let key = generate_signing_key(engine, *algorithm).await?;
        let joined =
            add_key(engine, &key, EventKind::SigningKeyGenerated, Some(KeySuccession::First), cause).await;
        match joined {
            Ok(added) => keys.push(added),
            // If it could not be added, another node has created one, which is used.
            Err(KeyChangeError::Refused(_)) => {}
            Err(KeyChangeError::Failed(failure)) => return Err(failure),
        }
    }
    // Keys created by other nodes must be loaded before serving.
    reload_keys(engine).await?;
    Ok(keys)
}

/// Creates a successor for the token signing key of this algorithm: published now, signing after verifiers
/// have refreshed the JWKS. The current key signs until then and stays published for its tokens.
pub async fn rotate(
    engine: &Engine,
    algorithm: SigningAlgorithm,
    cause: &EventCause,
) -> Result<AddedKey, KeyChangeError> {
    match plan_succession(engine, algorithm).await? {
        KeySuccession::First => Err(KeyChangeRefusal::NothingToRotate(algorithm).into()),
        outlook @ KeySuccession::Successor => {
            let key = generate_signing_key(engine, algorithm).await?;
            add_key(engine, &key, EventKind::SigningKeyGenerated, Some(outlook), cause).await
        }
    }
}

/// Imports a token signing key from PEM or JWK. It is added like a generated one. A development key,
/// recognized also by the key alone or its thumbprint, is refused in production.
pub async fn import(
    engine: &Engine,
    text: &str,
    algorithm: Option<SigningAlgorithm>,
    cause: &EventCause,
) -> Result<AddedKey, KeyChangeError> {
    let key = SigningKey::parse(text, algorithm).map_err(KeyChangeRefusal::from)?;
    let is_development = key.marking() == SigningKeyMarking::Development
        || signing_keys::is_development_key(engine.store(), key.kid()).await?;
    if is_development && engine.settings().mode == InstanceMode::Production {
        return Err(KeyChangeRefusal::DevelopmentKey.into());
    }
    add_key(engine, &key, EventKind::SigningKeyImported, None, cause).await
}

/// Generates a key, marked as a development key in development. This takes time, so it runs on a blocking
/// thread.
pub(crate) async fn generate_signing_key(
    engine: &Engine,
    algorithm: SigningAlgorithm,
) -> Result<SigningKey, Failure> {
    let (entropy, marking) = (engine.shared.entropy.clone(), marking_of_new_keys(engine));
    let join_handle = tokio::task::spawn_blocking(move || match marking {
        SigningKeyMarking::Real => SigningKey::generate(algorithm),
        SigningKeyMarking::Development => SigningKey::generate_development(algorithm, &*entropy),
    });
    join_handle.await.map_err(|_| Failure::Interrupted)?.map_err(Failure::KeyGenerationFailed)
}

fn marking_of_new_keys(engine: &Engine) -> SigningKeyMarking {
    match engine.settings().mode {
        InstanceMode::Production => SigningKeyMarking::Real,
        InstanceMode::Development => SigningKeyMarking::Development,
    }
}

/// The expected role of a new key, determined before it is generated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum KeySuccession {
    /// The first of its algorithm.
    First,
    /// A successor.
    Successor,
}

async fn plan_succession(
    engine: &Engine,
    algorithm: SigningAlgorithm,
) -> Result<KeySuccession, KeyChangeError> {
    if engine.key_ring().has_configured_key(algorithm) {
        return Err(KeyChangeRefusal::Configured(algorithm).into());
    }
    let now = engine.now();
    let others = list_active_keys(engine, algorithm, now).await?;
    let joining = decide_schedule(&others, algorithm, marking_of_new_keys(engine), now);
    Ok(joining.map(|joining| joining.succession())?)
}

/// Adds the key to those of its algorithm. A key generated as the first is not added as a successor: another
/// node created the first one concurrently.
async fn add_key(
    engine: &Engine,
    key: &SigningKey,
    kind: EventKind,
    foreseen: Option<KeySuccession>,
    cause: &EventCause,
) -> Result<AddedKey, KeyChangeError> {
    let algorithm = key.algorithm();
    for _ in 0..ATTEMPTS_MAX {
        if engine.key_ring().has_configured_key(algorithm) {
            return Err(KeyChangeRefusal::Configured(algorithm).into());
        }
        if let Some(same) = signing_keys::find_signing_key(engine.store(), key.kid()).await? {
            return Err(KeyChangeRefusal::Duplicate { kid: same.kid, algorithm: same.algorithm }.into());
        }
        let now = engine.now();
        let others = list_active_keys(engine, algorithm, now).await?;
        let joining = decide_schedule(&others, algorithm, key.marking(), now)?;
        if foreseen == Some(KeySuccession::First) && joining.succession() == KeySuccession::Successor {
            return Err(KeyChangeRefusal::AlreadyCreated(algorithm).into());
        }
        let context = KeyEventContext { engine, algorithm, cause, now };
        let mut batch = WriteBatch::new();
        for (other, key_lifecycle) in &joining.changed_lifetimes {
            let event =
                context.event(EventKind::SigningKeyRotated, &other.kid).with_detail("successor", key.kid());
            batch = batch
                .with_statement(signing_keys::change_key_lifecycle(other, key_lifecycle))
                .with_event(&event);
        }
        let event = context
            .event(kind, key.kid())
            .with_detail("signs_from", joining.lifecycle.signs_from.to_string());
        let batch = batch
            .with_statements(add_key_statements(engine, key, &joining.lifecycle, now)?)
            .with_event(&event);
        if engine.store().commit(batch).await?.is_committed() {
            reload_keys(engine).await?;
            let predecessor = joining.changed_lifetimes.first().map(|(other, _)| other.kid.clone());
            return Ok(AddedKey { kid: key.kid().to_owned(), lifecycle: joining.lifecycle, predecessor });
        }
    }
    Err(Failure::Contended.into())
}

/// The resulting lifecycles of the new key and the others.
struct KeySchedule<'a> {
    lifecycle: SigningKeyLifecycle,
    changed_lifetimes: Vec<(&'a SigningKeyRow, SigningKeyLifecycle)>,
}

impl KeySchedule<'_> {
    fn succession(&self) -> KeySuccession {
        if self.changed_lifetimes.is_empty() { KeySuccession::First } else { KeySuccession::Successor }
    }
}

fn decide_schedule(
    others: &[SigningKeyRow],
    algorithm: SigningAlgorithm,
    marking: SigningKeyMarking,
    now: Timestamp,
) -> Result<KeySchedule<'_>, KeyChangeRefusal> {
    let newest = others.iter().find(|other| is_newest(other));
    if marking == SigningKeyMarking::Real && newest.is_some_and(|newest| newest.is_development) {
        // A development key needs no handover: it and all earlier ones are withdrawn at once.
        let changed = others.iter().filter(|other| other.is_development);
        let changed = changed.map(|other| (other, other.lifecycle.revoke(now))).collect();
        return Ok(KeySchedule {
            lifecycle: SigningKeyLifecycle::new_first(now),
            changed_lifetimes: changed,
        });
    }
    match plan_rotation(newest.map(|newest| newest.lifecycle), now) {
        Ok(succession) => {
            let changed = newest.zip(succession.predecessor).into_iter().collect();
            Ok(KeySchedule { lifecycle: succession.new_key, changed_lifetimes: changed })
        }
        Err(RotationInProgress { signs_from }) => {
            let kid = newest.map(|newest| newest.kid.clone()).unwrap_or_default();
            Err(KeyChangeRefusal::StillAnnounced { algorithm, kid, signs_from })
        }
    }
}
