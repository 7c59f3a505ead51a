//! Client certificates (RFC 8705): their names, whether they are registered, and whether a trusted CA issued
//! them. The TLS handshake, not this module, proves possession of the private key.

mod certificate_names;
mod registered_key;

pub use registered_key::RegisteredCertificateKey;

use aws_lc_rs::digest::{self, SHA256};
use registered_key::CertificatePublicKey;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use sinete_core::limits::CERTIFICATE_CHAIN_MAX;
use sinete_core::oauth::confirmation::ConfirmationClaim;
use sinete_core::oauth::mtls::PresentedCertificateNames;
use sinete_core::time::Timestamp;
use std::fmt;
use std::time::Duration;
use webpki::{EndEntityCert, KeyUsage};
use x509_parser::certificate::X509Certificate;
use x509_parser::prelude::FromDer as _;

/// The client certificate of a connection, with its intermediate certificates.
pub struct ClientCertificate {
    leaf: CertificateDer<'static>,
    intermediates: Vec<CertificateDer<'static>>,
    digest: [u8; 32],
    public_key: Option<CertificatePublicKey>,
}

/// The bytes are not a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is not an X.509 certificate")]
pub struct InvalidClientCertificate;

/// The certificate authorities that are trusted for client certificates.
#[derive(Clone)]
pub struct TrustedCertificateAuthorities(Vec<TrustAnchor<'static>>);

/// Why a CA file is rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAuthorityFile {
    /// It contains no certificate.
    #[error("it contains no certificate in PEM format")]
    None,
    /// A certificate cannot be used as a trust anchor.
    #[error("its certificate number {0} is invalid: {1}")]
    Unreadable(usize, String),
}

/// No trusted CA issued a currently valid certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no trusted authority issued the certificate: {0}")]
pub struct UntrustedClientCertificate(String);

impl ClientCertificate {
    /// Parses a chain, end-entity certificate first. Fails if any certificate cannot be parsed.
    pub fn parse_chain<B: AsRef<[u8]>>(
        chain: impl IntoIterator<Item = B>,
    ) -> Result<Self, InvalidClientCertificate> {
        let mut chain = chain.into_iter().map(|der| parse_owned_certificate(der.as_ref()));
        let certificate_der = chain.next().ok_or(InvalidClientCertificate)??;
        let above = chain.collect::<Result<Vec<_>, _>>()?;
        if above.len() > CERTIFICATE_CHAIN_MAX {
            return Err(InvalidClientCertificate);
        }
        let mut digest = [0; 32];
        digest.copy_from_slice(digest::digest(&SHA256, &certificate_der).as_ref());
        let numbers = CertificatePublicKey::from_certificate(&parse_certificate(&certificate_der)?);
        if numbers.as_ref().is_some_and(CertificatePublicKey::is_weak) {
            return Err(InvalidClientCertificate);
        }
        Ok(Self { leaf: certificate_der, intermediates: above, digest, public_key: numbers })
    }

    /// Parses a chain from PEM.
    pub fn parse_pem(pem: &[u8]) -> Result<Self, InvalidClientCertificate> {
        let chain = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
        Self::parse_chain(chain.map_err(|_| InvalidClientCertificate)?)
    }

    /// The `cnf` claim of tokens issued over this connection.
    pub fn confirmation(&self) -> ConfirmationClaim {
        ConfirmationClaim::from_certificate(&self.digest)
    }

    /// All names in the certificate.
    pub fn names(&self) -> PresentedCertificateNames {
        parse_certificate(&self.leaf)
            .map(|certificate| certificate_names::extract_names(&certificate))
            .unwrap_or_default()
    }

    /// Whether the certificate is currently within its validity period.
    pub fn is_current(&self, now: Timestamp) -> bool {
        let within = |certificate: X509Certificate<'_>| {
            let validity = certificate.validity();
            (validity.not_before.timestamp()..=validity.not_after.timestamp()).contains(&now.seconds())
        };
        parse_certificate(&self.leaf).is_ok_and(within)
    }
}

impl TrustedCertificateAuthorities {
    /// Parses the certificates of a PEM file.
    pub fn parse_pem(pem: &[u8]) -> Result<Self, InvalidAuthorityFile> {
        let mut anchors = Vec::new();
        for (index, certificate) in CertificateDer::pem_slice_iter(pem).enumerate() {
            let unreadable = |reason: String| InvalidAuthorityFile::Unreadable(index + 1, reason);
            let certificate = certificate.map_err(|error| unreadable(error.to_string()))?;
            let anchor = webpki::anchor_from_trusted_cert(&certificate);
            anchors.push(anchor.map_err(|error| unreadable(error.to_string()))?.to_owned());
        }
        if anchors.is_empty() { Err(InvalidAuthorityFile::None) } else { Ok(Self(anchors)) }
    }

    /// Verifies that a trusted CA issued the certificate for client authentication and that it is valid now.
    /// Revocation is not checked.
    pub fn verify_certificate(
        &self,
        certificate: &ClientCertificate,
        now: Timestamp,
    ) -> Result<(), UntrustedClientCertificate> {
        let unvouched = |error: webpki::Error| UntrustedClientCertificate(error.to_string());
        let seconds = u64::try_from(now.seconds()).unwrap_or_default();
        let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        EndEntityCert::try_from(&certificate.leaf)
            .map_err(unvouched)?
            .verify_for_usage(
                webpki::ALL_VERIFICATION_ALGS,
                &self.0,
                &certificate.intermediates,
                now,
                KeyUsage::client_auth(),
                None,
                None,
            )
            .map(drop)
            .map_err(unvouched)
    }
}

fn parse_owned_certificate(der: &[u8]) -> Result<CertificateDer<'static>, InvalidClientCertificate> {
    parse_certificate(der)?;
    Ok(CertificateDer::from(der.to_vec()))
}

/// Parses a certificate with nothing after it.
fn parse_certificate(der: &[u8]) -> Result<X509Certificate<'_>, InvalidClientCertificate> {
    match X509Certificate::from_der(der) {
        Ok(([], certificate)) => Ok(certificate),
        Ok(_) | Err(_) => Err(InvalidClientCertificate),
    }
}

impl fmt::Debug for ClientCertificate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "certificate {}", self.confirmation().certificate().unwrap_or_default())
    }
}

impl fmt::Debug for TrustedCertificateAuthorities {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{} authorities", self.0.len())
    }
}

#[cfg(test)]
mod tests;
