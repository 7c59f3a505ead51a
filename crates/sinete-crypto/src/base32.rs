//! Base32 encoding for text that users read aloud and type.

/// The alphabet of authenticator apps (RFC 4648 §6).
pub(crate) const RFC_4648: &[u8; 32] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/// An alphabet without `i`, `l`, `o` and `u`, so that no two characters are confused.
pub(crate) const CROCKFORD: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// Encodes the bytes without padding. Unused bits at the end are zero.
pub(crate) fn encode_base32(alphabet: &[u8; 32], bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(5) * 8);
    for chunk in bytes.chunks(5) {
        let mut five = [0; 8];
        five[3..3 + chunk.len()].copy_from_slice(chunk);
        let bits = u64::from_be_bytes(five);
        for position in 0..(chunk.len() * 8).div_ceil(5) {
            let index = (bits >> (35 - 5 * position)) & 0x1f;
            text.push(char::from(alphabet[usize::try_from(index).unwrap_or(0)]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 4648 §10, without padding.
    #[test]
    fn base32_matches_rfc_4648_vectors() {
        for (bytes, text) in [
            ("", ""),
            ("f", "MY"),
            ("fo", "MZXQ"),
            ("foo", "MZXW6"),
            ("foob", "MZXW6YQ"),
            ("fooba", "MZXW6YTB"),
            ("foobar", "MZXW6YTBOI"),
        ] {
            assert_eq!(encode_base32(RFC_4648, bytes.as_bytes()), text);
        }
        assert_eq!(encode_base32(CROCKFORD, b"fooba"), "csqpyrk1");
    }

    #[test]
    fn base32_alphabets_have_no_duplicate_character() {
        for alphabet in [RFC_4648, CROCKFORD] {
            let mut sorted = alphabet.to_vec();
            sorted.sort_unstable();
            sorted.dedup();
            assert_eq!(sorted.len(), 32);
        }
    }
}
