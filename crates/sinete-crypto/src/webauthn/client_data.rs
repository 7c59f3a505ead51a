//! What the browser says about the ceremony (WebAuthn §5.8.1), and whether it is the one we began.

use super::refused::Refused;
use super::{Ceremony, Expected};
use aws_lc_rs::constant_time::verify_slices_are_equal;
use aws_lc_rs::digest::{Digest, SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sinete_core::unique_json;

/// The challenge that client data says it answers.
pub(super) fn claimed_challenge(bytes: &[u8]) -> Option<Vec<u8>> {
    let data = unique_json::object(bytes)?;
    URL_SAFE_NO_PAD.decode(data.get("challenge")?.as_str()?).ok()
}

/// Checks type, challenge, origin and framing, in this order, and gives the hash that is signed.
pub(super) fn check(bytes: &[u8], ceremony: Ceremony, expected: &Expected<'_>) -> Result<Digest, Refused> {
    let data = unique_json::object(bytes).ok_or(Refused::ClientData)?;
    let text = |name: &str| data.get(name).and_then(Value::as_str).ok_or(Refused::ClientData);
    if text("type")? != ceremony.name() {
        return Err(Refused::Ceremony);
    }
    let challenge = URL_SAFE_NO_PAD.decode(text("challenge")?).map_err(|_| Refused::Challenge)?;
    verify_slices_are_equal(&challenge, expected.challenge).map_err(|_| Refused::Challenge)?;
    // Byte for byte: a suffix, a prefix, another port or another case is another origin.
    let origin = text("origin")?;
    if !expected.party.origins.iter().any(|ours| ours == origin) {
        return Err(Refused::Origin);
    }
    match data.get("crossOrigin") {
        None | Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => return Err(Refused::CrossOrigin),
        Some(_) => return Err(Refused::ClientData),
    }
    // Level 3: only a page inside a frame of another site has a top origin.
    if data.contains_key("topOrigin") {
        return Err(Refused::CrossOrigin);
    }
    Ok(digest(&SHA256, bytes))
}
