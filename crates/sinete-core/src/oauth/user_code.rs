//! The user code of a device authorization (RFC 8628 §6.1): few characters that are hard to confuse and spell
//! no words. It is too short to be a secret: it is valid for minutes, and wrong guesses are rate limited.

use crate::entropy::{Entropy, draw_bytes};
use crate::limits::USER_CODE_CHARACTERS;
use std::fmt;
use std::str::FromStr;

/// The alphabet: no vowels, no digits, no look-alikes.
pub const ALPHABET: &[u8; 20] = b"BCDFGHJKLMNPQRSTVWXZ";

/// A user code.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct UserCode([u8; USER_CODE_CHARACTERS]);

/// The text is not a user code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a code has {USER_CODE_CHARACTERS} letters, none of them a vowel")]
pub struct InvalidUserCode;

impl UserCode {
    /// Creates a uniformly random code.
    pub fn mint(entropy: &dyn Entropy) -> Self {
        let mut characters = [0; USER_CODE_CHARACTERS];
        for character in &mut characters {
            // Rejection sampling: bytes beyond the last whole multiple would bias the result.
            let byte = std::iter::repeat_with(|| draw_bytes::<1>(entropy)[0]).find(|byte| *byte < 240);
            *character = ALPHABET[usize::from(byte.unwrap_or_default()) % ALPHABET.len()];
        }
        Self(characters)
    }

    /// The code's characters, for lookup.
    pub const fn as_bytes(&self) -> &[u8; USER_CODE_CHARACTERS] {
        &self.0
    }
}

impl FromStr for UserCode {
    type Err = InvalidUserCode;

    /// Accepts either case, with spaces and hyphens anywhere.
    fn from_str(text: &str) -> Result<Self, InvalidUserCode> {
        let characters =
            text.chars().filter(|c| !c.is_whitespace() && *c != '-').take(USER_CODE_CHARACTERS + 1);
        let upper: Vec<u8> = characters
            .map(|c| u8::try_from(c.to_ascii_uppercase()).ok().filter(|byte| ALPHABET.contains(byte)))
            .collect::<Option<_>>()
            .ok_or(InvalidUserCode)?;
        upper.try_into().map(Self).map_err(|_| InvalidUserCode)
    }
}

impl fmt::Display for UserCode {
    /// In two halves with a hyphen.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, character) in self.0.iter().enumerate() {
            if index == USER_CODE_CHARACTERS / 2 {
                out.write_str("-")?;
            }
            write!(out, "{}", char::from(*character))?;
        }
        Ok(())
    }
}

impl fmt::Debug for UserCode {
    /// Omits the code.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("UserCode")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::DangerouslySeededEntropy;
    use proptest::prelude::*;

    #[test]
    fn user_code_has_eight_letters_in_two_halves_drawn_from_the_whole_alphabet() {
        let entropy = DangerouslySeededEntropy::new(8);
        let mut letter_counts = std::collections::BTreeMap::<char, u32>::new();
        for _ in 0..1_000 {
            let code_text = UserCode::mint(&entropy).to_string();
            assert_eq!((code_text.len(), code_text.find('-')), (9, Some(4)), "{code_text}");
            code_text.chars().filter(|c| *c != '-').for_each(|c| *letter_counts.entry(c).or_default() += 1);
        }
        assert_eq!(letter_counts.len(), ALPHABET.len());
        assert!(letter_counts.values().all(|count| (300..500).contains(count)), "{letter_counts:?}");
    }

    #[test]
    fn user_code_is_parsed_regardless_of_case_and_separators() {
        let code: UserCode = "BCDF-GHJK".parse().unwrap();
        for text in
            ["bcdfghjk", "BCDF GHJK", " b-c d-f g-h j-k ", "BCDF\tGHJK\n", "-BCDFGHJK-", "bcdf\u{a0}ghjk"]
        {
            assert_eq!(text.parse(), Ok(code), "{text:?}");
        }
        for text in
            ["", "BCDF-GHJ", "BCDF-GHJKL", "BCDF-GHJA", "BCDF-GHJ1", "BCDF_GHJK", "ＢCDFGHJK", "BCDF–GHJK"]
        {
            assert_eq!(text.parse::<UserCode>(), Err(InvalidUserCode), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn user_code_round_trips(seed: u64) {
            let code = UserCode::mint(&DangerouslySeededEntropy::new(seed));
            prop_assert_eq!(code.to_string().parse(), Ok(code));
            prop_assert_eq!(code.to_string().to_lowercase().parse(), Ok(code));
        }

        #[test]
        fn user_code_parsing_never_panics(text in "\\PC{0,40}") {
            let _ = text.parse::<UserCode>();
        }
    }
}
