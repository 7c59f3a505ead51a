//! Base64url, SHA-256 and JSON, as strictly as signed texts are read.

use aws_lc_rs::digest::{SHA256, digest};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

/// The members of a JSON object.
pub type Members = Map<String, Value>;

/// Base64url without padding.
pub fn encode(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(bytes)
}

/// The bytes of a base64url text without padding, spelt in the one way there is.
pub fn decode(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text).ok()
}

/// The SHA-256 of a text, in base64url.
pub fn hash_of(text: &str) -> String {
    encode(digest(&SHA256, text.as_bytes()))
}

/// A part of a signed text that is a JSON object.
pub fn object_in(part: &str) -> Option<Members> {
    match serde_json::from_slice(&decode(part)?) {
        Ok(Value::Object(members)) => Some(members),
        _ => None,
    }
}

/// A member that is a text with something in it.
pub fn text_in<'a>(members: &'a Members, name: &str) -> Option<&'a str> {
    members.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The largest whole number that every reader of JSON reads alike.
const WHOLE_MAX: f64 = 9_007_199_254_740_991.0;

/// A member that is a moment, in whole seconds since 1970.
pub fn time_in(members: &Members, name: &str) -> Option<i64> {
    let number = members.get(name).and_then(Value::as_f64)?;
    let is_whole = number.fract() == 0.0 && number.abs() <= WHOLE_MAX;
    #[expect(clippy::cast_possible_truncation, reason = "it is whole and small enough")]
    is_whole.then_some(number as i64)
}

/// The same, where it may be missing: something that is no moment is not.
pub fn time_if_there(members: &Members, name: &str) -> Result<Option<i64>, ()> {
    match members.contains_key(name) {
        true => time_in(members, name).map(Some).ok_or(()),
        false => Ok(None),
    }
}

/// A text as a form has it, which is how names and secrets of clients stand in a header (RFC 6749 §2.3.1).
pub fn form_encoded(text: &str) -> String {
    let letter = |byte: u8| match byte {
        b' ' => "+".to_owned(),
        plain if plain.is_ascii_alphanumeric() || b"*-._".contains(&plain) => char::from(plain).to_string(),
        other => format!("%{other:02X}"),
    };
    text.bytes().map(letter).collect()
}
