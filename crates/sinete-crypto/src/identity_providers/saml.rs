//! Signing certificates of SAML identity providers. They are trusted because the administrator of the
//! connection configured them; only the key in them is used.

use aws_lc_rs::digest::{self, SHA256};
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_2048_8192_SHA384,
    RSA_PKCS1_2048_8192_SHA512, UnparsedPublicKey, VerificationAlgorithm,
};
use rustls_pki_types::CertificateDer;
use rustls_pki_types::pem::PemObject as _;
use sinete_core::identity_providers::saml::signature::XmlSignatureAlgorithm;
use sinete_core::limits::{RSA_BITS_MIN, RSA_VERIFIED_BITS_MAX};
use sinete_core::time::Timestamp;
use std::fmt;
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;
use x509_parser::public_key::PublicKey;

/// A signing certificate of an identity provider.
#[derive(Clone, PartialEq, Eq)]
pub struct SamlSigningCertificate {
    kind: CertificateKeyType,
    key: Vec<u8>,
    digest: [u8; 32],
    ends_at: Timestamp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CertificateKeyType {
    Rsa,
    P256,
    P384,
}

/// Why a certificate is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSamlCertificate {
    /// It is not exactly one certificate.
    #[error("one X.509 certificate in PEM")]
    Unreadable,
    /// Its key is not supported.
    #[error("a certificate with an RSA key of 2048 to 8192 bits, or a key on P-256 or P-384")]
    Key,
}

impl SamlSigningCertificate {
    /// Parses a PEM text with exactly one certificate and nothing else: the text is stored as sent and must
    /// not contain a private key.
    pub fn parse_pem(pem: &str) -> Result<Self, InvalidSamlCertificate> {
        if pem.matches("-----BEGIN").count() != 1 {
            return Err(InvalidSamlCertificate::Unreadable);
        }
        let mut all = CertificateDer::pem_slice_iter(pem.as_bytes());
        let (Some(Ok(der)), None) = (all.next(), all.next()) else {
            return Err(InvalidSamlCertificate::Unreadable);
        };
        let Ok(([], certificate)) = X509Certificate::from_der(&der) else {
            return Err(InvalidSamlCertificate::Unreadable);
        };
        let kind = key_type(&certificate).ok_or(InvalidSamlCertificate::Key)?;
        let mut digest = [0; 32];
        digest.copy_from_slice(digest::digest(&SHA256, &der).as_ref());
        Ok(Self {
            kind,
            key: certificate.public_key().subject_public_key.data.to_vec(),
            digest,
            ends_at: Timestamp::from_seconds(certificate.validity().not_after.timestamp()),
        })
    }

    /// The SHA-256 fingerprint in hexadecimal, as identity providers display it.
    pub fn fingerprint(&self) -> String {
        self.digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The end of its validity.
    pub const fn expires_at(&self) -> Timestamp {
        self.ends_at
    }

    /// Verifies a signature over a message. The key must fit the algorithm, so the message cannot select
    /// another one.
    pub fn verify_signature(&self, method: XmlSignatureAlgorithm, message: &[u8], signature: &[u8]) -> bool {
        let algorithm: &'static dyn VerificationAlgorithm = match (self.kind, method) {
            (CertificateKeyType::Rsa, XmlSignatureAlgorithm::RsaSha256) => &RSA_PKCS1_2048_8192_SHA256,
            (CertificateKeyType::Rsa, XmlSignatureAlgorithm::RsaSha384) => &RSA_PKCS1_2048_8192_SHA384,
            (CertificateKeyType::Rsa, XmlSignatureAlgorithm::RsaSha512) => &RSA_PKCS1_2048_8192_SHA512,
            (CertificateKeyType::P256, XmlSignatureAlgorithm::EcdsaSha256) => &ECDSA_P256_SHA256_FIXED,
            (CertificateKeyType::P384, XmlSignatureAlgorithm::EcdsaSha384) => &ECDSA_P384_SHA384_FIXED,
            (
                CertificateKeyType::Rsa,
                XmlSignatureAlgorithm::EcdsaSha256 | XmlSignatureAlgorithm::EcdsaSha384,
            )
            | (
                CertificateKeyType::P256 | CertificateKeyType::P384,
                XmlSignatureAlgorithm::RsaSha256
                | XmlSignatureAlgorithm::RsaSha384
                | XmlSignatureAlgorithm::RsaSha512,
            )
            | (CertificateKeyType::P256, XmlSignatureAlgorithm::EcdsaSha384)
            | (CertificateKeyType::P384, XmlSignatureAlgorithm::EcdsaSha256) => return false,
        };
        UnparsedPublicKey::new(algorithm, &self.key).verify(message, signature).is_ok()
    }
}

fn key_type(certificate: &X509Certificate<'_>) -> Option<CertificateKeyType> {
    let info = certificate.public_key();
    match info.parsed().ok()? {
        PublicKey::RSA(key) if (RSA_BITS_MIN..=RSA_VERIFIED_BITS_MAX).contains(&key.key_size()) => {
            Some(CertificateKeyType::Rsa)
        }
        PublicKey::EC(_) => {
            let curve = info.algorithm.parameters.as_ref()?.as_oid().ok()?.to_id_string();
            // Only uncompressed points are supported.
            match (curve.as_str(), info.subject_public_key.data.as_ref()) {
                ("1.2.840.10045.3.1.7", [4, point @ ..]) if point.len() == 64 => {
                    Some(CertificateKeyType::P256)
                }
                ("1.3.132.0.34", [4, point @ ..]) if point.len() == 96 => Some(CertificateKeyType::P384),
                _ => None,
            }
        }
        PublicKey::RSA(_)
        | PublicKey::DSA(_)
        | PublicKey::GostR3410(_)
        | PublicKey::GostR3410_2012(_)
        | PublicKey::Unknown(_) => None,
    }
}

impl fmt::Debug for SamlSigningCertificate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "certificate {}", self.fingerprint())
    }
}

#[cfg(test)]
mod tests;
