//! Public keys and signatures. The algorithm is a property of the key, never a choice of the JWT.

use crate::encoding::{Members, decode, decode_object, encode, get_text, sha256_base64url};
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

/// A signature algorithm of tokens and DPoP proofs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SigningAlgorithm {
    /// ECDSA with P-256.
    Es256,
    /// Ed25519.
    EdDsa,
    /// RSASSA-PSS.
    Ps256,
    /// RSASSA-PKCS1-v1_5.
    Rs256,
}

impl SigningAlgorithm {
    /// Every supported algorithm.
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

/// The algorithm is not supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the algorithm must be ES256, EdDSA, PS256 or RS256")]
pub struct UnknownAlgorithm;

impl FromStr for SigningAlgorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        Self::ALL.into_iter().find(|it| it.as_str() == name).ok_or(UnknownAlgorithm)
    }
}

/// The public key in the form that verification needs.
#[derive(Clone, Debug)]
enum KeyMaterial {
    Point(Vec<u8>),
    Rsa(RsaPublicKeyComponents<Vec<u8>>),
}

/// A public key.
#[derive(Clone, Debug)]
pub struct PublicKey {
    pub algorithm: SigningAlgorithm,
    /// Its JWK thumbprint (RFC 7638).
    pub thumbprint: String,
    material: KeyMaterial,
}

impl PublicKey {
    /// Reads a JWK as a key for this algorithm; `None` where it is not one.
    pub fn from_jwk(jwk: &Members, algorithm: SigningAlgorithm) -> Option<Self> {
        let is = |name: &str, value: &str| get_text(jwk, name) == Some(value);
        let bytes = |name: &str| decode(get_text(jwk, name)?);
        let coordinate = |name: &str| bytes(name).filter(|it| it.len() == 32);
        let (material, members) = match algorithm {
            SigningAlgorithm::Es256 if is("kty", "EC") && is("crv", "P-256") => {
                let point = [vec![4], coordinate("x")?, coordinate("y")?].concat();
                (
                    KeyMaterial::Point(point),
                    json!({"crv": "P-256", "kty": "EC", "x": jwk["x"], "y": jwk["y"]}),
                )
            }
            SigningAlgorithm::EdDsa if is("kty", "OKP") && is("crv", "Ed25519") => {
                (KeyMaterial::Point(coordinate("x")?), json!({"crv": "Ed25519", "kty": "OKP", "x": jwk["x"]}))
            }
            SigningAlgorithm::Ps256 | SigningAlgorithm::Rs256 if is("kty", "RSA") => {
                let stripped = |bytes: Vec<u8>| bytes.into_iter().skip_while(|byte| *byte == 0).collect();
                let components =
                    RsaPublicKeyComponents { n: stripped(bytes("n")?), e: stripped(bytes("e")?) };
                (KeyMaterial::Rsa(components), json!({"e": jwk["e"], "kty": "RSA", "n": jwk["n"]}))
            }
            _ => return None,
        };
        // serde_json writes the members in lexicographic order, as RFC 7638 requires.
        Some(Self { algorithm, thumbprint: sha256_base64url(&members.to_string()), material })
    }

    /// Whether the signature is valid.
    pub fn verify(&self, signed: &str, signature: &[u8]) -> bool {
        let signed = signed.as_bytes();
        match (&self.material, self.algorithm) {
            (KeyMaterial::Rsa(key), SigningAlgorithm::Ps256) => {
                rsa(key, &RSA_PSS_2048_8192_SHA256, signed, signature)
            }
            (KeyMaterial::Rsa(key), _) => rsa(key, &RSA_PKCS1_2048_8192_SHA256, signed, signature),
            (KeyMaterial::Point(point), SigningAlgorithm::EdDsa) => {
                UnparsedPublicKey::new(&ED25519, point).verify(signed, signature).is_ok()
            }
            (KeyMaterial::Point(point), _) => {
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

/// Not a private key for its algorithm, or signing failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a PKCS#8 key in PEM for its algorithm")]
pub struct InvalidKey;

/// A private key.
pub enum SigningKey {
    Point(EcdsaKeyPair),
    Edwards(Ed25519KeyPair),
    Rsa(RsaKeyPair, SigningAlgorithm),
}

impl SigningKey {
    /// Reads a PKCS#8 key in PEM.
    pub fn from_pem(pem: &str, algorithm: SigningAlgorithm) -> Result<Self, InvalidKey> {
        let inside = pem.trim().strip_prefix("-----BEGIN PRIVATE KEY-----");
        let inside = inside.and_then(|it| it.strip_suffix("-----END PRIVATE KEY-----")).ok_or(InvalidKey)?;
        let packed: String = inside.split_ascii_whitespace().collect();
        let der = STANDARD.decode(packed).map_err(|_| InvalidKey)?;
        match algorithm {
            SigningAlgorithm::Es256 => {
                EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der).map(Self::Point)
            }
            SigningAlgorithm::EdDsa => Ed25519KeyPair::from_pkcs8_maybe_unchecked(&der).map(Self::Edwards),
            SigningAlgorithm::Ps256 | SigningAlgorithm::Rs256 => {
                RsaKeyPair::from_pkcs8(&der).map(|key| Self::Rsa(key, algorithm))
            }
        }
        .map_err(|_| InvalidKey)
    }

    /// Generates an ES256 key; returns it with its public JWK.
    pub fn generate() -> Result<(Self, Value), InvalidKey> {
        let key = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).map_err(|_| InvalidKey)?;
        let (x, y) = key.public_key().as_ref().get(1..).ok_or(InvalidKey)?.split_at(32);
        let jwk = json!({"crv": "P-256", "kty": "EC", "x": encode(x), "y": encode(y)});
        Ok((Self::Point(key), jwk))
    }

    pub const fn algorithm(&self) -> SigningAlgorithm {
        match self {
            Self::Point(_) => SigningAlgorithm::Es256,
            Self::Edwards(_) => SigningAlgorithm::EdDsa,
            Self::Rsa(_, algorithm) => *algorithm,
        }
    }

    pub fn sign(&self, text: &[u8]) -> Result<Vec<u8>, InvalidKey> {
        let random = SystemRandom::new();
        match self {
            Self::Point(key) => {
                key.sign(&random, text).map(|it| it.as_ref().to_vec()).map_err(|_| InvalidKey)
            }
            Self::Edwards(key) => Ok(key.sign(text).as_ref().to_vec()),
            Self::Rsa(key, algorithm) => {
                let how: &'static dyn RsaEncoding =
                    if *algorithm == SigningAlgorithm::Ps256 { &RSA_PSS_SHA256 } else { &RSA_PKCS1_SHA256 };
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(how, &random, text, &mut signature).map_err(|_| InvalidKey)?;
                Ok(signature)
            }
        }
    }
}

/// A JWT in compact form that is not verified yet (RFC 7515).
pub struct SignedJwt<'a> {
    pub header: Members,
    pub claims: Members,
    pub signed: &'a str,
    pub signature: Vec<u8>,
}

impl<'a> SignedJwt<'a> {
    /// Parses a JWT; `None` where it is not one.
    pub fn parse(text: &'a str, bytes_max: usize) -> Option<Self> {
        let (signed, signature) = text.rsplit_once('.').filter(|_| text.len() <= bytes_max)?;
        let (header, claims) = signed.split_once('.')?;
        let (header, claims) = (decode_object(header)?, decode_object(claims)?);
        Some(Self { header, claims, signed, signature: decode(signature)? })
    }

    /// Whether the header contains a key, or requires an extension that is not implemented. A DPoP proof may contain
    /// `jwk`.
    pub fn has_forbidden_header(&self, except: Option<&str>) -> bool {
        let forbidden = ["crit", "jwk", "jku", "x5u", "x5c"];
        forbidden.into_iter().any(|name| Some(name) != except && self.header.contains_key(name))
    }
}
