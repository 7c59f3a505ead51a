//! Public keys: verification and publication.

use super::development;
use super::jwk::Jwk;
use super::{InvalidSigningKey, SigningKeyMarking};
use aws_lc_rs::digest::{self, SHA256};
use aws_lc_rs::rsa::PublicKeyComponents;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ED25519, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256, RSA_PSS_2048_8192_SHA256,
};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::json;
use sinete_core::limits::{RSA_BITS_MAX, RSA_BITS_MIN};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::platform::signing_keys::ed25519::is_weak_public_key;
use std::fmt;

/// A parsed public key for exactly one algorithm, which a token cannot change.
pub struct PublicKey {
    kid: Box<str>,
    algorithm: SigningAlgorithm,
    parameters: PublicKeyParameters,
    marking: SigningKeyMarking,
    parsed: ParsedPublicKey,
}

/// The key parameters, in base64url.
enum PublicKeyParameters {
    Rsa { n: String, e: String },
    P256 { x: String, y: String },
    Ed25519 { x: String },
}

/// The signature is invalid for this key and message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the signature is wrong")]
pub struct InvalidSignature;

impl PublicKey {
    /// Parses a public JWK. The algorithm is its `alg`, else the caller's; an RSA key needs one of the two. A
    /// JWK with a private key is rejected, because it is no longer secret.
    pub fn from_jwk(text: &str, algorithm: Option<SigningAlgorithm>) -> Result<Self, InvalidSigningKey> {
        let jwk = Jwk::parse(text)?;
        if jwk.d.is_some() {
            return Err(InvalidSigningKey::NotPublic);
        }
        if !jwk.allows_operation("verify") {
            return Err(InvalidSigningKey::NotForSigning);
        }
        let mut key = Self::from_parsed_jwk(&jwk, jwk.resolve_algorithm(algorithm)?)?;
        if let Some(kid) = &jwk.kid {
            key.kid = kid.clone();
        }
        Ok(key)
    }

    /// Reads the public key of a JWK, with the thumbprint as `kid` regardless of the JWK's own.
    pub(super) fn from_parsed_jwk(
        jwk: &Jwk,
        algorithm: Option<SigningAlgorithm>,
    ) -> Result<Self, InvalidSigningKey> {
        let curve = jwk.crv.as_deref();
        let key = match (&*jwk.kty, curve) {
            ("RSA", _) => {
                let n =
                    jwk.n.as_ref().and_then(|n| n.as_number()).ok_or(InvalidSigningKey::BadMember("n"))?;
                let e =
                    jwk.e.as_ref().and_then(|e| e.as_number()).ok_or(InvalidSigningKey::BadMember("e"))?;
                Self::from_rsa(n, e, algorithm)?
            }
            ("EC", Some("P-256")) => {
                let x =
                    jwk.x.as_ref().and_then(|x| x.as_32_bytes()).ok_or(InvalidSigningKey::BadMember("x"))?;
                let y =
                    jwk.y.as_ref().and_then(|y| y.as_32_bytes()).ok_or(InvalidSigningKey::BadMember("y"))?;
                require_algorithm(SigningAlgorithm::Es256, algorithm)?;
                Self::from_ec(x, y)?
            }
            ("OKP", Some("Ed25519")) => {
                let x =
                    jwk.x.as_ref().and_then(|x| x.as_32_bytes()).ok_or(InvalidSigningKey::BadMember("x"))?;
                require_algorithm(SigningAlgorithm::EdDsa, algorithm)?;
                Self::from_ed25519(x)?
            }
            ("EC" | "OKP", Some(_)) => return Err(InvalidSigningKey::WrongCurve),
            ("EC" | "OKP", None) => return Err(InvalidSigningKey::BadMember("crv")),
            _ => return Err(InvalidSigningKey::UnknownKind),
        };
        Ok(key.with_marking(jwk.marking()))
    }

    /// Creates an RSA key from modulus and exponent, both without leading zeros.
    pub(super) fn from_rsa(
        n: &[u8],
        e: &[u8],
        algorithm: Option<SigningAlgorithm>,
    ) -> Result<Self, InvalidSigningKey> {
        let bits = n.len() * 8 - n.first().map_or(0, |first| first.leading_zeros() as usize);
        if bits < RSA_BITS_MIN {
            return Err(InvalidSigningKey::TooFewBits(bits));
        }
        if bits > RSA_BITS_MAX {
            return Err(InvalidSigningKey::TooManyBits(bits));
        }
        let marking = match e {
            [1, 0, 1] => SigningKeyMarking::Real,
            e if e == development::EXPONENT.to_be_bytes() => SigningKeyMarking::Development,
            _ => return Err(InvalidSigningKey::WrongExponent),
        };
        let (algorithm, parameters) = match algorithm {
            Some(SigningAlgorithm::Rs256) => (SigningAlgorithm::Rs256, &RSA_PKCS1_2048_8192_SHA256),
            Some(SigningAlgorithm::Ps256) => (SigningAlgorithm::Ps256, &RSA_PSS_2048_8192_SHA256),
            Some(other) => return Err(InvalidSigningKey::WrongAlgorithm(other)),
            None => return Err(InvalidSigningKey::AlgorithmMissing),
        };
        let components = PublicKeyComponents { n, e };
        let parsed = components.to_parsed_public_key(parameters).map_err(|_| InvalidSigningKey::Damaged)?;
        let numbers = PublicKeyParameters::Rsa { n: URL_SAFE_NO_PAD.encode(n), e: URL_SAFE_NO_PAD.encode(e) };
        Ok(Self::new(algorithm, numbers, parsed).with_marking(marking))
    }

    /// Creates a P-256 key from the coordinates of a point, which must be on the curve.
    pub(super) fn from_ec(x: &[u8; 32], y: &[u8; 32]) -> Result<Self, InvalidSigningKey> {
        let mut octets = [4; 65];
        octets[1..33].copy_from_slice(x);
        octets[33..].copy_from_slice(y);
        let parsed = ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, octets)
            .map_err(|_| InvalidSigningKey::BadMember("x or y"))?;
        let numbers =
            PublicKeyParameters::P256 { x: URL_SAFE_NO_PAD.encode(x), y: URL_SAFE_NO_PAD.encode(y) };
        Ok(Self::new(SigningAlgorithm::Es256, numbers, parsed))
    }

    /// Creates an Ed25519 key.
    pub(super) fn from_ed25519(x: &[u8; 32]) -> Result<Self, InvalidSigningKey> {
        if is_weak_public_key(x) {
            return Err(InvalidSigningKey::SmallOrder);
        }
        let parsed = ParsedPublicKey::new(&ED25519, x).map_err(|_| InvalidSigningKey::BadMember("x"))?;
        let numbers = PublicKeyParameters::Ed25519 { x: URL_SAFE_NO_PAD.encode(x) };
        Ok(Self::new(SigningAlgorithm::EdDsa, numbers, parsed))
    }

    fn new(algorithm: SigningAlgorithm, parameters: PublicKeyParameters, parsed: ParsedPublicKey) -> Self {
        Self {
            kid: parameters.thumbprint().into(),
            algorithm,
            parameters,
            marking: SigningKeyMarking::Real,
            parsed,
        }
    }

    /// Marks the key as a development key if either the key or the argument says so.
    pub(super) fn with_marking(mut self, marking: SigningKeyMarking) -> Self {
        if marking == SigningKeyMarking::Development {
            self.marking = marking;
        }
        self
    }

    /// Verifies a signature over a message.
    pub fn verify_signature(&self, message: &[u8], signature: &[u8]) -> Result<(), InvalidSignature> {
        self.parsed.verify_sig(message, signature).map_err(|_| InvalidSignature)
    }

    /// The `kid`: the thumbprint for our own keys and for keys without a `kid`.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// The RFC 7638 thumbprint, derived from the key alone.
    pub fn thumbprint(&self) -> String {
        self.parameters.thumbprint()
    }

    /// The algorithm.
    pub const fn algorithm(&self) -> SigningAlgorithm {
        self.algorithm
    }

    /// Whether it is a development key.
    pub const fn marking(&self) -> SigningKeyMarking {
        self.marking
    }

    /// The key as a member of a JWKS.
    pub fn to_jwk(&self) -> serde_json::Value {
        let (kid, alg) = (&*self.kid, self.algorithm.as_str());
        let mut jwk = match &self.parameters {
            PublicKeyParameters::Rsa { n, e } => {
                json!({"kty": "RSA", "use": "sig", "alg": alg, "kid": kid, "n": n, "e": e})
            }
            PublicKeyParameters::P256 { x, y } => {
                json!({"kty": "EC", "crv": "P-256", "use": "sig", "alg": alg, "kid": kid, "x": x, "y": y})
            }
            PublicKeyParameters::Ed25519 { x } => {
                json!({"kty": "OKP", "crv": "Ed25519", "use": "sig", "alg": alg, "kid": kid, "x": x})
            }
        };
        if self.marking == SigningKeyMarking::Development {
            jwk["sinete_development"] = true.into();
        }
        jwk
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} key {}", self.algorithm, self.kid)
    }
}

impl PublicKeyParameters {
    /// The RFC 7638 thumbprint: the hash of the required members in lexicographic order.
    fn thumbprint(&self) -> String {
        let canonical = match self {
            Self::Rsa { n, e } => format!(r#"{{"e":"{e}","kty":"RSA","n":"{n}"}}"#),
            Self::P256 { x, y } => format!(r#"{{"crv":"P-256","kty":"EC","x":"{x}","y":"{y}"}}"#),
            Self::Ed25519 { x } => format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#),
        };
        URL_SAFE_NO_PAD.encode(digest::digest(&SHA256, canonical.as_bytes()))
    }
}

/// Rejects any algorithm other than the only one of this key type.
pub(super) fn require_algorithm(
    possible: SigningAlgorithm,
    signing_algorithm: Option<SigningAlgorithm>,
) -> Result<(), InvalidSigningKey> {
    match signing_algorithm {
        Some(other) if other != possible => Err(InvalidSigningKey::WrongAlgorithm(other)),
        _ => Ok(()),
    }
}
