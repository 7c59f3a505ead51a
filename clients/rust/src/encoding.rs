//! Base64url, SHA-256 and JSON, parsed strictly.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

/// The members of a JSON object.
pub type Members = Map<String, Value>;

/// Encodes as base64url without padding.
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// Decodes base64url without padding; `None` for any other spelling.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// The SHA-256 of a string, in base64url.
pub fn sha256_base64url(text: &str) -> String {
    encode(digest(&SHA256, text.as_bytes()))
}

/// Decodes a part of a JWT that is a JSON object.
pub fn decode_object(part: &str) -> Option<Members> {
    match serde_json::from_slice(&decode(part)?) {
        Ok(Value::Object(members)) => Some(members),
        _ => None,
    }
}

/// A member that is a non-empty string.
pub fn get_text<'a>(members: &'a Members, name: &str) -> Option<&'a str> {
    members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The largest integer that every JSON parser represents exactly.
const WHOLE_MAX: f64 = 9_007_199_254_740_991.0;

/// A member that is a time in whole seconds since 1970.
pub fn get_time(members: &Members, name: &str) -> Option<i64> {
    let number = members.get(name).and_then(Value::as_f64)?;
    let is_whole = number.fract() == 0.0 && number.abs() <= WHOLE_MAX;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
    is_whole.then_some(number as i64)
}

/// The same for an optional member; `Err` where it is present and not a time.
pub fn get_optional_time(members: &Members, name: &str) -> Result<Option<i64>, ()> {
    match members.contains_key(name) {
        true => get_time(members, name).map(Some).ok_or(()),
        false => Ok(None),
    }
}

/// Form-encodes a client id or secret for HTTP Basic (RFC 6749 §2.3.1).
pub fn form_encode(text: &str) -> String {
    let encode_byte = |byte: u8| match byte {
        b' ' => "+".to_owned(),
        plain if plain.is_ascii_alphanumeric() || b"*-._".contains(&plain) => char::from(plain).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(encode_byte).collect()
}
