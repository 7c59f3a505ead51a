//! Options that a page passes to the browser to start a ceremony (WebAuthn §5.4 and §5.5, as JSON).

use super::public_key::OFFERED_ALGORITHMS;
use super::{RelyingParty, UserVerification};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// The user of a new passkey, as the authenticator displays them.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyUser<'a> {
    /// The user handle, which is returned with every assertion. It contains no personal data.
    pub handle: &'a [u8],
    /// The name that distinguishes the user's accounts.
    pub name: &'a str,
    /// The display name.
    pub display_name: &'a str,
}

/// A known passkey.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyDescriptor<'a> {
    /// The credential id.
    pub id: &'a [u8],
    /// The transports.
    pub transports: &'a [String],
}

/// A request to create a passkey.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyCreationRequest<'a> {
    /// The user.
    pub user: PasskeyUser<'a>,
    /// The name of the service.
    pub service: &'a str,
    /// The user's existing passkeys: an authenticator that holds one creates no other.
    pub existing: &'a [PasskeyDescriptor<'a>],
}

/// Builds the options to create a discoverable passkey.
pub fn build_creation_options(
    party: &RelyingParty,
    new: &PasskeyCreationRequest<'_>,
    challenge: &[u8],
    timeout_ms: u64,
) -> Value {
    let parameters: Vec<_> = OFFERED_ALGORITHMS
        .iter()
        .map(|algorithm| json!({"type": "public-key", "alg": algorithm.cose_number()}))
        .collect();
    json!({
        "rp": {"id": party.id, "name": new.service},
        "user": {
            "id": URL_SAFE_NO_PAD.encode(new.user.handle),
            "name": new.user.name,
            "displayName": new.user.display_name,
        },
        "challenge": URL_SAFE_NO_PAD.encode(challenge),
        "pubKeyCredParams": parameters,
        "timeout": timeout_ms,
        "excludeCredentials": build_descriptors(new.existing),
        "authenticatorSelection": {
            "residentKey": "required",
            "requireResidentKey": true,
            "userVerification": UserVerification::Required.name(),
        },
        "attestation": "none",
        "extensions": {"credProps": true},
    })
}

/// Builds the options to authenticate with a passkey: one of the user's if the user is known, else any
/// discoverable one for our domain.
pub fn build_request_options(
    party: &RelyingParty,
    allowed: &[PasskeyDescriptor<'_>],
    user_verification: UserVerification,
    challenge: &[u8],
    timeout_ms: u64,
) -> Value {
    json!({
        "rpId": party.id,
        "challenge": URL_SAFE_NO_PAD.encode(challenge),
        "timeout": timeout_ms,
        "allowCredentials": build_descriptors(allowed),
        "userVerification": user_verification.name(),
    })
}

fn build_descriptors(passkeys: &[PasskeyDescriptor<'_>]) -> Vec<Value> {
    let described = |passkey: &PasskeyDescriptor<'_>| {
        let mut descriptor = json!({"type": "public-key", "id": URL_SAFE_NO_PAD.encode(passkey.id)});
        if !passkey.transports.is_empty() {
            descriptor["transports"] = json!(passkey.transports);
        }
        descriptor
    };
    passkeys.iter().map(described).collect()
}
