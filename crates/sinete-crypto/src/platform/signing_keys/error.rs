//! Why a key is rejected, in one sentence for the operator or client that provided it.

use sinete_core::limits::{RSA_BITS_MAX, RSA_BITS_MIN};
use sinete_core::platform::signing_keys::SigningAlgorithm;

/// Why a key is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSigningKey {
    /// The text contains no key.
    #[error("this is neither a PEM private key nor a private JWK")]
    NotAKeyFile,
    /// The text is longer than any key.
    #[error("a key is at most {} bytes of text", super::KEY_TEXT_BYTES_MAX)]
    TooLong,
    /// The text begins like a key but cannot be decoded.
    #[error("the key is damaged: its encoding cannot be read")]
    Damaged,
    /// It is protected by a passphrase.
    #[error("the key is encrypted with a passphrase: decrypt it first, for example with openssl pkey")]
    Encrypted,
    /// The text contains more than one key.
    #[error("the text holds more than one private key: use one file for each")]
    MultipleKeys,
    /// It is a public key or a certificate.
    #[error("this is only a public key: signing needs the private key")]
    NotPrivate,
    /// It is a private key where a public key is expected.
    #[error("the JWK contains a private key: publish only the public key, and replace the key pair")]
    NotPublic,
    /// The key type is not supported.
    #[error("the key type is not supported: use RSA, EC on P-256 or Ed25519")]
    UnknownKind,
    /// The curve is neither P-256 nor Ed25519.
    #[error("the curve is not supported: use P-256 or Ed25519")]
    WrongCurve,
    /// The RSA modulus is too short to be secure.
    #[error("the RSA key is too weak: it has {0} bits and must have at least {min}", min = RSA_BITS_MIN)]
    TooFewBits(usize),
    /// The RSA modulus is so long that signing would stall the server.
    #[error("the RSA key is too long: it has {0} bits and may have at most {max}", max = RSA_BITS_MAX)]
    TooManyBits(usize),
    /// The public exponent is not allowed.
    #[error("the RSA key has an unusual public exponent: it must be 65537")]
    WrongExponent,
    /// A private RSA JWK lacks its prime factors.
    #[error("the RSA key lacks one of p, q, dp, dq and qi: export it with all of them")]
    MissingFactors,
    /// The RSA key has more than two primes.
    #[error("the RSA key has more than two prime factors, which is not supported")]
    MultiPrime,
    /// A member is missing or has the wrong length.
    #[error("the JWK's member {0} is missing or malformed")]
    BadMember(&'static str),
    /// The Ed25519 public key is of small order, for which signatures can be forged.
    #[error("the Ed25519 key is a point of small order, or no point: anyone could forge its signatures")]
    SmallOrder,
    /// The private key does not match the public key.
    #[error("the private key does not match the public key")]
    Inconsistent,
    /// An RSA key without an algorithm.
    #[error("an RSA key signs with one algorithm only: state whether it is RS256 or PS256")]
    AlgorithmMissing,
    /// The stated algorithms contradict each other or do not fit the key type.
    #[error("this key cannot sign with {0}")]
    WrongAlgorithm(SigningAlgorithm),
    /// The JWK is not for signing.
    #[error("the JWK says that the key is not for signing")]
    NotForSigning,
    /// The library could not generate a key.
    #[error("the key could not be generated")]
    GenerationFailed,
}
