//! Certificates of clients, whoever vouches for them, and the two ways in which a request comes with one: its own
//! handshake, or the word of a proxy.

use super::database::TestEngine;
use super::token_endpoint::{TestClientAuth, TokenClient, TokenEndpointResponse, VERIFIER};
use super::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, PublicKeyData as _, SanType,
};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use sinete_crypto::oauth::mtls::ClientCertificate;
use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;
use tempfile::TempDir;

/// What the proxies of these worlds know and nobody else does.
pub const PROXY_SECRET: &str = "what-only-the-proxy-of-this-story-knows";
/// Where they are.
pub const PROXY_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
/// The name under which connections are asked for a certificate.
pub const MTLS_HOST: &str = "mtls.localhost";

/// The authority whose word counts in these worlds.
static TRUSTED_CA: LazyLock<CertifiedIssuer<'static, KeyPair>> = LazyLock::new(|| create_ca("Ours"));
/// One whose word does not.
static UNTRUSTED_CA: LazyLock<CertifiedIssuer<'static, KeyPair>> = LazyLock::new(|| create_ca("Theirs"));

fn create_ca(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

/// A certificate and its key.
pub struct TestCertificate {
    /// The certificate, encoded.
    pub der: Vec<u8>,
    pem: String,
    key: KeyPair,
}

/// Who vouches for a certificate.
#[derive(Clone, Copy)]
pub enum CertificateIssuer {
    /// The authority whose word counts.
    TrustedCa,
    /// Another.
    UntrustedCa,
    /// Nobody: it signs itself.
    SelfSigned,
}

impl TestCertificate {
    /// A certificate with these names: of the DNS, and everything else that could be one.
    pub fn issue(name: &str, by: CertificateIssuer) -> Self {
        Self::generate(name, by, |_| ())
    }

    /// One whose time is over.
    pub fn issue_expired(name: &str, by: CertificateIssuer) -> Self {
        Self::generate(name, by, |params| params.not_after = rcgen::date_time_ymd(2021, 1, 1))
    }

    fn generate(name: &str, by: CertificateIssuer, change: impl FnOnce(&mut CertificateParams)) -> Self {
        let mut params = CertificateParams::new(vec![format!("{name}.example")]).unwrap();
        params.distinguished_name = rcgen::DistinguishedName::new();
        params.distinguished_name.push(DnType::OrganizationName, "Books, Inc.");
        params.distinguished_name.push(DnType::CommonName, name);
        let uri = format!("spiffe://books.example/{name}").try_into().unwrap();
        let mail = format!("{name}@books.example").try_into().unwrap();
        let address = SanType::IpAddress(IpAddr::from([192, 0, 2, name.len() as u8]));
        params.subject_alt_names.extend([SanType::URI(uri), SanType::Rfc822Name(mail), address]);
        params.not_before = rcgen::date_time_ymd(2020, 1, 1);
        change(&mut params);
        let key = KeyPair::generate().unwrap();
        let made = match by {
            CertificateIssuer::TrustedCa => params.signed_by(&key, &TRUSTED_CA),
            CertificateIssuer::UntrustedCa => params.signed_by(&key, &UNTRUSTED_CA),
            CertificateIssuer::SelfSigned => params.self_signed(&key),
        };
        let made = made.unwrap();
        Self { der: made.der().to_vec(), pem: made.pem(), key }
    }

    /// What a token is bound to that is issued over its connection.
    pub fn thumbprint(&self) -> String {
        ClientCertificate::parse_chain([&self.der]).unwrap().confirmation().certificate().unwrap().to_owned()
    }

    /// Its key, as a client registers it.
    pub fn jwk(&self) -> Value {
        let point = self.key.der_bytes();
        let (x, y) = point[1..].split_at(32);
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        json!({"kty": "EC", "crv": "P-256", "x": encode(x), "y": encode(y)})
    }

    /// The certificate itself, as a client registers it.
    pub fn x5c_jwk(&self) -> Value {
        let mut jwk = self.jwk();
        jwk["x5c"] = json!([STANDARD.encode(&self.der)]);
        jwk
    }

    /// As proxies write it that follow the standard.
    pub fn client_cert_header(&self) -> String {
        format!(":{}:", STANDARD.encode(&self.der))
    }

    /// As proxies write it that escape it.
    pub fn escaped_pem(&self) -> String {
        self.pem.bytes().map(|byte| format!("%{byte:02X}")).collect()
    }
}

/// How requests come in.
pub struct ClientConnection {
    http: reqwest::Client,
    base: String,
    headers: Vec<(&'static str, String)>,
}

impl ClientConnection {
    /// A request that comes in so.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        self.headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
    }

    /// What the token endpoint answers to this form.
    pub async fn request_token(&self, form: &[(&str, &str)]) -> TokenEndpointResponse {
        TokenEndpointResponse::from_response(
            self.request(Method::POST, "/connect/token").form(form).send().await.unwrap(),
        )
        .await
    }

    /// The status with which an endpoint answers a bearer of this token.
    pub async fn call_with_bearer(&self, path: &str, token: &str) -> (u16, String) {
        let answer = self.request(Method::GET, path).bearer_auth(token).send().await.unwrap();
        let challenge = answer.headers().get("www-authenticate").map(|it| it.to_str().unwrap().to_owned());
        (answer.status().as_u16(), challenge.unwrap_or_default())
    }

    /// The same way with another header.
    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl World {
    /// A world in which a proxy tells which certificates it was shown.
    pub async fn start_behind_proxy(on: TestEngine) -> Self {
        let folder = TempDir::new().unwrap();
        let authorities = folder.path().join("authorities.pem");
        fs::write(&authorities, TRUSTED_CA.pem()).unwrap();
        let (proxy, address) = (PROXY_ADDRESS.to_string(), format!("https://{MTLS_HOST}"));
        let more = [
            ("SINETE_TRUSTED_PROXIES", proxy.as_str()),
            ("SINETE_MUTUAL_TLS__BASE_URL", &address),
            ("SINETE_MUTUAL_TLS__AUTHORITIES", authorities.to_str().unwrap()),
            ("SINETE_MUTUAL_TLS__PROXY_SECRET", PROXY_SECRET),
        ];
        let more = more.map(|(name, value)| (name, value.to_owned()));
        let more: Vec<_> = more.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Self::start_in_folder(folder, on, &more).await
    }

    /// A world that speaks TLS itself, and asks for certificates under a name of its own.
    pub async fn start_with_tls(on: TestEngine) -> Self {
        let folder = TempDir::new().unwrap();
        let [authorities, certificate, key] = ["authorities.pem", "tls.crt", "tls.key"]
            .map(|name| folder.path().join(name).display().to_string());
        let names = vec![MTLS_HOST.to_owned(), "localhost".to_owned()];
        let served = rcgen::generate_simple_self_signed(names).unwrap();
        fs::write(&authorities, TRUSTED_CA.pem()).unwrap();
        fs::write(&certificate, served.cert.pem()).unwrap();
        fs::write(&key, served.signing_key.serialize_pem()).unwrap();
        let address = format!("https://{MTLS_HOST}");
        let more = [
            ("SINETE_TLS_CERTIFICATE", certificate.as_str()),
            ("SINETE_TLS_KEY", &key),
            ("SINETE_MUTUAL_TLS__BASE_URL", &address),
            ("SINETE_MUTUAL_TLS__AUTHORITIES", &authorities),
        ];
        Self::start_in_folder(folder, on, &more).await
    }

    /// As requests come in that a proxy was shown no certificate with.
    pub fn proxied_connection(&self) -> ClientConnection {
        let http = reqwest::Client::builder().local_address(PROXY_ADDRESS).build().unwrap();
        ClientConnection { http, base: self.public_url(""), headers: Vec::new() }
    }

    /// As requests come in that a proxy was shown a certificate with.
    pub fn proxied_connection_with(&self, shown: &TestCertificate) -> ClientConnection {
        self.proxied_connection()
            .with_header("client-cert", shown.client_cert_header())
            .with_header("client-cert-secret", PROXY_SECRET)
    }

    /// As requests come in from somebody who is no proxy.
    pub fn untrusted_connection(&self) -> ClientConnection {
        ClientConnection { http: self.http.clone(), base: self.public_url(""), headers: Vec::new() }
    }

    /// As requests come in over a connection to a host of this name by somebody who has a certificate.
    pub fn tls_connection(&self, host: &str, has: Option<&TestCertificate>) -> ClientConnection {
        let mut http = reqwest::Client::builder()
            .tls_danger_accept_invalid_certs(true)
            .resolve(host, self.server.public);
        if let Some(identity) = has {
            let pem = format!("{}{}", identity.pem, identity.key.serialize_pem());
            http = http.identity(reqwest::Identity::from_pem(pem.as_bytes()).unwrap());
        }
        let base = format!("https://{host}:{}", self.server.public.port());
        ClientConnection { http: http.build().unwrap(), base, headers: Vec::new() }
    }
}

impl TokenClient<'_> {
    /// Asks for itself in this way, with nothing but its name.
    pub async fn client_credentials_over(&self, way: &ClientConnection) -> TokenEndpointResponse {
        way.request_token(&[("grant_type", "client_credentials"), ("client_id", &self.id)]).await
    }

    /// Redeems a code in this way, with nothing but its name.
    pub async fn redeem_code_over(&self, way: &ClientConnection, code: &str) -> TokenEndpointResponse {
        let asked = [("grant_type", "authorization_code"), ("code", code), ("code_verifier", VERIFIER)];
        way.request_token(&[&asked[..], &[("client_id", &self.id)]].concat()).await
    }

    /// Renews a token in this way, with nothing but its name.
    pub async fn refresh_over(&self, way: &ClientConnection, token: &str) -> TokenEndpointResponse {
        way.request_token(&[
            ("grant_type", "refresh_token"),
            ("refresh_token", token),
            ("client_id", &self.id),
        ])
        .await
    }

    /// Exchanges a token in this way, with nothing but its name.
    pub async fn exchange_over(&self, way: &ClientConnection, token: &str) -> TokenEndpointResponse {
        let exchange = [
            ("grant_type", "token-exchange"),
            ("subject_token", token),
            ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
            ("scope", "invoices:read"),
        ];
        let mut form = [&exchange[..], &[("client_id", &self.id)]].concat();
        if let TestClientAuth::Post(secret) = &self.auth {
            form.push(("client_secret", secret));
        }
        way.request_token(&form).await
    }
}
