//! Signing keys: generation, import from PEM or JWK, and parsing.
//!
//! A key is for one algorithm. An RSA key could serve two but must not: security results for one padding do
//! not cover a key that is used with both. Therefore the importer states the algorithm. The `kid` is the RFC
//! 7638 thumbprint, which does not cover the algorithm: the same RSA key under the other algorithm has the
//! same `kid` and is rejected as a duplicate in a set of keys.

mod der;
mod development;
mod error;
mod jwk;
mod key_pair;
mod pem;
mod public_key;

pub use error::InvalidSigningKey;
pub use public_key::{InvalidSignature, PublicKey};

use crate::platform::jwt::EncodedJwtHeaders;
use jwk::Jwk;
use key_pair::SigningKeyPair;
use sinete_core::entropy::Entropy;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use std::fmt;
use std::sync::Arc;
use zeroize::Zeroizing;

/// The maximum length of a key in PEM or JWK format, in bytes.
pub const KEY_TEXT_BYTES_MAX: usize = 16 * 1024;

/// Whether a key is a production key or a development key, which must not sign in production.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SigningKeyMarking {
    /// A key without restrictions.
    Real,
    /// A key that a development instance generated.
    Development,
}

/// A private key with its public key and the encoded JWT headers.
///
/// It is never printed, and its bytes are exported only to a file or for encryption.
pub struct SigningKey {
    pair: SigningKeyPair,
    public: Arc<PublicKey>,
    headers: EncodedJwtHeaders,
}

/// The library failed to sign or to encode a key. This does not happen with an accepted key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cryptographic library failed")]
pub struct CryptoLibraryFailure;

impl SigningKey {
    /// Generates a key.
    ///
    /// It uses the library's generator, seeded by the operating system, and not an [`Entropy`]: a signing key
    /// must not be reproducible.
    pub fn generate(algorithm: SigningAlgorithm) -> Result<Self, InvalidSigningKey> {
        Self::new(SigningKeyPair::generate(algorithm)?, Some(algorithm), SigningKeyMarking::Real)
    }

    /// Generates a key that is marked as a development key in every format.
    pub fn generate_development(
        algorithm: SigningAlgorithm,
        entropy: &dyn Entropy,
    ) -> Result<Self, InvalidSigningKey> {
        Self::new(
            SigningKeyPair::generate_development(algorithm, entropy)?,
            Some(algorithm),
            SigningKeyMarking::Real,
        )
    }

    /// Parses a private key in PEM or JWK format. The algorithm is the JWK's `alg`, else the caller's; EC and
    /// Ed25519 keys have only one, which can be omitted.
    pub fn parse(text: &str, algorithm: Option<SigningAlgorithm>) -> Result<Self, InvalidSigningKey> {
        if text.trim_start().starts_with('{') {
            Self::from_jwk(text, algorithm)
        } else {
            Self::from_pem(text, algorithm)
        }
    }

    /// Parses a private key in PEM: PKCS#8, PKCS#1 (`RSA PRIVATE KEY`) or SEC 1 (`EC PRIVATE KEY`).
    pub fn from_pem(text: &str, algorithm: Option<SigningAlgorithm>) -> Result<Self, InvalidSigningKey> {
        if text.len() > KEY_TEXT_BYTES_MAX {
            return Err(InvalidSigningKey::TooLong);
        }
        let private = pem::parse_pem(text)?;
        let pair = match private.encoding {
            pem::PrivateKeyEncoding::Pkcs8 => SigningKeyPair::from_pkcs8(&private.der, algorithm)?,
            pem::PrivateKeyEncoding::Pkcs1 => SigningKeyPair::from_pkcs1(&private.der, algorithm)?,
            pem::PrivateKeyEncoding::Sec1 => SigningKeyPair::from_sec1(&private.der)?,
        };
        Self::new(pair, algorithm, private.marking)
    }

    /// Parses a private JWK. An RSA key must have all its factors; the public key must be present and match
    /// the private key. The `kid` of the JWK is not kept.
    pub fn from_jwk(text: &str, algorithm: Option<SigningAlgorithm>) -> Result<Self, InvalidSigningKey> {
        let jwk = Jwk::parse(text)?;
        let algorithm = jwk.resolve_algorithm(algorithm)?;
        // The public key is checked first, because its errors are more specific.
        let public = PublicKey::from_parsed_jwk(&jwk, algorithm)?;
        if !jwk.allows_operation("sign") {
            return Err(InvalidSigningKey::NotForSigning);
        }
        let pair = SigningKeyPair::from_jwk(&jwk, public.algorithm())?;
        let key = Self::new(pair, algorithm, jwk.marking())?;
        if key.kid() == public.kid() { Ok(key) } else { Err(InvalidSigningKey::Inconsistent) }
    }

    /// Reads a key stored as PKCS#8, with its stored properties.
    pub fn from_pkcs8(
        der: &[u8],
        algorithm: SigningAlgorithm,
        key_marking: SigningKeyMarking,
    ) -> Result<Self, InvalidSigningKey> {
        Self::new(SigningKeyPair::from_pkcs8(der, Some(algorithm))?, Some(algorithm), key_marking)
    }

    fn new(
        pair: SigningKeyPair,
        algorithm: Option<SigningAlgorithm>,
        key_marking: SigningKeyMarking,
    ) -> Result<Self, InvalidSigningKey> {
        let public = pair.public_key(algorithm)?.with_marking(key_marking).with_marking(pair.marking()?);
        let headers = EncodedJwtHeaders::from_key(&public);
        let key = Self { pair, public: Arc::new(public), headers };
        // Detects a private key that does not match its public key now, rather than when its first token is
        // verified.
        let trial = key.sign(b"sinete").map_err(|CryptoLibraryFailure| InvalidSigningKey::Inconsistent)?;
        key.public
            .verify_signature(b"sinete", &trial)
            .map_err(|InvalidSignature| InvalidSigningKey::Inconsistent)?;
        Ok(key)
    }

    /// Signs a message.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, CryptoLibraryFailure> {
        self.pair.sign(message)
    }

    /// The `kid`: the RFC 7638 thumbprint.
    pub fn kid(&self) -> &str {
        self.public.kid()
    }

    /// The algorithm.
    pub fn algorithm(&self) -> SigningAlgorithm {
        self.public.algorithm()
    }

    /// Whether it is a development key.
    pub fn marking(&self) -> SigningKeyMarking {
        self.public.marking()
    }

    /// The public key.
    pub const fn public_key(&self) -> &Arc<PublicKey> {
        &self.public
    }

    /// The public JWK.
    pub fn public_jwk(&self) -> serde_json::Value {
        self.public.to_jwk()
    }

    /// The encoded JWT headers.
    pub(crate) const fn headers(&self) -> &EncodedJwtHeaders {
        &self.headers
    }

    /// The private key as PKCS#8, for encryption.
    pub fn to_pkcs8(&self) -> Result<Zeroizing<Vec<u8>>, CryptoLibraryFailure> {
        self.pair.to_pkcs8()
    }

    /// The private key as PKCS#8 in PEM, for a file that only its owner can read.
    pub fn to_pem(&self) -> Result<Zeroizing<String>, CryptoLibraryFailure> {
        Ok(pem::write_pem(&self.to_pkcs8()?, self.marking()))
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:?} with its private half", self.public)
    }
}

#[cfg(test)]
mod tests;
