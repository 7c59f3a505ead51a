//! What the browser says about the ceremony (WebAuthn §5.8.1), and whether it is the one we began.

use super::error::WebauthnRejection;
use super::{WebauthnCeremony, WebauthnExpectations};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{Digest, SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sinete_core::unique_json;

/// The challenge that client data says it answers.
pub(super) fn read_claimed_challenge(bytes: &[u8]) -> Option<Vec<u8>> {
    let data = unique_json::parse_object(bytes)?;
    URL_SAFE_NO_PAD.decode(data.get("challenge")?.as_str()?).ok()
}

/// Checks type, challenge, origin and framing, in this order, and gives the hash that is signed.
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
    // Byte for byte: a suffix, a prefix, another port or another case is another origin.
    let origin = text("origin")?;
    if !expected.party.origins.iter().any(|ours| ours == origin) {
        return Err(WebauthnRejection::Origin);
    }
    match data.get("crossOrigin") {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => return Err(WebauthnRejection::CrossOrigin),
        Some(_) => return Err(WebauthnRejection::ClientData),
    }
    // Level 3: only a page inside a frame of another site has a top origin.
    if data.contains_key("topOrigin") {
        return Err(WebauthnRejection::CrossOrigin);
    }
    Ok(digest(&SHA256, bytes))
}
