//! Certificates that clients show when they connect (RFC 8705): what is in them, whether they are registered, and
//! whether an authority vouches for them. That whoever shows one holds its key is proven in the handshake, not here.

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

/// The certificate of a connection, with those that came with it to vouch for it.
pub struct ClientCertificate {
    own: CertificateDer<'static>,
    above: Vec<CertificateDer<'static>>,
    digest: [u8; 32],
    numbers: Option<CertificatePublicKey>,
}

/// The bytes are no certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this is no X.509 certificate")]
pub struct InvalidClientCertificate;

/// Those whose word about clients counts.
#[derive(Clone)]
pub struct TrustedCertificateAuthorities(Vec<TrustAnchor<'static>>);

/// Why a file holds no authorities.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidAuthorityFile {
    /// There is nothing in it that is a certificate.
    #[error("it holds no certificate in PEM")]
    None,
    /// One of them cannot vouch for anything.
    #[error("its certificate number {0} cannot be read: {1}")]
    Unreadable(usize, String),
}

/// Nobody whose word counts vouches for the certificate now.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no authority vouches for the certificate: {0}")]
pub struct UntrustedClientCertificate(String);

impl ClientCertificate {
    /// The certificate that comes first, with those above it. Each is read whole, or none is.
    pub fn parse_chain<B: AsRef<[u8]>>(
        chain: impl IntoIterator<Item = B>,
    ) -> Result<Self, InvalidClientCertificate> {
        let mut chain = chain.into_iter().map(|der| owned(der.as_ref()));
        let own = chain.next().ok_or(InvalidClientCertificate)??;
        let above = chain.collect::<Result<Vec<_>, _>>()?;
        if above.len() > CERTIFICATE_CHAIN_MAX {
            return Err(InvalidClientCertificate);
        }
        let mut digest = [0; 32];
        digest.copy_from_slice(digest::digest(&SHA256, &own).as_ref());
        let numbers = CertificatePublicKey::from_certificate(&parsed(&own)?);
        if numbers.as_ref().is_some_and(CertificatePublicKey::is_weak) {
            return Err(InvalidClientCertificate);
        }
        Ok(Self { own, above, digest, numbers })
    }

    /// The same, from the text of a file.
    pub fn parse_pem(pem: &[u8]) -> Result<Self, InvalidClientCertificate> {
        let chain = CertificateDer::pem_slice_iter(pem).collect::<Result<Vec<_>, _>>();
        Self::parse_chain(chain.map_err(|_| InvalidClientCertificate)?)
    }

    /// What tokens are bound to that are issued over its connection.
    pub fn confirmation(&self) -> ConfirmationClaim {
        ConfirmationClaim::from_certificate(&self.digest)
    }

    /// Every name in it.
    pub fn names(&self) -> PresentedCertificateNames {
        parsed(&self.own)
            .map(|certificate| certificate_names::extract_names(&certificate))
            .unwrap_or_default()
    }

    /// Whether its time has come and is not over.
    pub fn is_current(&self, now: Timestamp) -> bool {
        let within = |certificate: X509Certificate<'_>| {
            let validity = certificate.validity();
            (validity.not_before.timestamp()..=validity.not_after.timestamp()).contains(&now.seconds())
        };
        parsed(&self.own).is_ok_and(within)
    }
}

impl TrustedCertificateAuthorities {
    /// The certificates in the text of a file.
    pub fn parse_pem(pem: &[u8]) -> Result<Self, InvalidAuthorityFile> {
        let mut anchors = Vec::new();
        for (place, certificate) in CertificateDer::pem_slice_iter(pem).enumerate() {
            let unreadable = |why: String| InvalidAuthorityFile::Unreadable(place + 1, why);
            let certificate = certificate.map_err(|why| unreadable(why.to_string()))?;
            let anchor = webpki::anchor_from_trusted_cert(&certificate);
            anchors.push(anchor.map_err(|why| unreadable(why.to_string()))?.to_owned());
        }
        if anchors.is_empty() { Err(InvalidAuthorityFile::None) } else { Ok(Self(anchors)) }
    }

    /// Whether one of them vouches, at this moment and for a client, for the certificate. What it was revoked by is not
    /// asked.
    pub fn verify_certificate(
        &self,
        certificate: &ClientCertificate,
        now: Timestamp,
    ) -> Result<(), UntrustedClientCertificate> {
        let unvouched = |why: webpki::Error| UntrustedClientCertificate(why.to_string());
        let seconds = u64::try_from(now.seconds()).unwrap_or_default();
        let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
        EndEntityCert::try_from(&certificate.own)
            .map_err(unvouched)?
            .verify_for_usage(
                webpki::ALL_VERIFICATION_ALGS,
                &self.0,
                &certificate.above,
                now,
                KeyUsage::client_auth(),
                None,
                None,
            )
            .map(drop)
            .map_err(unvouched)
    }
}

fn owned(der: &[u8]) -> Result<CertificateDer<'static>, InvalidClientCertificate> {
    parsed(der)?;
    Ok(CertificateDer::from(der.to_vec()))
}

/// The certificate, if that is all there is.
fn parsed(der: &[u8]) -> Result<X509Certificate<'_>, InvalidClientCertificate> {
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
