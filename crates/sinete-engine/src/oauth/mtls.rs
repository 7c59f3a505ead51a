//! mTLS settings (RFC 8705).

pub use sinete_crypto::oauth::mtls::{
    ClientCertificate, InvalidAuthorityFile, InvalidClientCertificate, TrustedCertificateAuthorities,
};

use sinete_core::oauth::mtls::ClientCertificatePolicy;
use std::sync::Arc;

/// The mTLS settings.
#[derive(Clone, Debug)]
pub struct MtlsSettings {
    /// The base URL at which client certificates are requested, without a trailing slash.
    pub address: String,
    /// The trusted CAs; `None` if only registered certificates are accepted.
    pub authorities: Option<Arc<TrustedCertificateAuthorities>>,
}

impl MtlsSettings {
    /// Which client certificates are accepted.
    pub const fn accepted_certificates(&self) -> ClientCertificatePolicy {
        match self.authorities {
            Some(_) => ClientCertificatePolicy::CaIssued,
            None => ClientCertificatePolicy::Registered,
        }
    }
}
