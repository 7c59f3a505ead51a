//! What a page hands to the browser to begin a ceremony (WebAuthn §5.4 and §5.5, in JSON).

use super::public_key::OFFERED;
use super::{RelyingParty, UserVerification};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

/// The person a passkey is made for, as the device will show them.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyUser<'a> {
    /// The handle that comes back with every signature. It says nothing about the person.
    pub handle: &'a [u8],
    /// What tells this account from another of the same person.
    pub name: &'a str,
    /// What the person is called.
    pub display_name: &'a str,
}

/// A passkey we know.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyDescriptor<'a> {
    /// Its own id.
    pub id: &'a [u8],
    /// How it can be reached.
    pub transports: &'a [String],
}

/// A passkey to be made.
#[derive(Clone, Copy, Debug)]
pub struct PasskeyCreationRequest<'a> {
    /// For whom.
    pub user: PasskeyUser<'a>,
    /// What the service is called.
    pub service: &'a str,
    /// The passkeys the person has: a device that holds one of them makes no other.
    pub existing: &'a [PasskeyDescriptor<'a>],
}

/// Options to make a passkey that can be found without a name being typed.
pub fn build_creation_options(
    party: &RelyingParty,
    new: &PasskeyCreationRequest<'_>,
    challenge: &[u8],
    timeout_ms: u64,
) -> Value {
    let parameters: Vec<_> = OFFERED
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
        "excludeCredentials": descriptors(new.existing),
        "authenticatorSelection": {
            "residentKey": "required",
            "requireResidentKey": true,
            "userVerification": UserVerification::Required.name(),
        },
        "attestation": "none",
        "extensions": {"credProps": true},
    })
}

/// Options to sign with a passkey: any of the person's own if they are known, else whichever the device
/// holds for our domain.
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
        "allowCredentials": descriptors(allowed),
        "userVerification": user_verification.name(),
    })
}

fn descriptors(passkeys: &[PasskeyDescriptor<'_>]) -> Vec<Value> {
    let described = |passkey: &PasskeyDescriptor<'_>| {
        let mut descriptor = json!({"type": "public-key", "id": URL_SAFE_NO_PAD.encode(passkey.id)});
        if !passkey.transports.is_empty() {
            descriptor["transports"] = json!(passkey.transports);
        }
        descriptor
    };
    passkeys.iter().map(described).collect()
}
