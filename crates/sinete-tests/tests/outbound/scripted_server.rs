//! A server on this machine that sends a scripted response and records the requests.

use rcgen::{CertifiedKey, generate_simple_self_signed};
use reqwest::Certificate;
use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use sinete::os::SystemClock;
use sinete::outbound::http_client::{GuardedHttpClient, NameResolver, OutboundRules};
use sinete::outbound::limiter::OutboundLimiter;
use sinete_core::platform::outbound::{OutboundOwner, OutboundPurpose, OutboundTarget};
use std::collections::VecDeque;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;
use tokio_rustls::TlsAcceptor;

/// The host name of the certificate.
pub const NAME: &str = "keys.example";

/// What the server sends after the scripted response.
#[derive(Clone, Copy)]
pub enum Then {
    /// Nothing.
    End,
    /// One byte after another, slowly and without end.
    Trickle,
    /// Zeros, as fast as they are read and without end.
    Flood,
}

pub struct ScriptedServer {
    pub port: u16,
    certificate: Option<Certificate>,
    asked: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl ScriptedServer {
    /// Starts a server over plain HTTP.
    pub async fn plain(answer: &str, then: Then) -> Self {
        Self::start(answer, then, None).await
    }

    /// Starts a server over TLS with a certificate for [`NAME`].
    pub async fn secure(answer: &str, then: Then) -> Self {
        let CertifiedKey { cert, signing_key } = generate_simple_self_signed([NAME.to_owned()]).unwrap();
        let key = PrivateKeyDer::try_from(signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![cert.der().clone()], key)
            .unwrap();
        let mut server = Self::start(answer, then, Some(TlsAcceptor::from(Arc::new(config)))).await;
        server.certificate = Some(Certificate::from_der(cert.der()).unwrap());
        server
    }

    async fn start(answer: &str, then: Then, tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (answer, request_log) = (answer.to_owned(), Arc::clone(&requests));
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, request_log, tls) = (answer.clone(), Arc::clone(&request_log), tls.clone());
                tokio::spawn(async move {
                    match tls {
                        None => converse(stream, &answer, then, &request_log).await,
                        Some(tls) => {
                            if let Ok(stream) = tls.accept(stream).await {
                                converse(stream, &answer, then, &request_log).await;
                            }
                        }
                    }
                });
            }
        });
        Self { port, certificate: None, asked: requests, task }
    }

    /// The requests so far, as they arrived.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    /// An HTTP client that trusts this server's certificate and may connect to these private networks.
    pub fn guard(&self, own_networks: &[&str], names: ScriptedNames) -> GuardedHttpClient {
        let rules = OutboundRules {
            own_networks: own_networks.iter().map(|network| network.parse().unwrap()).collect(),
            authorities: self.certificate.clone().into_iter().collect(),
            resolver: Arc::new(names),
            limiter: Arc::new(OutboundLimiter::new(Arc::new(SystemClock))),
        };
        GuardedHttpClient::new(rules).unwrap()
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn converse(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    answer: &str,
    then: Then,
    request_log: &Mutex<Vec<String>>,
) {
    let mut request = Vec::new();
    let mut piece = [0; 4096];
    while let Ok(count @ 1..) = stream.read(&mut piece).await {
        request.extend_from_slice(&piece[..count]);
        if is_whole(&request) {
            break;
        }
    }
    request_log.lock().unwrap().push(String::from_utf8_lossy(&request).into_owned());
    let mut wrote = stream.write_all(answer.as_bytes()).await;
    match then {
        Then::End => {}
        Then::Trickle => {
            while wrote.is_ok() {
                tokio::time::sleep(Duration::from_millis(100)).await;
                wrote = stream.write_all(b" ").await;
                let _ = stream.flush().await;
            }
        }
        Then::Flood => {
            let zeros = [b'0'; 65_536];
            while wrote.is_ok() {
                wrote = stream.write_all(&zeros).await;
            }
        }
    }
    let _ = stream.shutdown().await;
}

/// Whether the whole request has arrived.
fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request).to_ascii_lowercase();
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    length.is_none_or(|length| body.len() >= length.parse::<usize>().unwrap())
}

/// A resolver with scripted answers, in order; the last one is repeated.
#[derive(Clone, Default)]
pub struct ScriptedNames(Arc<Mutex<VecDeque<Vec<IpAddr>>>>);

impl ScriptedNames {
    pub fn answering(answers: &[&[&str]]) -> Self {
        let read = |answer: &&[&str]| answer.iter().map(|address| address.parse().unwrap()).collect();
        Self(Arc::new(Mutex::new(answers.iter().map(read).collect())))
    }
}

impl NameResolver for ScriptedNames {
    fn addresses(&self, _: String) -> Pin<Box<dyn Future<Output = std::io::Result<Vec<IpAddr>>> + Send>> {
        let mut answers = self.0.lock().unwrap();
        let answer = if answers.len() > 1 { answers.pop_front() } else { answers.front().cloned() };
        let answer = answer.ok_or_else(|| std::io::Error::other("no such name"));
        Box::pin(std::future::ready(answer))
    }
}

/// A request to this URL on behalf of a client of the operator.
pub fn target(url: &str) -> OutboundTarget<'_> {
    let owner = OutboundOwner::Client("app-of-these-tests".parse().unwrap());
    OutboundTarget { purpose: OutboundPurpose::ClientKeys, owner, url }
}
