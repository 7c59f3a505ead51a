//! Parsing of JSON Web Keys (RFC 7517, RFC 7518 §6, RFC 8037).

use super::{InvalidSigningKey, SigningKeyMarking};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde::de::{Deserializer, Error, IgnoredAny, Visitor};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use std::fmt;
use zeroize::Zeroizing;

/// The members in use. The parser rejects duplicate members.
#[derive(Deserialize)]
pub struct Jwk {
    pub kty: Box<str>,
    pub crv: Option<Box<str>>,
    alg: Option<Box<str>>,
    pub kid: Option<Box<str>>,
    #[serde(rename = "use")]
    purpose: Option<Box<str>>,
    key_ops: Option<Vec<Box<str>>>,
    #[serde(default, rename = "sinete_development")]
    development: bool,
    pub n: Option<SecretJwkBytes>,
    pub e: Option<SecretJwkBytes>,
    pub x: Option<SecretJwkBytes>,
    pub y: Option<SecretJwkBytes>,
    pub d: Option<SecretJwkBytes>,
    pub p: Option<SecretJwkBytes>,
    pub q: Option<SecretJwkBytes>,
    pub dp: Option<SecretJwkBytes>,
    pub dq: Option<SecretJwkBytes>,
    pub qi: Option<SecretJwkBytes>,
    pub oth: Option<IgnoredAny>,
}

/// Bytes in base64url, erased on drop because they may be secret.
pub struct SecretJwkBytes(Zeroizing<Vec<u8>>);

impl Jwk {
    /// Parses a JWK. Rejects duplicate members and keys that are not for signing.
    pub fn parse(text: &str) -> Result<Self, InvalidSigningKey> {
        if text.len() > super::KEY_TEXT_BYTES_MAX {
            return Err(InvalidSigningKey::TooLong);
        }
        let jwk: Self = serde_json::from_str(text).map_err(|_| InvalidSigningKey::Damaged)?;
        if jwk.purpose.as_deref().is_some_and(|purpose| purpose != "sig") {
            return Err(InvalidSigningKey::NotForSigning);
        }
        Ok(jwk)
    }

    /// Whether `key_ops` allows the operation; a JWK without `key_ops` allows all.
    pub fn allows_operation(&self, operation: &str) -> bool {
        self.key_ops.as_ref().is_none_or(|allowed| allowed.iter().any(|one| **one == *operation))
    }

    /// Resolves the algorithm from the JWK and the caller, which must not contradict each other.
    pub fn resolve_algorithm(
        &self,
        signing_algorithm: Option<SigningAlgorithm>,
    ) -> Result<Option<SigningAlgorithm>, InvalidSigningKey> {
        let Some(name) = &self.alg else { return Ok(signing_algorithm) };
        // RFC 9864 gives EdDSA on Ed25519 its own name; the signature is the same.
        let key_algorithm = match &**name {
            "Ed25519" => SigningAlgorithm::EdDsa,
            other => other.parse().map_err(|_| InvalidSigningKey::BadMember("alg"))?,
        };
        match signing_algorithm {
            Some(signing_algorithm) if signing_algorithm != key_algorithm => {
                Err(InvalidSigningKey::WrongAlgorithm(signing_algorithm))
            }
            _ => Ok(Some(key_algorithm)),
        }
    }

    /// Whether the JWK is marked as a development key.
    pub const fn marking(&self) -> SigningKeyMarking {
        if self.development { SigningKeyMarking::Development } else { SigningKeyMarking::Real }
    }
}

impl SecretJwkBytes {
    /// The bytes, if they are a number without leading zeros.
    pub fn as_number(&self) -> Option<&[u8]> {
        self.0.first().is_some_and(|first| *first != 0).then_some(&self.0)
    }

    /// The bytes, if there are exactly 32.
    pub fn as_32_bytes(&self) -> Option<&[u8; 32]> {
        self.0.as_slice().try_into().ok()
    }
}

impl AsRef<[u8]> for SecretJwkBytes {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for SecretJwkBytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Base64UrlVisitor)
    }
}

/// Decodes directly from the input, so that no further copy of a secret is created.
struct Base64UrlVisitor;

impl<'de> Visitor<'de> for Base64UrlVisitor {
    type Value = SecretJwkBytes;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("base64url without padding")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<SecretJwkBytes, E> {
        let mut bytes = Zeroizing::new(vec![0; text.len() / 4 * 3 + 3]);
        let length = URL_SAFE_NO_PAD.decode_slice(text, &mut bytes).map_err(E::custom)?;
        bytes.truncate(length);
        Ok(SecretJwkBytes(bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jwk_accepts_only_strict_base64url() {
        let read = |x: &str| Jwk::parse(&format!(r#"{{"kty":"OKP","x":"{x}"}}"#));
        assert_eq!(read("AQID").unwrap().x.unwrap().as_ref(), [1, 2, 3]);
        for wrong in ["AQI=", "AQ+/", "AQJ", " AQID", "AQID\\u0041", "A"] {
            assert_eq!(read(wrong).err(), Some(InvalidSigningKey::Damaged), "{wrong}");
        }
    }

    #[test]
    fn jwk_with_a_duplicate_member_is_refused() {
        assert_eq!(Jwk::parse(r#"{"kty":"EC","kty":"OKP"}"#).err(), Some(InvalidSigningKey::Damaged));
    }

    #[test]
    fn jwk_for_another_use_is_refused() {
        assert_eq!(Jwk::parse(r#"{"kty":"EC","use":"enc"}"#).err(), Some(InvalidSigningKey::NotForSigning));
        let verify_only = Jwk::parse(r#"{"kty":"EC","key_ops":["verify"]}"#).unwrap();
        assert!(verify_only.allows_operation("verify") && !verify_only.allows_operation("sign"));
        assert!(Jwk::parse(r#"{"kty":"EC"}"#).unwrap().allows_operation("sign"));
    }

    #[test]
    fn jwk_alg_must_not_contradict_the_requested_one() {
        let jwk = Jwk::parse(r#"{"kty":"RSA","alg":"PS256"}"#).unwrap();
        assert_eq!(jwk.resolve_algorithm(None), Ok(Some(SigningAlgorithm::Ps256)));
        assert_eq!(jwk.resolve_algorithm(Some(SigningAlgorithm::Ps256)), Ok(Some(SigningAlgorithm::Ps256)));
        assert_eq!(
            jwk.resolve_algorithm(Some(SigningAlgorithm::Rs256)),
            Err(InvalidSigningKey::WrongAlgorithm(SigningAlgorithm::Rs256))
        );
        let symmetric = Jwk::parse(r#"{"kty":"oct","alg":"HS256"}"#).unwrap();
        assert_eq!(symmetric.resolve_algorithm(None), Err(InvalidSigningKey::BadMember("alg")));
        assert_eq!(
            Jwk::parse(r#"{"kty":"OKP","alg":"Ed25519"}"#).unwrap().resolve_algorithm(None),
            Ok(Some(SigningAlgorithm::EdDsa))
        );
    }
}
