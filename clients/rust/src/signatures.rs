//! Public keys, and the signatures of four algorithms. The algorithm is a property of the key, never a choice of the text.

use crate::encoding::{Members, decode, encode, hash_of, object_in, text_in};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa::KeyPair as RsaKeyPair;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, ED25519, EcdsaKeyPair, Ed25519KeyPair,
    KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256, RSA_PSS_2048_8192_SHA256, RSA_PSS_SHA256,
    RsaEncoding, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use std::str::FromStr;

/// An algorithm that tokens and proofs are signed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// ECDSA with P-256.
    Es256,
    /// Ed25519.
    EdDsa,
    /// RSASSA-PSS.
    Ps256,
    /// RSASSA-PKCS1-v1_5.
    Rs256,
}

impl Algorithm {
    /// Every algorithm there is.
    pub const ALL: [Self; 4] = [Self::Es256, Self::EdDsa, Self::Ps256, Self::Rs256];

    /// Its registered name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Es256 => "ES256",
            Self::EdDsa => "EdDSA",
            Self::Ps256 => "PS256",
            Self::Rs256 => "RS256",
        }
    }
}

/// There is no such algorithm here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the algorithm is none of ES256, EdDSA, PS256 and RS256")]
pub struct UnknownAlgorithm;

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        Self::ALL.into_iter().find(|it| it.as_str() == name).ok_or(UnknownAlgorithm)
    }
}

/// What signatures are held against.
#[derive(Clone, Debug)]
enum Material {
    Point(Vec<u8>),
    Rsa(RsaPublicKeyComponents<Vec<u8>>),
}

/// A public key.
#[derive(Clone, Debug)]
pub struct PublicKey {
    pub algorithm: Algorithm,
    /// Its name after what it is (RFC 7638).
    pub thumbprint: String,
    material: Material,
}

impl PublicKey {
    /// A key for this algorithm, or nothing where the JWK is none.
    pub fn of(jwk: &Members, algorithm: Algorithm) -> Option<Self> {
        let is = |name: &str, value: &str| text_in(jwk, name) == Some(value);
        let bytes = |name: &str| decode(text_in(jwk, name)?);
        let coordinate = |name: &str| bytes(name).filter(|it| it.len() == 32);
        let (material, members) = match algorithm {
            Algorithm::Es256 if is("kty", "EC") && is("crv", "P-256") => {
                let point = [vec![4], coordinate("x")?, coordinate("y")?].concat();
                (Material::Point(point), json!({"crv": "P-256", "kty": "EC", "x": jwk["x"], "y": jwk["y"]}))
            }
            Algorithm::EdDsa if is("kty", "OKP") && is("crv", "Ed25519") => {
                (Material::Point(coordinate("x")?), json!({"crv": "Ed25519", "kty": "OKP", "x": jwk["x"]}))
            }
            Algorithm::Ps256 | Algorithm::Rs256 if is("kty", "RSA") => {
                let stripped = |bytes: Vec<u8>| bytes.into_iter().skip_while(|byte| *byte == 0).collect();
                let components =
                    RsaPublicKeyComponents { n: stripped(bytes("n")?), e: stripped(bytes("e")?) };
                (Material::Rsa(components), json!({"e": jwk["e"], "kty": "RSA", "n": jwk["n"]}))
            }
            _ => return None,
        };
        // The members stand in the order of their names, which is the one that RFC 7638 asks for.
        Some(Self { algorithm, thumbprint: hash_of(&members.to_string()), material })
    }

    /// Whether this key signed that.
    pub fn verifies(&self, signed: &str, signature: &[u8]) -> bool {
        let signed = signed.as_bytes();
        match (&self.material, self.algorithm) {
            (Material::Rsa(key), Algorithm::Ps256) => rsa(key, &RSA_PSS_2048_8192_SHA256, signed, signature),
            (Material::Rsa(key), _) => rsa(key, &RSA_PKCS1_2048_8192_SHA256, signed, signature),
            (Material::Point(point), Algorithm::EdDsa) => {
                UnparsedPublicKey::new(&ED25519, point).verify(signed, signature).is_ok()
            }
            (Material::Point(point), _) => {
                UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, point).verify(signed, signature).is_ok()
            }
        }
    }
}

fn rsa(
    key: &RsaPublicKeyComponents<Vec<u8>>,
    how: &'static RsaParameters,
    signed: &[u8],
    signature: &[u8],
) -> bool {
    key.verify(how, signed, signature).is_ok()
}

/// The text is no private key for its algorithm, or the key does not sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a PKCS#8 key in PEM for its algorithm")]
pub struct NotAKey;

/// A private key.
pub enum SigningKey {
    Point(EcdsaKeyPair),
    Edwards(Ed25519KeyPair),
    Rsa(RsaKeyPair, Algorithm),
}

impl SigningKey {
    /// Reads a PKCS#8 key in PEM.
    pub fn from_pem(pem: &str, algorithm: Algorithm) -> Result<Self, NotAKey> {
        let inside = pem.trim().strip_prefix("-----BEGIN PRIVATE KEY-----");
        let inside = inside.and_then(|it| it.strip_suffix("-----END PRIVATE KEY-----")).ok_or(NotAKey)?;
        let packed: String = inside.split_ascii_whitespace().collect();
        let der = STANDARD.decode(packed).map_err(|_| NotAKey)?;
        match algorithm {
            Algorithm::Es256 => {
                EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der).map(Self::Point)
            }
            Algorithm::EdDsa => Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der).map(Self::Edwards),
            Algorithm::Ps256 | Algorithm::Rs256 => {
                RsaKeyPair::from_pkcs8(&der).map(|key| Self::Rsa(key, algorithm))
            }
        }
        .map_err(|_| NotAKey)
    }

    /// A new key for ES256, and its public half.
    pub fn generate() -> Result<(Self, Value), NotAKey> {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map_err(|_| NotAKey)?;
        let (x, y) = key.public_key().as_ref().get(1..).ok_or(NotAKey)?.split_at(32);
        let jwk = json!({"crv": "P-256", "kty": "EC", "x": encode(x), "y": encode(y)});
        Ok((Self::Point(key), jwk))
    }

    pub const fn algorithm(&self) -> Algorithm {
        match self {
            Self::Point(_) => Algorithm::Es256,
            Self::Edwards(_) => Algorithm::EdDsa,
            Self::Rsa(_, algorithm) => *algorithm,
        }
    }

    pub fn sign(&self, text: &[u8]) -> Result<Vec<u8>, NotAKey> {
        let random = SystemRandom::new();
        match self {
            Self::Point(key) => key.sign(&random, text).map(|it| it.as_ref().to_vec()).map_err(|_| NotAKey),
            Self::Edwards(key) => Ok(key.sign(text).as_ref().to_vec()),
            Self::Rsa(key, algorithm) => {
                let how: &'static dyn RsaEncoding =
                    if *algorithm == Algorithm::Ps256 { &RSA_PSS_SHA256 } else { &RSA_PKCS1_SHA256 };
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(how, &random, text, &mut signature).map_err(|_| NotAKey)?;
                Ok(signature)
            }
        }
    }
}

/// A signed text (RFC 7515), of which nothing is believed yet.
pub struct SignedText<'a> {
    pub header: Members,
    pub claims: Members,
    pub signed: &'a str,
    pub signature: Vec<u8>,
}

impl<'a> SignedText<'a> {
    /// Takes a text apart, if it is one.
    pub fn read(text: &'a str, bytes_max: usize) -> Option<Self> {
        let (signed, signature) = text.rsplit_once('.').filter(|_| text.len() <= bytes_max)?;
        let (header, claims) = signed.split_once('.')?;
        let (header, claims) = (object_in(header)?, object_in(claims)?);
        Some(Self { header, claims, signed, signature: decode(signature)? })
    }

    /// Whether the header would have us use a key that it brings along, or understand what we do not. A proof brings its
    /// key in `jwk`.
    pub fn is_strange(&self, except: Option<&str>) -> bool {
        let strange = ["crit", "jwk", "jku", "x5u", "x5c"];
        strange.into_iter().any(|name| Some(name) != except && self.header.contains_key(name))
    }
}
