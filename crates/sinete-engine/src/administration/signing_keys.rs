//! Signing keys through the management API: list and rotate.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::platform::signing_keys::{AddedKey, KeyChangeError};
use crate::{Engine, Failure};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::refusal::{Refusal, RefusalCode};
use sinete_crypto::platform::signing_keys::SigningKeyMarking;

pub use crate::platform::signing_keys::overview::KeyOverview;

/// Lists all keys with their lifecycle.
pub async fn list(
    engine: &Engine,
    operating: &InstanceAdmin,
) -> Result<Result<Vec<KeyOverview>, Refusal>, Failure> {
    match operating.require_permission("instance:read") {
        Ok(()) => Ok(Ok(crate::platform::signing_keys::overview::list(engine).await?)),
        Err(refusal) => Ok(Err(refusal)),
    }
}

/// Creates a successor for the token signing key of this algorithm.
pub async fn rotate(
    engine: &Engine,
    operating: &InstanceAdmin,
    algorithm: SigningAlgorithm,
) -> Result<Result<AddedKey, Refusal>, Failure> {
    if let Err(refusal) = operating.require_permission("keys:rotate") {
        return Ok(Err(refusal));
    }
    let rotated = crate::platform::signing_keys::rotate(engine, algorithm, operating.cause()).await?;
    Ok(rotated
        .map_err(|refused| Refusal::new(RefusalCode::Conflict, public_reason(&refused), refused.to_string())))
}

/// Whether the key is a development key, which production rejects.
pub fn is_development(key: &KeyOverview) -> bool {
    key.marking == SigningKeyMarking::Development
}

const fn public_reason(refused: &KeyChangeError) -> &'static str {
    match refused {
        KeyChangeError::StillAnnounced { .. } => "a successor is announced already and has not begun to sign",
        KeyChangeError::NothingToRotate(_) => "there is no key of this algorithm yet: make one first",
        KeyChangeError::Configured(_) => {
            "the keys of this algorithm come from the configuration: replace them there"
        }
        KeyChangeError::NotAKey(_)
        | KeyChangeError::DevelopmentKey
        | KeyChangeError::Duplicate { .. }
        | KeyChangeError::AlreadyThere(_)
        | KeyChangeError::Unknown(_)
        | KeyChangeError::SignsTheLog(_)
        | KeyChangeError::AlreadyWithdrawn(_) => "the key cannot be rotated now",
    }
}
