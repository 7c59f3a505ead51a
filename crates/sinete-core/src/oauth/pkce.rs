//! Proof Key for Code Exchange (RFC 7636). Only S256 is supported.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use std::str::FromStr;
use subtle::ConstantTimeEq as _;

/// The SHA-256 of the code verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct S256Challenge([u8; 32]);

/// The text is not an S256 challenge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an S256 code challenge is 43 characters of base64url")]
pub struct InvalidS256Challenge;

impl FromStr for S256Challenge {
    type Err = InvalidS256Challenge;

    fn from_str(text: &str) -> Result<Self, InvalidS256Challenge> {
        if text.len() != 43 {
            return Err(InvalidS256Challenge);
        }
        let decoded = URL_SAFE_NO_PAD.decode(text).map_err(|_| InvalidS256Challenge)?;
        decoded.try_into().map(Self).map_err(|_| InvalidS256Challenge)
    }
}

impl S256Challenge {
    /// Restores a challenge from the database.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The challenge of a verifier.
    pub fn from_verifier(verifier: &str) -> Self {
        Self(Sha256::digest(verifier).into())
    }

    /// The bytes to store.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether the verifier matches. RFC 7636 §4.1 limits its length and alphabet.
    pub fn matches_verifier(&self, verifier: &str) -> bool {
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_' | b'~');
        (43..=128).contains(&verifier.len())
            && verifier.bytes().all(plain)
            && bool::from(Sha256::digest(verifier).as_slice().ct_eq(&self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn pkce_verifier_of_rfc_7636_matches_its_challenge() {
        let challenge: S256Challenge = CHALLENGE.parse().unwrap();
        assert!(challenge.matches_verifier(VERIFIER));
        assert_eq!(S256Challenge::from_bytes(*challenge.as_bytes()), challenge);
    }

    #[test]
    fn pkce_with_another_verifier_does_not_match() {
        let challenge: S256Challenge = CHALLENGE.parse().unwrap();
        let longer = format!("{VERIFIER}a");
        for verifier in ["", CHALLENGE, &VERIFIER.to_lowercase(), &VERIFIER[..42], &longer, &"x".repeat(129)]
        {
            assert!(!challenge.matches_verifier(verifier), "{verifier}");
        }
    }

    #[test]
    fn pkce_challenge_must_be_43_base64url_characters() {
        let padded = format!("{CHALLENGE}=");
        for text in ["", VERIFIER.get(..42).unwrap(), &padded, &CHALLENGE.replace('-', "+"), &"!".repeat(43)]
        {
            assert_eq!(text.parse::<S256Challenge>(), Err(InvalidS256Challenge), "{text}");
        }
    }
}
