//! Registered client certificates (RFC 8705 §2.2.2): a JWK with or without `x5c`.

use super::ClientCertificate;
use aws_lc_rs::digest::{self, SHA256};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use serde_json::Value;
use sinete_core::platform::signing_keys::ed25519::is_weak_public_key;
use x509_parser::certificate::X509Certificate;
use x509_parser::public_key::PublicKey;

/// A registered key for a client certificate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RegisteredCertificateKey {
    /// Exactly this certificate, by its digest.
    Certificate(Box<[u8]>),
    /// Any certificate with this key.
    Key(CertificatePublicKey),
}

/// The parameters of a public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CertificatePublicKey {
    /// Modulus and exponent, without leading zeros.
    Rsa(Vec<u8>, Vec<u8>),
    /// The JWK curve name and the uncompressed point.
    Curve(&'static str, Vec<u8>),
}

/// The supported curves: JWK name, object identifier and coordinate length in bytes.
const CURVES: [(&str, &str, usize); 3] =
    [("P-256", "1.2.840.10045.3.1.7", 32), ("P-384", "1.3.132.0.34", 48), ("P-521", "1.3.132.0.35", 66)];
const ED25519: &str = "Ed25519";
const ED25519_ID: &str = "1.3.101.112";
const UNCOMPRESSED: u8 = 4;

impl RegisteredCertificateKey {
    /// Reads a JWK, if it can be the key of a certificate.
    pub fn from_jwk(jwk: &Value) -> Option<Self> {
        if jwk.get("use").is_some_and(|used| used != "sig") {
            return None;
        }
        match jwk.get("x5c") {
            // If `x5c` is present, only that certificate matches, regardless of the key next to it.
            Some(chain) => {
                let first = chain.as_array()?.first()?.as_str()?;
                let der = STANDARD.decode(first).ok()?;
                Some(Self::Certificate(digest::digest(&SHA256, &der).as_ref().into()))
            }
            None => CertificatePublicKey::from_jwk(jwk).map(Self::Key),
        }
    }

    /// Whether the certificate matches.
    pub fn matches_certificate(&self, certificate: &ClientCertificate) -> bool {
        match self {
            Self::Certificate(digest) => **digest == certificate.digest,
            Self::Key(numbers) => certificate.public_key.as_ref() == Some(numbers),
        }
    }
}

impl CertificatePublicKey {
    pub(super) fn from_certificate(certificate: &X509Certificate<'_>) -> Option<Self> {
        let info = certificate.public_key();
        let bits: &[u8] = &info.subject_public_key.data;
        match info.parsed().ok()? {
            PublicKey::RSA(key) => {
                Some(Self::Rsa(trim_leading_zeros(key.modulus)?, trim_leading_zeros(key.exponent)?))
            }
            PublicKey::EC(_) => {
                let id = info.algorithm.parameters.as_ref()?.as_oid().ok()?.to_id_string();
                let (name, _, size) = CURVES.into_iter().find(|(_, curve_oid, _)| *curve_oid == id)?;
                let is_whole = bits.first() == Some(&UNCOMPRESSED) && bits.len() == 1 + 2 * size;
                is_whole.then(|| Self::Curve(name, bits.to_vec()))
            }
            PublicKey::Unknown(_) if info.algorithm.algorithm.to_id_string() == ED25519_ID => {
                Some(Self::Curve(ED25519, bits.to_vec()))
            }
            PublicKey::DSA(_)
            | PublicKey::GostR3410(_)
            | PublicKey::GostR3410_2012(_)
            | PublicKey::Unknown(_) => None,
        }
    }

    fn from_jwk(jwk: &Value) -> Option<Self> {
        let text = |member: &str| jwk.get(member).and_then(Value::as_str);
        let bytes = |member: &str| URL_SAFE_NO_PAD.decode(text(member)?).ok();
        match (text("kty")?, text("crv")) {
            ("RSA", _) => {
                Some(Self::Rsa(trim_leading_zeros(&bytes("n")?)?, trim_leading_zeros(&bytes("e")?)?))
            }
            ("EC", Some(curve)) => {
                let (name, _, size) = CURVES.into_iter().find(|(name, ..)| *name == curve)?;
                let (x, y) = (bytes("x")?, bytes("y")?);
                let fits = x.len() == size && y.len() == size;
                fits.then(|| Self::Curve(name, [vec![UNCOMPRESSED], x, y].concat()))
            }
            ("OKP", Some(ED25519)) => Some(Self::Curve(ED25519, bytes("x")?)).filter(|key| !key.is_weak()),
            _ => None,
        }
    }

    /// Whether the key is weak, so that an attacker could complete a handshake without the private key.
    pub(super) fn is_weak(&self) -> bool {
        match self {
            Self::Curve(ED25519, point) => point.as_slice().try_into().is_ok_and(is_weak_public_key),
            Self::Curve(..) | Self::Rsa(..) => false,
        }
    }
}

/// Removes leading zeros; `None` if nothing is left.
fn trim_leading_zeros(number: &[u8]) -> Option<Vec<u8>> {
    let start = number.iter().position(|byte| *byte != 0)?;
    number.get(start..).map(<[u8]>::to_vec)
}
