//! Certificates of clients (RFC 8705): where connections are asked for them, and whose word about them counts.

pub use sinete_crypto::oauth::mtls::{
    ClientCertificate, InvalidAuthorityFile, InvalidClientCertificate, TrustedCertificateAuthorities,
};

use sinete_core::oauth::mtls::ClientCertificatePolicy;
use std::sync::Arc;

/// How certificates of clients are taken.
#[derive(Clone, Debug)]
pub struct MtlsSettings {
    /// The address at which connections are asked for one, without a slash at its end.
    pub address: String,
    /// Whose word about them counts; nobody's, where clients register their own.
    pub authorities: Option<Arc<TrustedCertificateAuthorities>>,
}

impl MtlsSettings {
    /// How far certificates are taken.
    pub const fn accepted_certificates(&self) -> ClientCertificatePolicy {
        match self.authorities {
            Some(_) => ClientCertificatePolicy::Vouched,
            None => ClientCertificatePolicy::Registered,
        }
    }
}
