//! Refresh tokens. Those that follow each other are a family, and each says which: so one row is enough to know the
//! newest of them, and to know every older one for what it is.

use super::{Digest, NotASecret, RefreshToken, SecretKind as _, spelling};
use crate::entropy::{Entropy, draw};
use crate::id::FamilyId;
use std::fmt;
use std::marker::PhantomData;

/// A refresh token, in the clear: the family it belongs to, the mark that all tokens of the family bear, and what this one
/// has to itself. It is shown once to whoever it is for,
/// and never printed or stored.
///
/// Whoever bears the mark has held a token of the family. If it is not the newest, somebody uses one that was exchanged
/// before, or makes one up who has seen one: either way the family is in two hands.
///
/// ```compile_fail,E0277
/// # use sinete_core::{entropy::DangerouslySeeded, id::FamilyId, secret::FamilyToken};
/// let token = FamilyToken::first(FamilyId::from_bytes([1; 16]), &DangerouslySeeded::new(1));
/// println!("{token}");
/// ```
pub struct FamilyToken {
    family: FamilyId,
    mark: [u8; 16],
    own: [u8; 32],
}

/// The kind of what all tokens of a family bear.
#[derive(Debug)]
pub enum FamilyMark {}

/// What we keep of a refresh token: enough to recognise it and those before it, nothing to recover any of them from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FamilyDigests {
    /// The family it says it belongs to.
    pub family: FamilyId,
    /// Of the mark.
    pub mark: Digest<FamilyMark>,
    /// Of the whole token.
    pub token: Digest<RefreshToken>,
}

impl FamilyToken {
    /// The first token of a new family.
    pub fn first(family: FamilyId, entropy: &dyn Entropy) -> Self {
        Self { family, mark: draw(entropy), own: draw(entropy) }
    }

    /// The one that takes its place.
    pub fn successor(&self, entropy: &dyn Entropy) -> Self {
        Self { own: draw(entropy), ..*self }
    }

    /// The same token, for a client whose tokens stay what they are.
    pub const fn again(&self) -> Self {
        Self { ..*self }
    }

    /// A token that somebody presented. Only the exact text we once showed is accepted.
    pub fn parse(text: &str) -> Result<Self, NotASecret> {
        let bytes: [u8; 64] = spelling::read(RefreshToken::PREFIX, text)?;
        let (family, rest) = bytes.split_first_chunk().ok_or(NotASecret)?;
        let (mark, own) = rest.split_first_chunk().ok_or(NotASecret)?;
        let own = own.try_into().map_err(|_| NotASecret)?;
        Ok(Self { family: FamilyId::from_bytes(*family), mark: *mark, own })
    }

    /// The family it says it belongs to.
    pub const fn family(&self) -> FamilyId {
        self.family
    }

    /// What to store, and what to look it up by.
    pub fn digests(&self) -> FamilyDigests {
        use sha2::Digest as _;
        // The prefix is hashed too, as of any other secret.
        let begun = sha2::Sha256::new_with_prefix(RefreshToken::PREFIX);
        let mark = begun.clone().chain_update(self.mark).finalize();
        let whole = begun.chain_update(self.bytes());
        FamilyDigests {
            family: self.family,
            mark: Digest { bytes: mark.into(), kind: PhantomData },
            token: Digest { bytes: whole.finalize().into(), kind: PhantomData },
        }
    }

    /// The text to show, this once.
    pub fn reveal(self) -> String {
        spelling::spell(RefreshToken::PREFIX, &self.bytes())
    }

    fn bytes(&self) -> [u8; 64] {
        let mut bytes = [0; 64];
        bytes[..16].copy_from_slice(self.family.as_bytes());
        bytes[16..32].copy_from_slice(&self.mark);
        bytes[32..].copy_from_slice(&self.own);
        bytes
    }
}

impl fmt::Debug for FamilyToken {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("FamilyToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::DangerouslySeeded;
    use proptest::prelude::*;

    fn example() -> FamilyToken {
        FamilyToken::first(FamilyId::from_bytes([7; 16]), &DangerouslySeeded::new(3))
    }

    #[test]
    fn a_shown_token_is_recognised_by_its_digests() {
        let kept = example().digests();
        let text = example().reveal();
        assert!(text.starts_with("sn_rt_"));
        assert_eq!(text.len(), 97);
        assert_eq!(FamilyToken::parse(&text).unwrap().digests(), kept);
    }

    #[test]
    fn tokens_of_a_family_share_its_mark_and_nothing_else_that_is_secret() {
        let entropy = DangerouslySeeded::new(4);
        let first = FamilyToken::first(FamilyId::from_bytes([7; 16]), &entropy);
        let second = first.successor(&entropy);
        let (first, second) = (first.digests(), second.digests());
        assert_eq!((first.family, first.mark), (second.family, second.mark));
        assert_ne!(first.token, second.token);
        let other = FamilyToken::first(FamilyId::from_bytes([7; 16]), &entropy).digests();
        assert_ne!(first.mark, other.mark);
        assert_ne!(first.mark.as_bytes(), first.token.as_bytes());
    }

    proptest! {
        #[test]
        fn a_changed_token_is_refused(place in 0_usize..97, character in "[ -~]") {
            let text = example().reveal();
            let mut changed = text.clone();
            changed.replace_range(place..=place, &character);
            prop_assume!(changed != text);
            prop_assert!(FamilyToken::parse(&changed).is_err());
        }

        #[test]
        fn a_truncated_or_padded_token_is_refused(length in 0_usize..97, tail in "[ -~]{1,9}") {
            let text = example().reveal();
            prop_assert!(FamilyToken::parse(&text[..length]).is_err());
            let padded = format!("{text}{tail}");
            prop_assert!(FamilyToken::parse(&padded).is_err());
        }

        #[test]
        fn no_text_makes_parsing_panic(text in ".{0,120}", body in "[A-Za-z0-9_-]{91}") {
            prop_assert!(FamilyToken::parse(&text).is_err());
            let made_up = format!("sn_rt_{body}");
            prop_assert!(FamilyToken::parse(&made_up).is_err());
        }
    }
}
