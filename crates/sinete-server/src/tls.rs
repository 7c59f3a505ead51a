//! TLS termination: a certificate and its key, reloaded when their files change, and optional client
//! certificates for some host names.

mod client_certificates;

pub use crate::tls::client_certificates::ClientCertificatePolicy;
pub(crate) use crate::tls::client_certificates::TlsHandshake;

use arc_swap::ArcSwap;
use rustls::CipherSuite;
use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;
use rustls_pki_types::pem::PemObject as _;
use rustls_pki_types::{CertificateDer, PrivateKeyDer};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

/// TLS for a listener. Cheap to clone: every clone uses the current certificate.
#[derive(Clone)]
pub struct TlsListener {
    files: TlsFiles,
    handshake: TlsHandshake,
    resolver: Arc<CertificateResolver>,
    /// The state of the files when they were last read, successfully or not.
    last_stamp: Arc<Mutex<FileStamp>>,
}

/// The certificate and key files.
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificate chain as PEM, leaf first.
    pub certificate: PathBuf,
    /// The private key as PEM.
    pub key: PathBuf,
}

/// Why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsCertificateError {
    /// A file cannot be read.
    #[error("{path} cannot be read: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// There is no certificate in the file.
    #[error("{0} holds no certificate in PEM")]
    NoCertificate(PathBuf),
    /// There is no key in the file.
    #[error("{0} holds no private key in PEM")]
    NoKey(PathBuf),
    /// Certificate and key do not match.
    #[error("the certificate in {certificate} cannot be used with the key in {key}: {source}")]
    Unusable {
        /// The certificate file.
        certificate: PathBuf,
        /// The key file.
        key: PathBuf,
        /// The cause.
        source: rustls::Error,
    },
}

/// The result of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateReload {
    /// The files are unchanged.
    Unchanged,
    /// A new certificate is in use.
    Replaced,
}

impl TlsListener {
    /// Reads the files and prepares to accept connections: TLS 1.2 and 1.3, HTTP/2 and HTTP/1.1, without
    /// client certificates.
    pub fn open(files: TlsFiles) -> Result<Self, TlsCertificateError> {
        Self::open_with_client_certificates(files, ClientCertificatePolicy::Never)
    }

    /// The same, requesting client certificates under this policy.
    pub fn open_with_client_certificates(
        files: TlsFiles,
        certificate_policy: ClientCertificatePolicy,
    ) -> Result<Self, TlsCertificateError> {
        let provider = Arc::new(tls_crypto_provider());
        let stamp = FileStamp::from_files(&files);
        let served = Arc::new(CertificateResolver(ArcSwap::from_pointee(files.load(&provider)?)));
        let unusable = |source| TlsCertificateError::Unusable {
            certificate: files.certificate.clone(),
            key: files.key.clone(),
            source,
        };
        let resolver = Arc::clone(&served) as Arc<dyn ResolvesServerCert>;
        let handshake = TlsHandshake::new(&provider, &resolver, certificate_policy).map_err(unusable)?;
        Ok(Self { files, handshake, resolver: served, last_stamp: Arc::new(Mutex::new(stamp)) })
    }

    /// Reloads the files if they changed. If they cannot be used, the old certificate stays in use, and the
    /// error is reported once per change.
    pub fn reload_if_changed(&self) -> Result<CertificateReload, TlsCertificateError> {
        let stamp = FileStamp::from_files(&self.files);
        {
            let mut file_stamp = self.last_stamp.lock().unwrap_or_else(PoisonError::into_inner);
            if *file_stamp == stamp {
                return Ok(CertificateReload::Unchanged);
            }
            *file_stamp = stamp;
        }
        self.reload()
    }

    /// Reloads the files, changed or not.
    pub fn reload(&self) -> Result<CertificateReload, TlsCertificateError> {
        let certified = self.files.load(&Arc::new(tls_crypto_provider()))?;
        self.resolver.0.store(Arc::new(certified));
        Ok(CertificateReload::Replaced)
    }

    pub(crate) fn handshake(&self) -> TlsHandshake {
        self.handshake.clone()
    }
}

/// The cipher suites: TLS 1.3, and for TLS 1.2 those recommended by BCP 195 (RFC 9325 §4.2), as FAPI
/// requires.
fn tls_crypto_provider() -> CryptoProvider {
    let mut provider = aws_lc_rs::default_provider();
    provider.cipher_suites.retain(|suite| {
        let is_recommended = matches!(
            suite.suite(),
            CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
                | CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384
                | CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
                | CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384
        );
        suite.tls13().is_some() || is_recommended
    });
    provider
}

impl TlsFiles {
    fn load(&self, provider: &CryptoProvider) -> Result<CertifiedKey, TlsCertificateError> {
        let read = |path: &PathBuf| {
            std::fs::read(path)
                .map_err(|source| TlsCertificateError::Unreadable { path: path.clone(), source })
        };
        let no_certificate = || TlsCertificateError::NoCertificate(self.certificate.clone());
        let chain: Vec<_> = CertificateDer::pem_slice_iter(&read(&self.certificate)?)
            .collect::<Result<_, _>>()
            .map_err(|_| no_certificate())?;
        if chain.is_empty() {
            return Err(no_certificate());
        }
        let key = PrivateKeyDer::from_pem_slice(&read(&self.key)?)
            .map_err(|_| TlsCertificateError::NoKey(self.key.clone()))?;
        CertifiedKey::from_der(chain, key, provider).map_err(|source| TlsCertificateError::Unusable {
            certificate: self.certificate.clone(),
            key: self.key.clone(),
            source,
        })
    }
}

/// The modification time and length of each file; `None` if it cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileStamp([Option<(SystemTime, u64)>; 2]);

impl FileStamp {
    fn from_files(files: &TlsFiles) -> Self {
        Self([&files.certificate, &files.key].map(|path| {
            let metadata = std::fs::metadata(path).ok()?;
            Some((metadata.modified().ok()?, metadata.len()))
        }))
    }
}

/// Resolves every handshake to the current certificate.
#[derive(Debug)]
struct CertificateResolver(ArcSwap<CertifiedKey>);

impl ResolvesServerCert for CertificateResolver {
    fn resolve(&self, _: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.load_full())
    }
}
