//! Refresh tokens. The refresh tokens of a grant form a family and contain the grant's id, so that a single
//! row recognizes the newest one and every older one.

use super::{Digest, InvalidSecret, RefreshToken, SecretKind as _, encoding};
use crate::entropy::{Entropy, draw_bytes};
use crate::id::GrantId;
use std::fmt;
use std::marker::PhantomData;

/// A refresh token in plain text. It contains the grant id and the generation (the number of earlier
/// rotations), which grant nothing by themselves; a part unique to this token; and a mark shared by all
/// refresh tokens of the grant. It is shown once and cannot be printed or stored.
///
/// A token with the right mark was derived from a token of the family. If it is older than the newest, it is
/// a rotated token used again, or a forgery based on one: either way the grant is compromised. A token of a
/// later generation was issued before the database was restored from a backup, and proves nothing.
///
/// ```compile_fail,E0277
/// # use sinete_core::{entropy::DangerouslySeededEntropy, id::GrantId, secret::RefreshTokenSecret};
/// let token = RefreshTokenSecret::mint_first(GrantId::from_bytes([1; 16]), &DangerouslySeededEntropy::new(1));
/// println!("{token}");
/// ```
pub struct RefreshTokenSecret {
    grant: GrantId,
    generation: u32,
    token: [u8; 32],
    family_mark: [u8; 16],
}

/// The digest kind of a family's mark.
#[derive(Debug)]
pub enum RefreshFamilyMark {}

/// The stored part of a refresh token: it recognizes the token and its predecessors but cannot reveal them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefreshTokenDigests {
    /// The grant that the token claims to be for.
    pub grant: GrantId,
    /// The generation that the token claims.
    pub generation: u32,
    /// The digest of the mark.
    pub family_mark: Digest<RefreshFamilyMark>,
    /// The digest of the whole token.
    pub token: Digest<RefreshToken>,
}

impl RefreshTokenSecret {
    /// Generates the first refresh token of a grant.
    pub fn mint_first(grant: GrantId, entropy: &dyn Entropy) -> Self {
        Self { grant, generation: 0, token: draw_bytes(entropy), family_mark: draw_bytes(entropy) }
    }

    /// Generates the successor of this token.
    pub fn mint_successor(&self, entropy: &dyn Entropy) -> Self {
        Self { generation: self.generation.saturating_add(1), token: draw_bytes(entropy), ..*self }
    }

    /// Derives the successor of a token that is bound to a key: the same one each time, from a keyed function
    /// of the whole token. It cannot be computed without the function's key.
    pub fn derive_successor(&self, keyed: impl Fn(&[u8]) -> [u8; 32]) -> Self {
        Self { generation: self.generation.saturating_add(1), token: keyed(&self.bytes()), ..*self }
    }

    /// Copies the token, for clients whose refresh tokens are not rotated.
    pub const fn duplicate(&self) -> Self {
        Self { ..*self }
    }

    /// Parses a presented token. Only the exact issued text is accepted.
    pub fn parse(text: &str) -> Result<Self, InvalidSecret> {
        let bytes: [u8; 68] = encoding::decode_secret(RefreshToken::PREFIX, text)?;
        let (grant, rest) = bytes.split_first_chunk().ok_or(InvalidSecret)?;
        let (generation, rest) = rest.split_first_chunk().ok_or(InvalidSecret)?;
        let (random_part, mark) = rest.split_first_chunk().ok_or(InvalidSecret)?;
        Ok(Self {
            grant: GrantId::from_bytes(*grant),
            generation: u32::from_be_bytes(*generation),
            token: *random_part,
            family_mark: mark.try_into().map_err(|_| InvalidSecret)?,
        })
    }

    /// The grant that the token claims to be for.
    pub const fn grant(&self) -> GrantId {
        self.grant
    }

    /// The digests to store and to look the token up by.
    pub fn digests(&self) -> RefreshTokenDigests {
        use sha2::Digest as _;
        // The prefix is hashed too, as for all secrets.
        let sha256 = sha2::Sha256::new_with_prefix(RefreshToken::PREFIX);
        let mark = sha256.clone().chain_update(self.family_mark).finalize();
        let token_hasher = sha256.chain_update(self.bytes());
        RefreshTokenDigests {
            grant: self.grant,
            generation: self.generation,
            family_mark: Digest { bytes: mark.into(), kind: PhantomData },
            token: Digest { bytes: token_hasher.finalize().into(), kind: PhantomData },
        }
    }

    /// The text, to show once.
    pub fn reveal(self) -> String {
        encoding::encode_secret(RefreshToken::PREFIX, &self.bytes())
    }

    /// The mark comes last, so that knowing the beginning of a token does not prove possession of it.
    fn bytes(&self) -> [u8; 68] {
        let mut bytes = [0; 68];
        bytes[..16].copy_from_slice(self.grant.as_bytes());
        bytes[16..20].copy_from_slice(&self.generation.to_be_bytes());
        bytes[20..52].copy_from_slice(&self.token);
        bytes[52..].copy_from_slice(&self.family_mark);
        bytes
    }
}

impl fmt::Debug for RefreshTokenSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("FamilyToken(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::DangerouslySeededEntropy;
    use proptest::prelude::*;

    fn example() -> RefreshTokenSecret {
        RefreshTokenSecret::mint_first(GrantId::from_bytes([7; 16]), &DangerouslySeededEntropy::new(3))
    }

    #[test]
    fn refresh_token_is_recognized_by_its_digests() {
        let digests = example().digests();
        let text = example().reveal();
        assert!(text.starts_with("sn_rt_"));
        assert_eq!(text.len(), 102);
        assert_eq!(RefreshTokenSecret::parse(&text).unwrap().digests(), digests);
    }

    #[test]
    fn refresh_token_successor_of_a_bound_token_is_the_same_each_time() {
        use sha2::Digest as _;
        let keyed = |bytes: &[u8]| sha2::Sha256::new_with_prefix("key").chain_update(bytes).finalize().into();
        let (first, other) = (example(), example().mint_successor(&DangerouslySeededEntropy::new(5)));
        assert_eq!(first.derive_successor(keyed).digests(), first.derive_successor(keyed).digests());
        assert_eq!(first.derive_successor(keyed).generation, 1);
        assert_ne!(first.derive_successor(keyed).digests(), other.derive_successor(keyed).digests());
        assert_eq!(first.derive_successor(keyed).digests().family_mark, first.digests().family_mark);
    }

    #[test]
    fn refresh_tokens_of_a_family_share_only_the_family_secret() {
        let entropy = DangerouslySeededEntropy::new(4);
        let first = RefreshTokenSecret::mint_first(GrantId::from_bytes([7; 16]), &entropy);
        let second = first.mint_successor(&entropy);
        let (first, second) = (first.digests(), second.digests());
        assert_eq!((first.grant, first.family_mark), (second.grant, second.family_mark));
        assert_ne!(first.token, second.token);
        assert_eq!((first.generation, second.generation), (0, 1));
        let other = RefreshTokenSecret::mint_first(GrantId::from_bytes([7; 16]), &entropy).digests();
        assert_ne!(first.family_mark, other.family_mark);
        assert_ne!(first.family_mark.as_bytes(), first.token.as_bytes());
    }

    proptest! {
        #[test]
        fn refresh_token_with_a_changed_character_is_refused(place in 0_usize..102, character in "[ -~]") {
            let text = example().reveal();
            let mut changed = text.clone();
            changed.replace_range(place..=place, &character);
            prop_assume!(changed != text);
            prop_assert!(RefreshTokenSecret::parse(&changed).is_err());
        }

        #[test]
        fn refresh_token_truncated_or_padded_is_refused(length in 0_usize..102, tail in "[ -~]{1,9}") {
            let text = example().reveal();
            prop_assert!(RefreshTokenSecret::parse(&text[..length]).is_err());
            let padded = format!("{text}{tail}");
            prop_assert!(RefreshTokenSecret::parse(&padded).is_err());
        }

        #[test]
        fn refresh_token_parsing_never_panics(text in ".{0,120}", body in "[A-Za-z0-9_-]{96}") {
            prop_assert!(RefreshTokenSecret::parse(&text).is_err());
            let made_up = format!("sn_rt_{body}");
            prop_assert!(RefreshTokenSecret::parse(&made_up).is_err());
        }
    }
}
