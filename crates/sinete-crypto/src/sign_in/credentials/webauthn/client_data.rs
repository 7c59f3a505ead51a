//! Verification of the client data (WebAuthn §5.8.1).

use super::error::WebauthnRejection;
use super::{WebauthnCeremony, WebauthnExpectations};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{Digest, SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sinete_core::unique_json;

/// Reads the unverified challenge from client data.
pub(super) fn read_claimed_challenge(bytes: &[u8]) -> Option<Vec<u8>> {
    let data = unique_json::parse_object(bytes)?;
    URL_SAFE_NO_PAD.decode(data.get("challenge")?.as_str()?).ok()
}

/// Checks type, challenge, origin and cross-origin state, in this order, and returns the hash that is signed.
pub(super) fn check_client_data(
    bytes: &[u8],
    ceremony: WebauthnCeremony,
    expected: &WebauthnExpectations<'_>,
) -> Result<Digest, WebauthnRejection> {
    let data = unique_json::parse_object(bytes).ok_or(WebauthnRejection::ClientData)?;
    let text = |name: &str| data.get(name).and_then(Value::as_str).ok_or(WebauthnRejection::ClientData);
    if text("type")? != ceremony.name() {
        return Err(WebauthnRejection::Ceremony);
    }
    let challenge = URL_SAFE_NO_PAD.decode(text("challenge")?).map_err(|_| WebauthnRejection::Challenge)?;
    verify_slices_are_equal(&challenge, expected.challenge).map_err(|_| WebauthnRejection::Challenge)?;
    // Compared byte for byte: another suffix, prefix, port or case is another origin.
    let origin = text("origin")?;
    if !expected.party.origins.iter().any(|ours| ours == origin) {
        return Err(WebauthnRejection::Origin);
    }
    match data.get("crossOrigin") {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => return Err(WebauthnRejection::CrossOrigin),
        Some(_) => return Err(WebauthnRejection::ClientData),
    }
    // Level 3: `topOrigin` is present only in a cross-origin iframe.
    if data.contains_key("topOrigin") {
        return Err(WebauthnRejection::CrossOrigin);
    }
    Ok(digest(&SHA256, bytes))
}
