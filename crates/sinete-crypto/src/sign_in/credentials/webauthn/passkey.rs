//! What is kept of a passkey: nothing secret, and everything later checks compare with.

use super::public_key::PasskeyPublicKey;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};

/// The number of the form it is written in.
const FORM: u32 = 1;

/// A passkey as it is stored, beside its id and its counter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredPasskey {
    /// The public key, in COSE.
    pub(super) key: Vec<u8>,
    /// Whether it may be copied to other devices. It never changes.
    pub backup_eligible: bool,
    /// Whether it was, when it was last used.
    pub backed_up: bool,
    /// The model of the authenticator, or zeros.
    pub aaguid: [u8; 16],
    /// How it can be reached, as the browser said.
    pub transports: Vec<String>,
}

/// The stored bytes are not a passkey.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stored passkey is not in a form this program knows")]
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
    /// The bytes to store.
    pub fn to_bytes(&self) -> Vec<u8> {
        let stored = StoredPasskeyDocument {
            form: FORM,
            key: URL_SAFE_NO_PAD.encode(&self.key),
            backup_eligible: self.backup_eligible,
            backed_up: self.backed_up,
            aaguid: URL_SAFE_NO_PAD.encode(self.aaguid),
            transports: self.transports.clone(),
        };
        // A structure of texts and flags always has a JSON text.
        serde_json::to_vec(&stored).unwrap_or_default()
    }

    /// What was stored.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, InvalidStoredPasskey> {
        let stored: StoredPasskeyDocument =
            serde_json::from_slice(bytes).map_err(|_| InvalidStoredPasskey)?;
        let key = URL_SAFE_NO_PAD.decode(&stored.key).map_err(|_| InvalidStoredPasskey)?;
        let aaguid = URL_SAFE_NO_PAD.decode(&stored.aaguid).map_err(|_| InvalidStoredPasskey)?;
        if stored.form != FORM || PasskeyPublicKey::parse(&key).is_err() {
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
