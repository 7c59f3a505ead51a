//! Pagination cursors with a MAC, valid only for the list they were issued for.

use crate::Engine;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sinete_core::limits::CURSOR_CHARACTERS_MAX;
use sinete_core::refusal::Refusal;
use sinete_core::refusal::request::RequestRefusal;
use sinete_crypto::platform::mac::{MAC_BYTES, MacPurpose};

/// Encodes the cursor after `last` in the list that these parts identify: its route, organization and
/// filters.
pub fn encode_cursor(engine: &Engine, list: &[&[u8]], last: &str) -> String {
    let stamp = engine.instance_keys().compute_mac(MacPurpose::Cursor, &authenticated_parts(list, last));
    URL_SAFE_NO_PAD.encode([&stamp, last.as_bytes()].concat())
}

/// Decodes a cursor, if it was issued for this list.
pub fn decode_cursor(engine: &Engine, list: &[&[u8]], text: &str) -> Result<String, Refusal> {
    let cursor = parse_cursor(text).filter(|(stamp, last)| {
        engine.instance_keys().verify_mac(MacPurpose::Cursor, &authenticated_parts(list, last), stamp)
    });
    cursor.map(|(_, last)| last).ok_or_else(|| {
        Refusal::because(RequestRefusal::CursorInvalid, "a malformed, altered or foreign cursor")
    })
}

fn parse_cursor(text: &str) -> Option<([u8; MAC_BYTES], String)> {
    let bytes = (text.len() <= CURSOR_CHARACTERS_MAX).then(|| URL_SAFE_NO_PAD.decode(text).ok())??;
    let (stamp, last) = bytes.split_first_chunk()?;
    Some((*stamp, String::from_utf8(last.to_vec()).ok()?))
}

fn authenticated_parts<'a>(list: &[&'a [u8]], last: &'a str) -> Vec<&'a [u8]> {
    list.iter().copied().chain([last.as_bytes()]).collect()
}
