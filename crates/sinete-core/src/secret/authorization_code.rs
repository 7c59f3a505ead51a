//! Authorization codes. Each contains the id of its grant, by which it is looked up.

use super::{AuthorizationCode, Digest, InvalidSecret, SecretKind as _, encoding};
use crate::entropy::{Entropy, draw_bytes};
use crate::id::GrantId;
use std::fmt;
use std::marker::PhantomData;

/// An authorization code in plain text: the grant id, which grants nothing by itself, and 256 random bits. It
/// can be shown exactly once and cannot be printed or stored.
pub struct AuthorizationCodeSecret {
    grant: GrantId,
    code: [u8; 32],
}

/// The stored part of a code: it recognizes the code but cannot reveal it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AuthorizationCodeDigest {
    /// The grant that the code claims to be for.
    pub grant: GrantId,
    /// The digest of the whole code.
    pub code: Digest<AuthorizationCode>,
}

impl AuthorizationCodeSecret {
    /// Generates a code for the grant.
    pub fn mint(grant: GrantId, entropy: &dyn Entropy) -> Self {
        Self { grant, code: draw_bytes(entropy) }
    }

    /// Parses a presented code. Only the exact issued text is accepted.
    pub fn parse(text: &str) -> Result<Self, InvalidSecret> {
        let bytes: [u8; 48] = encoding::decode_secret(AuthorizationCode::PREFIX, text)?;
        let (grant, random_part) = bytes.split_first_chunk().ok_or(InvalidSecret)?;
        Ok(Self {
            grant: GrantId::from_bytes(*grant),
            code: random_part.try_into().map_err(|_| InvalidSecret)?,
        })
    }

    /// The digest to store and to look the code up by.
    pub fn digest(&self) -> AuthorizationCodeDigest {
        use sha2::Digest as _;
        let hasher = sha2::Sha256::new_with_prefix(AuthorizationCode::PREFIX).chain_update(self.bytes());
        let code = Digest { bytes: hasher.finalize().into(), kind: PhantomData };
        AuthorizationCodeDigest { grant: self.grant, code }
    }

    /// The text, to show once.
    pub fn reveal(self) -> String {
        encoding::encode_secret(AuthorizationCode::PREFIX, &self.bytes())
    }

    fn bytes(&self) -> [u8; 48] {
        let mut bytes = [0; 48];
        bytes[..16].copy_from_slice(self.grant.as_bytes());
        bytes[16..].copy_from_slice(&self.code);
        bytes
    }
}

impl fmt::Debug for AuthorizationCodeSecret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("GrantCode(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entropy::DangerouslySeededEntropy;
    use proptest::prelude::*;

    fn example() -> AuthorizationCodeSecret {
        AuthorizationCodeSecret::mint(GrantId::from_bytes([7; 16]), &DangerouslySeededEntropy::new(3))
    }

    #[test]
    fn authorization_code_is_recognized_by_its_digest() {
        let text = example().reveal();
        assert!(text.starts_with("sn_ac_"));
        assert_eq!(text.len(), 76);
        let parsed = AuthorizationCodeSecret::parse(&text).unwrap().digest();
        assert_eq!((parsed, parsed.grant), (example().digest(), GrantId::from_bytes([7; 16])));
        let other = AuthorizationCodeSecret::mint(parsed.grant, &DangerouslySeededEntropy::new(4)).digest();
        assert_ne!(other.code, parsed.code);
    }

    proptest! {
        #[test]
        fn authorization_code_with_a_changed_character_is_refused(place in 0_usize..76, character in "[ -~]") {
            let text = example().reveal();
            let mut changed = text.clone();
            changed.replace_range(place..=place, &character);
            prop_assume!(changed != text);
            prop_assert!(AuthorizationCodeSecret::parse(&changed).is_err());
        }

        #[test]
        fn authorization_code_truncated_or_padded_is_refused(length in 0_usize..76, tail in "[ -~]{1,9}") {
            let text = example().reveal();
            prop_assert!(AuthorizationCodeSecret::parse(&text[..length]).is_err());
            let padded = format!("{text}{tail}");
            prop_assert!(AuthorizationCodeSecret::parse(&padded).is_err());
        }
    }
}
