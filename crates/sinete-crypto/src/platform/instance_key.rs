//! The instance key: 32 random bytes from which the keys for encryption and MACs are derived.

use aws_lc_rs::aead::{AES_256_GCM, LessSafeKey, UnboundKey};
use aws_lc_rs::hmac;
use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use sinete_core::entropy::{Entropy, draw_bytes};
use std::fmt;
use zeroize::Zeroizing;

/// The instance key. It is never printed, and never stored next to the data it encrypts.
pub struct InstanceKey {
    id: InstanceKeyId,
    cipher: LessSafeKey,
    hmac_key: hmac::Key,
}

/// The id of an instance key. It is derived from the key and reveals nothing about it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct InstanceKeyId([u8; InstanceKeyId::BYTES]);

/// Why a text is rejected as an instance key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidInstanceKey {
    /// Not 32 bytes in base64 or hexadecimal.
    #[error("an instance key is 32 random bytes as base64 (43 or 44 characters) or hexadecimal (64)")]
    Malformed,
    /// The bytes are not random.
    #[error(
        "the instance key is not random: make one with sinete keys instance-key, or openssl rand -base64 32"
    )]
    Guessable,
}

impl InstanceKey {
    /// Parses a key: base64 or base64url, with or without padding, or hexadecimal. Surrounding white space,
    /// such as a trailing newline, is ignored.
    pub fn parse(text: &str) -> Result<Self, InvalidInstanceKey> {
        let text = text.trim();
        let mut bytes = Zeroizing::new([0; 32]);
        let decoded = match text.len() {
            64 => decode_hexadecimal(text, &mut bytes),
            43 | 44 => decode_base64(text, &mut bytes),
            _ => None,
        };
        decoded.ok_or(InvalidInstanceKey::Malformed)?;
        if is_guessable(&bytes) {
            return Err(InvalidInstanceKey::Guessable);
        }
        Self::derive(&bytes).ok_or(InvalidInstanceKey::Malformed)
    }

    /// Generates a key as text for a file or an environment variable.
    pub fn mint(entropy: &dyn Entropy) -> Zeroizing<String> {
        let bytes = Zeroizing::new(draw_bytes::<32>(entropy));
        Zeroizing::new(URL_SAFE_NO_PAD.encode(*bytes))
    }

    /// Derives the keys in use. The instance key itself encrypts nothing, so that keys for other purposes can
    /// be derived independently.
    fn derive(bytes: &[u8; 32]) -> Option<Self> {
        let root = hmac::Key::new(hmac::HMAC_SHA256, bytes);
        let id = InstanceKeyId(*hmac::sign(&root, b"sinete instance key: id").as_ref().first_chunk()?);
        let sealing = hmac::sign(&root, b"sinete instance key: sealing, version 1");
        let cipher = LessSafeKey::new(UnboundKey::new(&AES_256_GCM, sealing.as_ref()).ok()?);
        let stamping = hmac::sign(&root, b"sinete instance key: stamping, version 1");
        let stamper = hmac::Key::new(hmac::HMAC_SHA256, stamping.as_ref());
        Some(Self { id, cipher, hmac_key: stamper })
    }

    /// The id of the key.
    pub const fn id(&self) -> InstanceKeyId {
        self.id
    }

    pub(super) const fn cipher(&self) -> &LessSafeKey {
        &self.cipher
    }

    pub(crate) const fn mac_key(&self) -> &hmac::Key {
        &self.hmac_key
    }
}

impl fmt::Debug for InstanceKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "instance key {}", self.id)
    }
}

impl InstanceKeyId {
    /// The length of an id in bytes.
    pub const BYTES: usize = 8;

    pub(super) const fn from_bytes(bytes: [u8; Self::BYTES]) -> Self {
        Self(bytes)
    }

    /// The bytes of the id, as in an encrypted value.
    pub const fn as_bytes(&self) -> &[u8; Self::BYTES] {
        &self.0
    }
}

impl fmt::Display for InstanceKeyId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

impl fmt::Debug for InstanceKeyId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

fn decode_hexadecimal(text: &str, bytes: &mut [u8; 32]) -> Option<()> {
    for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().as_chunks::<2>().0) {
        let [high, low] = digits.map(|digit| char::from(digit).to_digit(16));
        *byte = u8::try_from(high? << 4 | low?).ok()?;
    }
    Some(())
}

fn decode_base64(text: &str, bytes: &mut [u8; 32]) -> Option<()> {
    let alphabet = if text.contains(['+', '/']) { &alphabet::STANDARD } else { &alphabet::URL_SAFE };
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    // The decoder requires a buffer of 33 bytes, the maximum for 44 characters without padding.
    let mut room = Zeroizing::new([0; 33]);
    let length = GeneralPurpose::new(alphabet, config).decode_slice(text, &mut *room).ok()?;
    bytes.copy_from_slice(room.get(..length).filter(|decoded| decoded.len() == 32)?);
    Some(())
}

/// Whether bytes that should be random are obviously not: few distinct values, equal steps, or readable text.
/// The chance that a random key is rejected is below one in 10⁹.
fn is_guessable(bytes: &[u8; 32]) -> bool {
    let mut present_bytes = [false; 256];
    bytes.iter().for_each(|byte| present_bytes[usize::from(*byte)] = true);
    let different = present_bytes.iter().filter(|was| **was).count();
    let step = bytes[1].wrapping_sub(bytes[0]);
    let has_equal_steps = bytes.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step);
    let is_readable = bytes.iter().all(|byte| byte.is_ascii_graphic() || *byte == b' ');
    different < 16 || has_equal_steps || is_readable
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE};
    use proptest::prelude::*;

    fn refusal(text: &str) -> InvalidInstanceKey {
        InstanceKey::parse(text).err().unwrap()
    }

    proptest! {
        #[test]
        fn instance_key_is_the_same_in_every_encoding(bytes in any::<[u8; 32]>()) {
            prop_assume!(!is_guessable(&bytes));
            let hexadecimal: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let id = InstanceKey::parse(&hexadecimal).unwrap().id();
            for spelling in [
                URL_SAFE_NO_PAD.encode(bytes),
                URL_SAFE.encode(bytes),
                STANDARD.encode(bytes),
                STANDARD_NO_PAD.encode(bytes),
                hexadecimal.to_uppercase(),
                format!(" {hexadecimal}\n"),
            ] {
                prop_assert_eq!(InstanceKey::parse(&spelling).unwrap().id(), id, "{}", spelling);
            }
        }

        #[test]
        fn instance_key_drawn_at_random_is_accepted(bytes in any::<[u8; 32]>()) {
            // The strategy for arrays has no edge cases, so this tests 256 random keys.
            prop_assert!(!is_guessable(&bytes));
        }

        #[test]
        fn instance_key_parsing_never_panics(text in ".{0,70}") {
            let _ = InstanceKey::parse(&text);
        }
    }

    #[test]
    fn instance_key_that_is_not_random_is_refused() {
        let ascending: [u8; 32] = std::array::from_fn(|index| u8::try_from(index).unwrap());
        let repeated: [u8; 32] = std::array::from_fn(|index| [0xde, 0xad, 0xbe, 0xef][index % 4]);
        for bytes in [[0; 32], [0xff; 32], ascending, repeated, *b"change me before you go to prod!"] {
            assert_eq!(refusal(&URL_SAFE_NO_PAD.encode(bytes)), InvalidInstanceKey::Guessable);
        }
    }

    #[test]
    fn instance_key_that_is_not_32_bytes_is_refused() {
        for text in ["", "secret", &"a".repeat(42), &"é".repeat(22), &"zz".repeat(32), &"A".repeat(44)] {
            assert_eq!(refusal(text), InvalidInstanceKey::Malformed, "{text}");
        }
    }

    #[test]
    fn instance_key_round_trips_and_is_never_printed() {
        let text = InstanceKey::mint(&sinete_core::entropy::DangerouslySeededEntropy::new(1));
        let key = InstanceKey::parse(&text).unwrap();
        let printed = format!("{key:?}");
        assert_eq!(printed, format!("instance key {}", key.id()));
        assert!(!printed.contains(&**text));
    }
}
