//! Why a text or some bytes are not a key we use. One sentence each, for the person who brought it.

use sinete_core::limits::{RSA_BITS_MAX, RSA_BITS_MIN};
use sinete_core::platform::signing_keys::SigningAlgorithm;

/// The key cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSigningKey {
    /// Nothing in the text looks like a key.
    #[error("this is neither a PEM private key nor a private JWK")]
    NotAKeyFile,
    /// More text than any key needs.
    #[error("a key is at most {} bytes of text", super::KEY_TEXT_BYTES_MAX)]
    TooLong,
    /// The text begins like a key and cannot be decoded.
    #[error("the key is damaged: its encoding cannot be read")]
    Damaged,
    /// A passphrase protects it.
    #[error("the key is encrypted with a passphrase: decrypt it first, for example with openssl pkey")]
    Encrypted,
    /// More than one key in one text.
    #[error("the text holds more than one private key: use one file for each")]
    Several,
    /// Only the public half, or a certificate.
    #[error("only a public key is there: signing needs the private key")]
    NoPrivateHalf,
    /// A private key where a public one belongs.
    #[error("the JWK holds a private key: publish only its public half, and replace the key")]
    PrivateHalf,
    /// A kind of key that no algorithm of ours uses.
    #[error("the key is of another kind: RSA, EC on P-256 and Ed25519 are used")]
    UnknownKind,
    /// An elliptic curve other than P-256 or Ed25519.
    #[error("the key is on another curve: P-256 and Ed25519 are used")]
    WrongCurve,
    /// An RSA modulus that can be factored too soon.
    #[error("the RSA key is too weak: it has {0} bits and must have at least {min}", min = RSA_BITS_MIN)]
    TooFewBits(usize),
    /// An RSA modulus so long that signing would stall the server.
    #[error("the RSA key is too long: it has {0} bits and may have at most {max}", max = RSA_BITS_MAX)]
    TooManyBits(usize),
    /// A public exponent nobody should use.
    #[error("the RSA key has an unusual public exponent: it must be 65537")]
    WrongExponent,
    /// A private RSA JWK without its prime factors.
    #[error("the RSA key lacks one of p, q, dp, dq and qi: export it with all of them")]
    MissingFactors,
    /// An RSA key of more than two primes.
    #[error("the RSA key has more than two prime factors: two are used")]
    MorePrimes,
    /// A member the key needs is absent or has the wrong length.
    #[error("the JWK's member {0} is missing or malformed")]
    BadMember(&'static str),
    /// An Ed25519 point that anybody can sign for.
    #[error("the Ed25519 key is a point of small order, or none at all: anybody could sign for it")]
    SmallOrder,
    /// The private half does not belong to the public half.
    #[error("the private and the public half do not belong together")]
    Inconsistent,
    /// An RSA key that nothing assigns to an algorithm.
    #[error("an RSA key signs with one algorithm only: say whether it is RS256 or PS256")]
    AlgorithmNeeded,
    /// Two statements about its algorithm contradict each other, or the kind of key excludes it.
    #[error("this key does not sign with {0}")]
    WrongAlgorithm(SigningAlgorithm),
    /// The JWK says that it is not for signing.
    #[error("the JWK says that the key is not for signing")]
    NotForSigning,
    /// The library could not make a key.
    #[error("the key could not be generated")]
    NotMade,
}
