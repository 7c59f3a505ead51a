//! The text format of secrets: a prefix that names the kind, then the bytes and a checksum in base64url.

use super::InvalidSecret;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The length of the checksum in bytes.
const CHECKSUM_BYTES: usize = 4;
/// The buffer size for the longest secret, as the decoder estimates it.
const DECODE_BUFFER_BYTES: usize = 72;

/// Encodes the bytes.
pub(super) fn encode_secret(prefix: &str, bytes: &[u8]) -> String {
    let mut buffer = [0_u8; DECODE_BUFFER_BYTES];
    let length = bytes.len();
    buffer[..length].copy_from_slice(bytes);
    buffer[length..length + CHECKSUM_BYTES].copy_from_slice(&compute_checksum(prefix, bytes));
    let mut text = String::with_capacity(prefix.len() + character_count(length));
    text.push_str(prefix);
    URL_SAFE_NO_PAD.encode_string(&buffer[..length + CHECKSUM_BYTES], &mut text);
    text
}

/// Decodes a text, accepting only the canonical encoding.
pub(super) fn decode_secret<const LENGTH: usize>(
    prefix: &str,
    text: &str,
) -> Result<[u8; LENGTH], InvalidSecret> {
    let body = text.strip_prefix(prefix).ok_or(InvalidSecret)?;
    if body.len() != character_count(LENGTH) {
        return Err(InvalidSecret);
    }
    let mut decoded = [0_u8; DECODE_BUFFER_BYTES];
    // Unused trailing bits must be zero, so that the encoding is unique.
    let length = URL_SAFE_NO_PAD.decode_slice(body, &mut decoded).map_err(|_| InvalidSecret)?;
    let (bytes, sum) = decoded[..length].split_first_chunk().ok_or(InvalidSecret)?;
    if sum != compute_checksum(prefix, bytes) {
        return Err(InvalidSecret);
    }
    Ok(*bytes)
}

/// The number of characters for this many bytes and their checksum.
const fn character_count(bytes: usize) -> usize {
    ((bytes + CHECKSUM_BYTES) * 4).div_ceil(3)
}

fn compute_checksum(prefix: &str, bytes: &[u8]) -> [u8; CHECKSUM_BYTES] {
    let mut sum = crc32fast::Hasher::new();
    sum.update(prefix.as_bytes());
    sum.update(bytes);
    sum.finalize().to_be_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secret_encoding_round_trips_with_its_own_prefix_only() {
        for text in [
            encode_secret("sn_a_", &[7; 32]),
            encode_secret("sn_a_", &[7; 48]),
            encode_secret("sn_a_", &[7; 68]),
        ] {
            let other = text.replace("sn_a_", "sn_b_");
            let read = |prefix: &str, text: &str| {
                let is_whole =
                    [decode_secret::<32>(prefix, text).is_ok(), decode_secret::<48>(prefix, text).is_ok()];
                is_whole.contains(&true) || decode_secret::<68>(prefix, text).is_ok()
            };
            assert!(read("sn_a_", &text));
            assert!(!read("sn_b_", &text) && !read("sn_b_", &other), "the checksum covers the prefix");
        }
    }
}
