//! Signing keys: made, brought in from PEM or JWK, and parsed once.
//!
//! A key is for one algorithm. RSA keys could serve two, and must not: what is known about one padding says
//! nothing about a key that is used with another as well. So whoever brings one in says which. The `kid` is
//! the RFC 7638 thumbprint, which does not cover the algorithm: the same RSA key under the other algorithm
//! has the same `kid`, and whoever keeps a set of keys refuses the second as a duplicate.

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

/// Most bytes in the text of a key, PEM or JWK.
pub const KEY_TEXT_BYTES_MAX: usize = 16 * 1024;

/// Whether a key is real, or was made for trying things out and must not sign in production.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SigningKeyMarking {
    /// A key that may sign anywhere.
    Real,
    /// A key that a development instance made for itself.
    Development,
}

/// The private half of a key, with its public half and the token headers that name it.
///
/// It is never printed, and its bytes leave it only to be written to a file or to be sealed.
pub struct SigningKey {
    pair: SigningKeyPair,
    public: Arc<PublicKey>,
    headers: EncodedJwtHeaders,
}

/// The library refused to sign or to encode a key. With a key that was accepted this does not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the cryptographic library failed")]
pub struct CryptoLibraryFailure;

impl SigningKey {
    /// A new key.
    ///
    /// It is drawn from the library's own generator, seeded by the operating system, and not from an
    /// [`Entropy`]: a signing key that could be drawn a second time would be none.
    pub fn generate(algorithm: SigningAlgorithm) -> Result<Self, InvalidSigningKey> {
        Self::new(SigningKeyPair::generate(algorithm)?, Some(algorithm), SigningKeyMarking::Real)
    }

    /// A new key that says of itself, wherever it turns up and in whatever form, that it is for development.
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

    /// Reads a private key in whatever form it comes: PEM or JWK. The algorithm is the one the JWK names,
    /// else the caller's; for EC and Ed25519 keys there is only one, and it need not be said.
    pub fn parse(text: &str, algorithm: Option<SigningAlgorithm>) -> Result<Self, InvalidSigningKey> {
        if text.trim_start().starts_with('{') {
            Self::from_jwk(text, algorithm)
        } else {
            Self::from_pem(text, algorithm)
        }
    }

    /// Reads a private key in PEM: PKCS#8, PKCS#1 (`RSA PRIVATE KEY`) or SEC 1 (`EC PRIVATE KEY`).
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

    /// Reads a private JWK. An RSA key needs all of its factors; the public half must be there and belong
    /// to the private one. The `kid` it came with is not kept.
    pub fn from_jwk(text: &str, algorithm: Option<SigningAlgorithm>) -> Result<Self, InvalidSigningKey> {
        let jwk = Jwk::parse(text)?;
        let algorithm = jwk.resolve_algorithm(algorithm)?;
        // The public half is judged first: what is wrong with it has the clearer sentence.
        let public = PublicKey::from_parsed_jwk(&jwk, algorithm)?;
        if !jwk.allows_operation("sign") {
            return Err(InvalidSigningKey::NotForSigning);
        }
        let pair = SigningKeyPair::from_jwk(&jwk, public.algorithm())?;
        let key = Self::new(pair, algorithm, jwk.marking())?;
        if key.kid() == public.kid() { Ok(key) } else { Err(InvalidSigningKey::Inconsistent) }
    }

    /// Reads a key that was stored as PKCS#8, with what was known about it then.
    pub fn from_pkcs8(
        der: &[u8],
        algorithm: SigningAlgorithm,
        known: SigningKeyMarking,
    ) -> Result<Self, InvalidSigningKey> {
        Self::new(SigningKeyPair::from_pkcs8(der, Some(algorithm))?, Some(algorithm), known)
    }

    fn new(
        pair: SigningKeyPair,
        algorithm: Option<SigningAlgorithm>,
        said: SigningKeyMarking,
    ) -> Result<Self, InvalidSigningKey> {
        let public = pair.public_key(algorithm)?.with_marking(said).with_marking(pair.marking()?);
        let headers = EncodedJwtHeaders::from_key(&public);
        let key = Self { pair, public: Arc::new(public), headers };
        // A key whose halves do not belong together is found here, not by whoever verifies its first token.
        let trial = key.sign(b"sinete").map_err(|CryptoLibraryFailure| InvalidSigningKey::Inconsistent)?;
        key.public
            .verify_signature(b"sinete", &trial)
            .map_err(|InvalidSignature| InvalidSigningKey::Inconsistent)?;
        Ok(key)
    }

    /// Signs the message.
    pub fn sign(&self, message: &[u8]) -> Result<Vec<u8>, CryptoLibraryFailure> {
        self.pair.sign(message)
    }

    /// The name of the key: its RFC 7638 thumbprint.
    pub fn kid(&self) -> &str {
        self.public.kid()
    }

    /// The one algorithm it signs with.
    pub fn algorithm(&self) -> SigningAlgorithm {
        self.public.algorithm()
    }

    /// Whether it was made for trying things out.
    pub fn marking(&self) -> SigningKeyMarking {
        self.public.marking()
    }

    /// The public half.
    pub const fn public_key(&self) -> &Arc<PublicKey> {
        &self.public
    }

    /// What others are shown of it.
    pub fn public_jwk(&self) -> serde_json::Value {
        self.public.to_jwk()
    }

    /// The beginnings of the tokens it signs.
    pub(crate) const fn headers(&self) -> &EncodedJwtHeaders {
        &self.headers
    }

    /// The private key as PKCS#8, to be sealed.
    pub fn to_pkcs8(&self) -> Result<Zeroizing<Vec<u8>>, CryptoLibraryFailure> {
        self.pair.to_pkcs8()
    }

    /// The private key as PKCS#8 in PEM, to be written to a file that only its owner can read.
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
