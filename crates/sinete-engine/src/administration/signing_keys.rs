//! Signing keys through the management API: list and rotate.

use crate::access_control::instance_admin::InstanceAdmin;
use crate::platform::signing_keys::{AddedKey, KeyChangeError, KeyChangeRefusal};
use crate::{Engine, Error};
use sinete_core::access_control::built_in_permissions::{READ_INSTANCE, ROTATE_KEYS};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::administration::AdministrationRefusal;
use sinete_crypto::platform::signing_keys::SigningKeyMarking;

pub use crate::platform::signing_keys::overview::KeyOverview;

/// Lists all keys with their lifecycle.
pub async fn list(engine: &Engine, instance_admin: &InstanceAdmin) -> Result<Vec<KeyOverview>, Error> {
    instance_admin.require_permission(READ_INSTANCE)?;
    Ok(crate::platform::signing_keys::overview::list(engine).await?)
}

/// Creates a successor for the token signing key of this algorithm.
pub async fn rotate(
    engine: &Engine,
    instance_admin: &InstanceAdmin,
    algorithm: SigningAlgorithm,
) -> Result<AddedKey, Error> {
    instance_admin.require_permission(ROTATE_KEYS)?;
    let rotated = crate::platform::signing_keys::rotate(engine, algorithm, instance_admin.cause()).await;
    rotated.map_err(|error| match error {
        KeyChangeError::Refused(refused) => {
            Refusal::because(refusal_reason(&refused), refused.to_string()).into()
        }
        KeyChangeError::Failed(failure) => failure.into(),
    })
}

/// Whether the key is a development key, which production rejects.
pub fn is_development(key: &KeyOverview) -> bool {
    key.marking == SigningKeyMarking::Development
}

const fn refusal_reason(refused: &KeyChangeRefusal) -> AdministrationRefusal {
    match refused {
        KeyChangeRefusal::StillAnnounced { .. } => AdministrationRefusal::SigningKeyAnnounced,
        KeyChangeRefusal::NothingToRotate(_) => AdministrationRefusal::SigningKeyMissing,
        KeyChangeRefusal::Configured(_) => AdministrationRefusal::SigningKeyConfigured,
        KeyChangeRefusal::NotAKey(_)
        | KeyChangeRefusal::DevelopmentKey
        | KeyChangeRefusal::Duplicate { .. }
        | KeyChangeRefusal::AlreadyCreated(_)
        | KeyChangeRefusal::Unknown(_)
        | KeyChangeRefusal::SignsTheLog(_)
        | KeyChangeRefusal::AlreadyWithdrawn(_) => AdministrationRefusal::SigningKeyNotRotatable,
    }
}
