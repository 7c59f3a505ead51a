//! Tests of TLS termination, and of certificates that change at run time.

use crate::harness::{PATIENCE, Server, eventually, settings, settings_with, start_with};
use crate::raw_client::Client;
use rcgen::{CertifiedKey, generate_simple_self_signed};
use rustls::crypto::CryptoProvider;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use sinete_http::state::HttpSettings;
use sinete_server::tls::{CertificateReload, TlsCertificateError, TlsFiles, TlsListener};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

fn certificate() -> (CertificateDer<'static>, String, String) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    (cert.der().clone(), cert.pem(), signing_key.serialize_pem())
}

fn files(folder: &Path) -> TlsFiles {
    TlsFiles { certificate: folder.join("tls.crt"), key: folder.join("tls.key") }
}

/// Writes certificate and key in this order, like an administrator who replaces files.
fn write(folder: &Path, certificate: &str, key: &str) {
    std::fs::write(folder.join("tls.crt"), certificate).unwrap();
    std::fs::write(folder.join("tls.key"), key).unwrap();
}

async fn start_tls(folder: &TempDir) -> (Server, CertificateDer<'static>, TlsListener) {
    start_tls_with(folder, settings()).await
}

async fn start_tls_with(
    folder: &TempDir,
    settings: HttpSettings,
) -> (Server, CertificateDer<'static>, TlsListener) {
    let (der, certificate, key) = certificate();
    write(folder.path(), &certificate, &key);
    let tls = TlsListener::open(files(folder.path())).unwrap();
    (start_with(settings, Some(tls.clone())).await, der, tls)
}

async fn connect(
    server: &Server,
    trusted: &CertificateDer<'static>,
    speaks: &[&str],
) -> io::Result<TlsStream<TcpStream>> {
    connect_by(server, trusted, speaks, rustls::crypto::aws_lc_rs::default_provider()).await
}

/// The same with the cipher suites of this provider.
async fn connect_by(
    server: &Server,
    trusted: &CertificateDer<'static>,
    speaks: &[&str],
    provider: CryptoProvider,
) -> io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.clone()).unwrap();
    let mut config = ClientConfig::builder_with_provider(Arc::new(provider))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = speaks.iter().map(|name| name.as_bytes().to_vec()).collect();
    let stream = TcpStream::connect(server.public).await?;
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, stream).await
}

async fn health(server: &Server, trusted: &CertificateDer<'static>) -> io::Result<u16> {
    let stream = connect(server, trusted, &["http/1.1"]).await?;
    Ok(Client::over(stream).get("/healthz", "").await.status)
}

#[tokio::test]
async fn tls_negotiates_http2_over_http_1() {
    let folder = TempDir::new().unwrap();
    let (server, der, _) = start_tls(&folder).await;
    assert_eq!(health(&server, &der).await.unwrap(), 200);

    let stream = connect(&server, &der, &["http/1.1", "h2"]).await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    assert_eq!(stream.get_ref().1.protocol_version(), Some(rustls::ProtocolVersion::TLSv1_3));
    let (sender, connection) = h2::client::handshake(stream).await.unwrap();
    tokio::spawn(connection);
    let request = axum::http::Request::get("https://localhost/healthz").body(()).unwrap();
    let (response, _) = sender.ready().await.unwrap().send_request(request, true).unwrap();
    assert_eq!(response.await.unwrap().status(), 200);

    let unnamed = connect(&server, &der, &[]).await.unwrap();
    assert_eq!(Client::over(unnamed).get("/healthz", "").await.status, 200);
}

#[tokio::test]
async fn tls_1_2_offers_recommended_cipher_suites_only() {
    let folder = TempDir::new().unwrap();
    let (server, der, _) = start_tls(&folder).await;
    let mut accepted = Vec::new();
    for only in rustls::crypto::aws_lc_rs::default_provider().cipher_suites {
        let mut provider = rustls::crypto::aws_lc_rs::default_provider();
        provider.cipher_suites.retain(|suite| suite.suite() == only.suite());
        if only.tls13().is_none() {
            let connected = connect_by(&server, &der, &["http/1.1"], provider).await;
            accepted.extend(connected.is_ok().then(|| only.suite().as_str().unwrap()));
        }
    }
    // The certificate has an EC key.
    accepted.sort_unstable();
    let fit = ["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384"];
    assert_eq!(accepted, fit);
}

#[tokio::test]
async fn tls_certificate_reload_keeps_open_connections() {
    let folder = TempDir::new().unwrap();
    let (server, old, _) = start_tls(&folder).await;
    let mut open = Client::over(connect(&server, &old, &["http/1.1"]).await.unwrap());
    assert_eq!(open.get("/healthz", "").await.status, 200);

    let (new, certificate, key) = certificate();
    write(folder.path(), &certificate, &key);
    eventually("the new certificate is served", async || health(&server, &new).await.is_ok()).await;
    assert!(health(&server, &old).await.is_err());
    assert_eq!(open.get("/healthz", "").await.status, 200);
}

#[tokio::test]
async fn tls_certificate_that_is_invalid_keeps_the_previous_one() {
    let folder = TempDir::new().unwrap();
    let (server, old, tls) = start_tls(&folder).await;
    let (_, stray, _) = certificate();
    for (certificate, key) in [("nonsense", "nonsense"), ("", ""), (stray.as_str(), "nonsense")] {
        write(folder.path(), certificate, key);
        assert!(tls.reload().is_err());
        tokio::time::sleep(Duration::from_millis(120)).await;
        assert_eq!(health(&server, &old).await.unwrap(), 200);
    }
    std::fs::remove_file(folder.path().join("tls.crt")).unwrap();
    tokio::time::sleep(Duration::from_millis(120)).await;
    assert_eq!(health(&server, &old).await.unwrap(), 200);

    let metrics = Client::connect(server.admin).await.get("/metrics", "").await.body;
    assert!(!metrics.contains("sinete_http_certificate_reloads_total{result=\"refused\"} 0"), "{metrics}");
    let (new, certificate, key) = certificate_pair();
    write(folder.path(), &certificate, &key);
    eventually("the good certificate is served", async || health(&server, &new).await.is_ok()).await;
}

fn certificate_pair() -> (CertificateDer<'static>, String, String) {
    certificate()
}

#[test]
fn tls_certificate_with_another_key_is_refused_in_one_line() {
    let folder = TempDir::new().unwrap();
    let ((_, certificate, _), (_, _, other_key)) = (certificate(), self::certificate());
    write(folder.path(), &certificate, &other_key);
    let refused = TlsListener::open(files(folder.path())).err().unwrap();
    assert!(matches!(refused, TlsCertificateError::Unusable { .. }), "{refused}");
    write(folder.path(), &certificate, "");
    let refused = TlsListener::open(files(folder.path())).err().unwrap();
    assert!(matches!(refused, TlsCertificateError::NoKey(_)), "{refused}");
    write(folder.path(), "", &other_key);
    let refused = TlsListener::open(files(folder.path())).err().unwrap();
    assert!(matches!(refused, TlsCertificateError::NoCertificate(_)), "{refused}");
    std::fs::remove_file(folder.path().join("tls.key")).unwrap();
    write(folder.path(), &certificate, &other_key);
    std::fs::remove_file(folder.path().join("tls.key")).unwrap();
    let refused = TlsListener::open(files(folder.path())).err().unwrap();
    assert!(matches!(refused, TlsCertificateError::Unreadable { .. }), "{refused}");
    assert!(!refused.to_string().contains('\n'));
}

#[test]
fn tls_certificate_files_unchanged_are_not_reloaded() {
    let folder = TempDir::new().unwrap();
    let (_, certificate, key) = certificate();
    write(folder.path(), &certificate, &key);
    let tls = TlsListener::open(files(folder.path())).unwrap();
    assert_eq!(tls.reload_if_changed().unwrap(), CertificateReload::Unchanged);
    write(folder.path(), "nonsense", &key);
    assert!(tls.reload_if_changed().is_err());
    assert_eq!(tls.reload_if_changed().unwrap(), CertificateReload::Unchanged, "reported once");
    write(folder.path(), &certificate, &key);
    assert_eq!(tls.reload_if_changed().unwrap(), CertificateReload::Replaced);
}

#[tokio::test]
async fn tls_handshake_that_stalls_is_cut_off_without_delaying_others() {
    let folder = TempDir::new().unwrap();
    let (server, der, _) =
        start_tls_with(&folder, settings_with(|it| it.handshake = Duration::from_secs(2))).await;
    let mut stalled = Vec::new();
    for _ in 0..50 {
        let mut client = server.client().await;
        client.send(b"\x16\x03\x01").await;
        stalled.push(client);
    }
    assert_eq!(health(&server, &der).await.unwrap(), 200);
    for client in &mut stalled {
        assert!(client.is_closed_within(PATIENCE).await);
    }
}

#[tokio::test]
async fn tls_listener_does_not_answer_plain_http() {
    let folder = TempDir::new().unwrap();
    let (server, der, _) = start_tls(&folder).await;
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    let mut stream = TcpStream::connect(server.public).await.unwrap();
    stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: test\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP"));
    assert_eq!(health(&server, &der).await.unwrap(), 200);
}
