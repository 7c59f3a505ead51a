//! When client certificates are requested. A browser with a certificate would prompt its user, so a separate
//! host name can be used for them.
//!
//! Any certificate is accepted whose key the client proves to hold. Whether it is meaningful is decided per
//! client.

use rustls::client::danger::HandshakeSignatureValid;
use rustls::crypto::{CryptoProvider, verify_tls12_signature, verify_tls13_signature};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::server::{Acceptor, ResolvesServerCert};
use rustls::{DigitallySignedStruct, DistinguishedName, Error, ServerConfig, SignatureScheme};
use rustls_pki_types::{CertificateDer, UnixTime};
use std::io;
use std::sync::Arc;
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;
use tokio_rustls::{LazyConfigAcceptor, TlsAcceptor};

/// When client certificates are requested.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientCertificatePolicy {
    /// Never.
    Never,
    /// From connections to this host name.
    ForHost(String),
    /// Always.
    Always,
}

/// The TLS handshake. Cheap to clone.
#[derive(Clone)]
pub(crate) struct TlsHandshake {
    without_request: Arc<ServerConfig>,
    with_request: Arc<ServerConfig>,
    policy: ClientCertificatePolicy,
}

impl TlsHandshake {
    pub(super) fn new(
        provider: &Arc<CryptoProvider>,
        certificate: &Arc<dyn ResolvesServerCert>,
        certificate_policy: ClientCertificatePolicy,
    ) -> Result<Self, Error> {
        // Separate configurations, so that no session of one is resumed in the other.
        let config = |asks: bool| {
            let builder = ServerConfig::builder_with_provider(Arc::clone(provider))
                .with_safe_default_protocol_versions()?;
            let builder = match asks {
                false => builder.with_no_client_auth(),
                true => {
                    builder.with_client_cert_verifier(Arc::new(AnyCertificateVerifier(Arc::clone(provider))))
                }
            };
            let mut config = builder.with_cert_resolver(Arc::clone(certificate));
            config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
            Ok::<_, Error>(Arc::new(config))
        };
        Ok(Self { without_request: config(false)?, with_request: config(true)?, policy: certificate_policy })
    }

    /// Performs the handshake.
    pub(crate) async fn accept_tls(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        let acceptor = |config: &Arc<ServerConfig>| TlsAcceptor::from(Arc::clone(config));
        match &self.policy {
            ClientCertificatePolicy::Never => acceptor(&self.without_request).accept(stream).await,
            ClientCertificatePolicy::Always => acceptor(&self.with_request).accept(stream).await,
            ClientCertificatePolicy::ForHost(name) => {
                let start_handshake = LazyConfigAcceptor::new(Acceptor::default(), stream).await?;
                let is_asked = start_handshake
                    .client_hello()
                    .server_name()
                    .is_some_and(|it| it.eq_ignore_ascii_case(name));
                let config = if is_asked { &self.with_request } else { &self.without_request };
                start_handshake.into_stream(Arc::clone(config)).await
            }
        }
    }
}

/// Accepts any certificate whose key the client proves to hold, and no certificate too.
#[derive(Debug)]
struct AnyCertificateVerifier(Arc<CryptoProvider>);

impl ClientCertVerifier for AnyCertificateVerifier {
    fn client_auth_mandatory(&self) -> bool {
        false
    }

    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        &[]
    }

    fn verify_client_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        Ok(ClientCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.0.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}
