//! The stored data of a passkey, none of which is secret.

use super::public_key::PasskeyPublicKey;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// The version of the stored format.
const FORMAT_VERSION: u32 = 1;

/// A stored passkey, apart from its id and counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPasskey {
    /// The public key as a COSE key.
    pub(super) key: Vec<u8>,
    /// Whether it is backup eligible. This never changes.
    pub backup_eligible: bool,
    /// Whether it was backed up when last used.
    pub backed_up: bool,
    /// The AAGUID, or zeros.
    pub aaguid: [u8; 16],
    /// The transports that the browser reported.
    pub transports: Vec<String>,
}

/// The stored bytes are not a passkey.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored passkey has an unknown format")]
pub struct InvalidStoredPasskey;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct StoredPasskeyDocument {
    form: u32,
    key: String,
    backup_eligible: bool,
    backed_up: bool,
    aaguid: String,
    transports: Vec<String>,
}

impl StoredPasskey {
    /// Serializes the passkey for storage.
    pub fn to_bytes(&self) -> Vec<u8> {
        let stored = StoredPasskeyDocument {
            form: FORMAT_VERSION,
            key: URL_SAFE_NO_PAD.encode(&self.key),
            backup_eligible: self.backup_eligible,
            backed_up: self.backed_up,
            aaguid: URL_SAFE_NO_PAD.encode(self.aaguid),
            transports: self.transports.clone(),
        };
        // A structure of strings and booleans always serializes.
        serde_json::to_vec(&stored).unwrap_or_default()
    }

    /// Deserializes a stored passkey.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidStoredPasskey> {
        let stored: StoredPasskeyDocument =
            serde_json::from_slice(bytes).map_err(|_| InvalidStoredPasskey)?;
        let key = URL_SAFE_NO_PAD.decode(&stored.key).map_err(|_| InvalidStoredPasskey)?;
        let aaguid = URL_SAFE_NO_PAD.decode(&stored.aaguid).map_err(|_| InvalidStoredPasskey)?;
        if stored.form != FORMAT_VERSION || PasskeyPublicKey::parse(&key).is_err() {
            return Err(InvalidStoredPasskey);
        }
        Ok(Self {
            key,
            backup_eligible: stored.backup_eligible,
            backed_up: stored.backed_up,
            aaguid: aaguid.try_into().map_err(|_| InvalidStoredPasskey)?,
            transports: stored.transports,
        })
    }
}
