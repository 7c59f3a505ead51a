//! Client certificates, the CAs that issue them, and the two ways in which a request carries one: in its own TLS
//! handshake, or in a header set by a trusted proxy.

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

/// The secret that the trusted proxy sends with its certificate header.
pub const PROXY_SECRET: &str = "what-only-the-proxy-of-this-story-knows";
/// The address of the trusted proxy.
pub const PROXY_ADDRESS: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
/// The host name on which the handshake asks for a client certificate.
pub const MTLS_HOST: &str = "mtls.localhost";

/// The CA that the server is configured to trust.
static TRUSTED_CA: LazyLock<CertifiedIssuer<'static, KeyPair>> = LazyLock::new(|| create_ca("Ours"));
/// A CA that the server does not trust.
static UNTRUSTED_CA: LazyLock<CertifiedIssuer<'static, KeyPair>> = LazyLock::new(|| create_ca("Theirs"));

fn create_ca(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}

pub struct TestCertificate {
    /// The certificate in DER.
    pub der: Vec<u8>,
    pem: String,
    key: KeyPair,
}

/// Who issues a certificate.
#[derive(Clone, Copy)]
pub enum CertificateIssuer {
    /// The CA that the server trusts.
    TrustedCa,
    /// A CA that the server does not trust.
    UntrustedCa,
    /// The certificate is self-signed.
    SelfSigned,
}

impl TestCertificate {
    /// Issues a certificate with this name as DNS name and in every other kind of subject alternative name.
    pub fn issue(name: &str, by: CertificateIssuer) -> Self {
        Self::generate(name, by, |_| ())
    }

    /// Issues a certificate that has expired.
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
        let result = match by {
            CertificateIssuer::TrustedCa => params.signed_by(&key, &TRUSTED_CA),
            CertificateIssuer::UntrustedCa => params.signed_by(&key, &UNTRUSTED_CA),
            CertificateIssuer::SelfSigned => params.self_signed(&key),
        };
        let certificate = result.unwrap();
        Self { der: certificate.der().to_vec(), pem: certificate.pem(), key }
    }

    /// The `x5t#S256` thumbprint.
    pub fn thumbprint(&self) -> String {
        ClientCertificate::parse_chain([&self.der]).unwrap().confirmation().certificate().unwrap().to_owned()
    }

    /// The public key as a JWK.
    pub fn jwk(&self) -> Value {
        let point = self.key.der_bytes();
        let (x, y) = point[1..].split_at(32);
        let encode = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        json!({"kty": "EC", "crv": "P-256", "x": encode(x), "y": encode(y)})
    }

    /// The public key as a JWK with the certificate in `x5c`.
    pub fn x5c_jwk(&self) -> Value {
        let mut jwk = self.jwk();
        jwk["x5c"] = json!([STANDARD.encode(&self.der)]);
        jwk
    }

    /// The certificate as the value of a `Client-Cert` header (RFC 9440).
    pub fn client_cert_header(&self) -> String {
        format!(":{}:", STANDARD.encode(&self.der))
    }

    /// The certificate as percent-encoded PEM, as some proxies send it.
    pub fn escaped_pem(&self) -> String {
        self.pem.bytes().map(|byte| format!("%{byte:02X}")).collect()
    }
}

/// How requests reach the server: directly or through a proxy, with or without a certificate.
pub struct ClientConnection {
    http: reqwest::Client,
    base: String,
    headers: Vec<(&'static str, String)>,
}

impl ClientConnection {
    /// Builds a request over this connection.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("{}{path}", self.base));
        self.headers.iter().fold(request, |request, (name, value)| request.header(*name, value))
    }

    /// Sends a form to the token endpoint.
    pub async fn request_token(&self, form: &[(&str, &str)]) -> TokenEndpointResponse {
        TokenEndpointResponse::from_response(
            self.request(Method::POST, "/connect/token").form(form).send().await.unwrap(),
        )
        .await
    }

    /// Calls an endpoint with this bearer token; returns the status and the body.
    pub async fn call_with_bearer(&self, path: &str, token: &str) -> (u16, String) {
        let answer = self.request(Method::GET, path).bearer_auth(token).send().await.unwrap();
        let challenge = answer.headers().get("www-authenticate").map(|it| it.to_str().unwrap().to_owned());
        (answer.status().as_u16(), challenge.unwrap_or_default())
    }

    /// The same connection with a further header.
    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }
}

impl World {
    /// Starts a server behind a trusted proxy that forwards client certificates.
    pub async fn start_behind_proxy(on: TestEngine) -> Self {
        let folder = TempDir::new().unwrap();
        let authorities = folder.path().join("authorities.pem");
        fs::write(&authorities, TRUSTED_CA.pem()).unwrap();
        let (proxy, address) = (PROXY_ADDRESS.to_string(), format!("https://{MTLS_HOST}"));
        let extra_settings = [
            ("SINETE_TRUSTED_PROXIES", proxy.as_str()),
            ("SINETE_MUTUAL_TLS__BASE_URL", &address),
            ("SINETE_MUTUAL_TLS__AUTHORITIES", authorities.to_str().unwrap()),
            ("SINETE_MUTUAL_TLS__PROXY_SECRET", PROXY_SECRET),
        ];
        let extra_settings = extra_settings.map(|(name, value)| (name, value.to_owned()));
        let extra_settings: Vec<_> =
            extra_settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        Self::start_in_folder(folder, on, &extra_settings).await
    }

    /// Starts a server that terminates TLS itself and asks for client certificates on a host name of its own.
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
        let extra_settings = [
            ("SINETE_TLS_CERTIFICATE", certificate.as_str()),
            ("SINETE_TLS_KEY", &key),
            ("SINETE_MUTUAL_TLS__BASE_URL", &address),
            ("SINETE_MUTUAL_TLS__AUTHORITIES", &authorities),
        ];
        Self::start_in_folder(folder, on, &extra_settings).await
    }

    /// Through the trusted proxy, without a certificate.
    pub fn proxied_connection(&self) -> ClientConnection {
        let http = reqwest::Client::builder().local_address(PROXY_ADDRESS).build().unwrap();
        ClientConnection { http, base: self.public_url(""), headers: Vec::new() }
    }

    /// Through the trusted proxy, with this certificate.
    pub fn proxied_connection_with(&self, certificate: &TestCertificate) -> ClientConnection {
        self.proxied_connection()
            .with_header("client-cert", certificate.client_cert_header())
            .with_header("client-cert-secret", PROXY_SECRET)
    }

    /// Directly, from an address that is not a trusted proxy.
    pub fn untrusted_connection(&self) -> ClientConnection {
        ClientConnection { http: self.http.clone(), base: self.public_url(""), headers: Vec::new() }
    }

    /// Over TLS to this host name, with or without a certificate.
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
    /// Requests a token with the client credentials grant; only the certificate authenticates the client.
    pub async fn client_credentials_over(
        &self,
        client_connection: &ClientConnection,
    ) -> TokenEndpointResponse {
        client_connection
            .request_token(&[("grant_type", "client_credentials"), ("client_id", &self.id)])
            .await
    }

    /// Redeems a code; only the certificate authenticates the client.
    pub async fn redeem_code_over(
        &self,
        client_connection: &ClientConnection,
        code: &str,
    ) -> TokenEndpointResponse {
        let token_params =
            [("grant_type", "authorization_code"), ("code", code), ("code_verifier", VERIFIER)];
        client_connection.request_token(&[&token_params[..], &[("client_id", &self.id)]].concat()).await
    }

    /// Uses a refresh token; only the certificate authenticates the client.
    pub async fn refresh_over(
        &self,
        client_connection: &ClientConnection,
        token: &str,
    ) -> TokenEndpointResponse {
        client_connection
            .request_token(&[
                ("grant_type", "refresh_token"),
                ("refresh_token", token),
                ("client_id", &self.id),
            ])
            .await
    }

    /// Exchanges a token; only the certificate authenticates the client.
    pub async fn exchange_over(
        &self,
        client_connection: &ClientConnection,
        token: &str,
    ) -> TokenEndpointResponse {
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
        client_connection.request_token(&form).await
    }
}
