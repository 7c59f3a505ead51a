//! Recovery codes.
//!
//! Each has 140 random bits in seven groups of four characters, so a plain SHA-256 digest is sufficient for
//! storage. Capital letters, missing hyphens or an `o` for a zero are accepted.

use crate::base32;
use aws_lc_rs::digest::{SHA256, digest};
use sinete_core::entropy::{Entropy, draw_bytes};

/// The number of codes in a set.
pub const CODES_PER_SET: usize = 10;
const CODE_CHARACTERS: usize = 28;
const GROUP_CHARACTERS: usize = 4;
/// The maximum length of an entered code, including spaces.
const TYPED_CHARACTERS_MAX: usize = 64;

/// Generates a code, to show once.
pub fn mint_recovery_code(entropy: &dyn Entropy) -> String {
    let bytes: [u8; 18] = draw_bytes(entropy);
    let characters = base32::encode_base32(base32::CROCKFORD, &bytes);
    let groups: Vec<_> = characters.as_bytes()[..CODE_CHARACTERS]
        .chunks(GROUP_CHARACTERS)
        .map(|group| String::from_utf8_lossy(group).into_owned())
        .collect();
    groups.join("-")
}

/// The stored digest of an entered code; `None` if it is not well-formed.
pub fn digest_recovery_code(input: &str) -> Option<[u8; 32]> {
    if input.len() > TYPED_CHARACTERS_MAX {
        return None;
    }
    let mut characters = Vec::with_capacity(CODE_CHARACTERS);
    for character in input.chars().filter(|character| !matches!(character, '-' | ' ')) {
        let character = match character.to_ascii_lowercase() {
            'o' => '0',
            'i' | 'l' => '1',
            other => other,
        };
        let byte = u8::try_from(character).ok().filter(|byte| base32::CROCKFORD.contains(byte))?;
        characters.push(byte);
    }
    if characters.len() != CODE_CHARACTERS {
        return None;
    }
    let hash_input = [b"recovery code:".as_slice(), &characters].concat();
    digest(&SHA256, &hash_input).as_ref().try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use sinete_core::entropy::DangerouslySeededEntropy;

    #[test]
    fn recovery_code_is_recognized_in_any_spelling() {
        let code = mint_recovery_code(&DangerouslySeededEntropy::new(4));
        assert_eq!((code.len(), code.matches('-').count()), (34, 6), "{code}");
        let expected_digest = digest_recovery_code(&code).unwrap();
        for input in [
            code.to_uppercase(),
            code.replace('-', ""),
            code.replace('-', " "),
            format!(" {code} "),
            code.replace('0', "O").replace('1', "l"),
        ] {
            assert_eq!(digest_recovery_code(&input), Some(expected_digest), "{input}");
        }
    }

    #[test]
    fn recovery_code_with_invalid_syntax_is_refused() {
        let code = mint_recovery_code(&DangerouslySeededEntropy::new(4));
        for input in ["", "-", &code[1..], &format!("{code}0"), &code.replacen('-', "u", 1), &" ".repeat(65)]
        {
            assert_eq!(digest_recovery_code(input), None, "{input}");
        }
        let padded = format!("{code}{}", " ".repeat(40));
        assert_eq!(digest_recovery_code(&padded), None);
    }

    #[test]
    fn recovery_codes_are_unique() {
        let entropy = DangerouslySeededEntropy::new(1);
        let mut digests: Vec<_> =
            (0..200).filter_map(|_| digest_recovery_code(&mint_recovery_code(&entropy))).collect();
        digests.sort_unstable();
        digests.dedup();
        assert_eq!(digests.len(), 200);
    }

    proptest! {
        #[test]
        fn recovery_code_parsing_never_panics(typed in ".{0,80}") {
            let _ = digest_recovery_code(&typed);
        }
    }
}
