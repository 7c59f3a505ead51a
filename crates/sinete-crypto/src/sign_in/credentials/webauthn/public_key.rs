//! A passkey's public key, as a COSE key (RFC 9052 §7), for exactly one algorithm.

use super::cbor;
use super::cbor::{CborForm, CborItem, CborMap};
use super::error::WebauthnRejection;
use aws_lc_rs::rsa::PublicKeyComponents;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_ASN1, ECDSA_P384_SHA384_ASN1, ED25519, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256,
    VerificationAlgorithm,
};
use sinete_core::limits::{RSA_BITS_MAX, RSA_BITS_MIN};
use sinete_core::platform::signing_keys::ed25519::is_weak_public_key;

/// The offered algorithms, in order of preference.
pub const OFFERED_ALGORITHMS: [CoseAlgorithm; 4] =
    [CoseAlgorithm::Es256, CoseAlgorithm::EdDsa, CoseAlgorithm::Es384, CoseAlgorithm::Rs256];

/// A COSE signature algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoseAlgorithm {
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// Ed25519.
    EdDsa,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// RSASSA-PKCS1-v1_5 with SHA-256.
    Rs256,
}

impl CoseAlgorithm {
    /// The number in the COSE registry.
    pub const fn cose_number(self) -> i32 {
        match self {
            Self::Es256 => -7,
            Self::EdDsa => -8,
            Self::Es384 => -35,
            Self::Rs256 => -257,
        }
    }

    fn from_cose_number(number: i128) -> Option<Self> {
        OFFERED_ALGORITHMS.into_iter().find(|it| i128::from(it.cose_number()) == number)
    }
}

/// A parsed public key.
pub(super) struct PasskeyPublicKey(ParsedPublicKey);

/// Labels of COSE key parameters.
const KTY: i128 = 1;
const ALG: i128 = 3;
const FIRST_PARAMETER: i128 = -1;
const SECOND_PARAMETER: i128 = -2;
const THIRD_PARAMETER: i128 = -3;
/// Key types.
const OKP: i128 = 1;
const EC2: i128 = 2;
const RSA: i128 = 3;
/// Curves.
const P256: i128 = 1;
const P384: i128 = 2;
const CURVE25519: i128 = 6;

impl PasskeyPublicKey {
    /// Parses a stored key.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, WebauthnRejection> {
        Self::from_cose_map(
            &cbor::parse_map(bytes, CborForm::Canonical).map_err(|_| WebauthnRejection::PublicKey)?,
        )
    }

    /// Parses a key. WebAuthn §6.5.1: it has `alg`, its required parameters, and no others.
    pub(super) fn from_cose_map(map: &CborMap<'_>) -> Result<Self, WebauthnRejection> {
        let algorithm = find_integer(map, ALG).ok_or(WebauthnRejection::PublicKey)?;
        let algorithm =
            CoseAlgorithm::from_cose_number(algorithm).ok_or(WebauthnRejection::AlgorithmNotOffered)?;
        let parsed = match algorithm {
            CoseAlgorithm::Es256 => parse_ec_key::<32>(map, P256, &ECDSA_P256_SHA256_ASN1),
            CoseAlgorithm::Es384 => parse_ec_key::<48>(map, P384, &ECDSA_P384_SHA384_ASN1),
            CoseAlgorithm::EdDsa => parse_ed25519_key(map),
            CoseAlgorithm::Rs256 => parse_rsa_key(map),
        };
        parsed.map(Self).ok_or(WebauthnRejection::PublicKey)
    }

    /// Verifies a signature over a message.
    pub(super) fn verify_signature(&self, message: &[u8], signature: &[u8]) -> Result<(), WebauthnRejection> {
        self.0.verify_sig(message, signature).map_err(|_| WebauthnRejection::Signature)
    }
}

/// Creates an EC key from the coordinates of a point, which must be on the curve.
fn parse_ec_key<const LENGTH: usize>(
    map: &CborMap<'_>,
    curve: i128,
    algorithm: &'static dyn VerificationAlgorithm,
) -> Option<ParsedPublicKey> {
    let is_expected_type =
        map.len() == 5 && find_integer(map, KTY)? == EC2 && find_integer(map, FIRST_PARAMETER)? == curve;
    let (x, y) = (find_bytes(map, SECOND_PARAMETER)?, find_bytes(map, THIRD_PARAMETER)?);
    if !is_expected_type || x.len() != LENGTH || y.len() != LENGTH {
        return None;
    }
    ParsedPublicKey::new(algorithm, [&[4], x, y].concat()).ok()
}

fn parse_ed25519_key(map: &CborMap<'_>) -> Option<ParsedPublicKey> {
    let is_expected_type =
        map.len() == 4 && find_integer(map, KTY)? == OKP && find_integer(map, FIRST_PARAMETER)? == CURVE25519;
    let x: &[u8; 32] = find_bytes(map, SECOND_PARAMETER)?.try_into().ok()?;
    if is_expected_type && !is_weak_public_key(x) { ParsedPublicKey::new(&ED25519, x).ok() } else { None }
}

fn parse_rsa_key(map: &CborMap<'_>) -> Option<ParsedPublicKey> {
    let (n, e) = (find_bytes(map, FIRST_PARAMETER)?, find_bytes(map, SECOND_PARAMETER)?);
    let bits = n.len() * 8 - n.first()?.leading_zeros() as usize;
    let fits = map.len() == 4
        && find_integer(map, KTY)? == RSA
        && n.first() != Some(&0)
        && (RSA_BITS_MIN..=RSA_BITS_MAX).contains(&bits)
        && e == [1, 0, 1];
    if !fits {
        return None;
    }
    PublicKeyComponents { n, e }.to_parsed_public_key(&RSA_PKCS1_2048_8192_SHA256).ok()
}

fn find_integer(map: &CborMap<'_>, label: i128) -> Option<i128> {
    match map.find_integer_key(label)? {
        CborItem::Integer(value) => Some(*value),
        _ => None,
    }
}

fn find_bytes<'a>(map: &CborMap<'a>, label: i128) -> Option<&'a [u8]> {
    match map.find_integer_key(label)? {
        CborItem::Bytes(value) => Some(value),
        _ => None,
    }
}
