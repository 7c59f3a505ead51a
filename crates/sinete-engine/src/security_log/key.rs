//! The keys that sign the head. Their private halves are in the database, sealed with the instance key, and
//! the public halves are derived from those: whoever writes to the database cannot put in a key of their own.

use super::LogFailed;
use sinete_core::entropy::Entropy;
use sinete_core::signing::{Algorithm, KeyPurpose, Life};
use sinete_core::time::Timestamp;
use sinete_crypto::key::{Marking, PublicKey, SigningKey};
use sinete_crypto::seal::{InstanceKeys, NotOpened, Place, Purpose};
use sinete_store::signing_keys::{self, NewSigningKey};
use sinete_store::{Step, Store};
use std::fmt;

/// The algorithm heads are signed with.
const ALGORITHM: Algorithm = Algorithm::EdDsa;

/// The keys of the log that are really ours.
pub(super) struct LogKeys {
    keys: Vec<(SigningKey, Life)>,
}

impl LogKeys {
    /// The keys in the database that open with the instance key; whatever else claims to be one is none of
    /// ours. If nothing opens because we were given another instance key, that is a failure.
    pub(super) async fn load(
        store: &Store,
        instance_keys: &InstanceKeys,
        now: Timestamp,
    ) -> Result<Self, LogFailed> {
        let (mut keys, mut unknown) = (Vec::new(), None);
        for stored in signing_keys::standing(store, now).await? {
            if stored.purpose != KeyPurpose::Log || stored.algorithm != ALGORITHM {
                continue;
            }
            let place = Place::new(Purpose::SigningKey, &stored.kid);
            let private = match instance_keys.open(&place, &stored.sealed_private) {
                Ok(private) => private,
                Err(why @ NotOpened::UnknownKey(_)) => {
                    unknown = Some(why);
                    continue;
                }
                Err(NotOpened::UnknownForm | NotOpened::Altered) => continue,
            };
            match SigningKey::from_pkcs8(&private, ALGORITHM, Marking::Real) {
                Ok(key) if key.kid() == stored.kid => keys.push((key, stored.life)),
                Ok(_) | Err(_) => {}
            }
        }
        match unknown {
            Some(why) if keys.is_empty() => Err(LogFailed::KeySealed(why)),
            _ => Ok(Self { keys }),
        }
    }

    /// A new key, and the step that keeps it.
    pub(super) fn generate(
        instance_keys: &InstanceKeys,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<(Self, Step), LogFailed> {
        let key = SigningKey::generate(ALGORITHM).map_err(|_| LogFailed::NotSigned)?;
        let private = key.to_pkcs8().map_err(|_| LogFailed::NotSigned)?;
        let sealed = instance_keys
            .seal(&Place::new(Purpose::SigningKey, key.kid()), &private, entropy)
            .map_err(|_| LogFailed::NotSigned)?;
        let life = Life::first(now);
        let step = signing_keys::add(&NewSigningKey {
            kid: key.kid(),
            purpose: KeyPurpose::Log,
            algorithm: ALGORITHM,
            public_jwk: &key.public().to_jwk().to_string(),
            sealed_private: &sealed,
            is_development: false,
            created_at: now,
            life,
        });
        Ok((Self { keys: vec![(key, life)] }, step))
    }

    /// Whether there is none.
    pub(super) const fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// The key to sign with. It signs from the moment it is there: nobody has to hear of it first.
    pub(super) fn newest(&self) -> Result<&SigningKey, LogFailed> {
        let unfinished = self.keys.iter().filter(|(_, life)| life.signs_until.is_none());
        unfinished.max_by_key(|(_, life)| life.signs_from).map(|(key, _)| key).ok_or(LogFailed::NoKey)
    }

    /// The public half of the key of this name.
    pub(super) fn public(&self, kid: &str) -> Option<&PublicKey> {
        self.keys.iter().map(|(key, _)| key).find(|key| key.kid() == kid).map(|key| &**key.public())
    }
}

impl fmt::Debug for LogKeys {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_list().entries(self.keys.iter().map(|(key, _)| key.kid())).finish()
    }
}
