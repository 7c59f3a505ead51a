//! Encodings of bytes and numbers in imported hashes.

use super::InvalidForeignHash;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Padding is optional, and unused trailing bits are ignored.
const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);

/// Decodes base64, with or without padding, also in the alphabets of base64url and passlib.
pub(super) fn decode_bytes(text: &str) -> Result<Vec<u8>, InvalidForeignHash> {
    let standard: String = text
        .chars()
        .map(|character| match character {
            '.' | '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    STANDARD.decode(standard).map_err(|_| InvalidForeignHash::Malformed)
}

/// Parses a decimal number without sign or leading zero.
pub(super) fn parse_number(text: &str) -> Result<u32, InvalidForeignHash> {
    let plain = text.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('0');
    if !plain {
        return Err(InvalidForeignHash::Malformed);
    }
    match text.parse() {
        Ok(number) => Ok(number),
        Err(_) if text.is_empty() => Err(InvalidForeignHash::Malformed),
        Err(_) => Err(InvalidForeignHash::TooCostly("one of its numbers is out of all bounds")),
    }
}

/// Parses the number after a name, as in `r=8`.
pub(super) fn parse_named_number(text: &str, name: &str) -> Result<u32, InvalidForeignHash> {
    parse_number(text.strip_prefix(name).ok_or(InvalidForeignHash::Malformed)?)
}

/// Splits the text into exactly this many parts.
pub(super) fn split_parts<const N: usize>(
    text: &str,
    between: char,
) -> Result<[&str; N], InvalidForeignHash> {
    let parts: Vec<&str> = text.split(between).collect();
    parts.try_into().map_err(|_| InvalidForeignHash::Malformed)
}

/// Checks the lengths of salt and tag.
pub(super) fn check_lengths(salt: &[u8], tag: &[u8]) -> Result<(), InvalidForeignHash> {
    let fits = (1..=128).contains(&salt.len()) && (16..=128).contains(&tag.len());
    if fits { Ok(()) } else { Err(InvalidForeignHash::Malformed) }
}
