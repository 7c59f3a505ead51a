//! An upstream OpenID Provider: a real HTTP server with keys, with one signed-in user at a time, which behaves as a
//! story wants.

use super::api_caller::ApiCaller;
use super::clock::TestClock;
use super::world::World;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_crypto::platform::jwt;
use sinete_crypto::platform::jwt::JwtType;
use sinete_crypto::platform::signing_keys::SigningKey;
use sinete_engine::ports::Clock as _;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use url::Url;

/// The `client_id` that the provider gave to Sinete.
pub const CLIENT_ID: &str = "sinete";
/// The client secret that the provider gave to Sinete.
pub const CLIENT_SECRET: &str = "a secret of the provider";

/// The signing key of every test provider, published at `/keys`.
pub fn provider_key() -> &'static SigningKey {
    &KEY
}

static KEY: LazyLock<SigningKey> = LazyLock::new(|| SigningKey::generate(SigningAlgorithm::Es256).unwrap());
static FOREIGN_KEY: LazyLock<SigningKey> =
    LazyLock::new(|| SigningKey::generate(SigningAlgorithm::Es256).unwrap());

/// How the provider behaves.
#[derive(Clone, Default)]
pub struct OidcProviderBehavior {
    /// Claims of the ID token that are replaced; null removes one.
    pub claims: Vec<(&'static str, Value)>,
    /// Members of the discovery document that are replaced; null removes one.
    pub description: Vec<(&'static str, Value)>,
    /// Whether it closes the connection instead of serving the discovery document.
    pub is_unreachable: bool,
    /// The `iss` parameter of the authorization response: its own issuer by default, `Some(None)` for none.
    pub iss: Option<Option<String>>,
    /// The error of the authorization response, instead of a code.
    pub error: Option<String>,
    /// How ID tokens are signed.
    pub signing: ProviderSigning,
    /// The response of the token endpoint, if not the correct one.
    pub token_response: Option<(u16, String)>,
    /// The response of the userinfo endpoint; without it, there is no such endpoint.
    pub userinfo: Option<(u16, String)>,
}

/// How ID tokens are signed.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub enum ProviderSigning {
    /// With the published key.
    #[default]
    OwnKey,
    /// With a key that is not published, under the `kid` of the published one.
    ForeignKey,
    /// With `alg` none.
    Unsigned,
}

/// An authorization request whose code is not redeemed yet.
struct PendingCode {
    nonce: String,
    challenge: String,
    redirect_uri: String,
}

struct OidcProviderState {
    issuer: String,
    clock: Arc<TestClock>,
    person: Mutex<Value>,
    behavior: Mutex<OidcProviderBehavior>,
    pending_codes: Mutex<HashMap<String, PendingCode>>,
    token_requests: Mutex<Vec<HashMap<String, String>>>,
    discovery_count: AtomicUsize,
    userinfo_count: AtomicUsize,
}

pub struct TestOidcProvider {
    pub issuer: String,
    state: Arc<OidcProviderState>,
    serving: tokio::task::JoinHandle<()>,
}

impl World {
    /// Starts a provider without a signed-in user.
    pub async fn create_oidc_provider(&self) -> TestOidcProvider {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let inside = Arc::new(OidcProviderState {
            issuer: issuer.clone(),
            clock: Arc::clone(&self.clock),
            person: Mutex::default(),
            behavior: Mutex::default(),
            pending_codes: Mutex::default(),
            token_requests: Mutex::default(),
            discovery_count: AtomicUsize::new(0),
            userinfo_count: AtomicUsize::new(0),
        });
        let served = Arc::clone(&inside);
        let serving = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(handle_connection(stream, Arc::clone(&served)));
            }
        });
        TestOidcProvider { issuer, state: inside, serving }
    }
}

impl TestOidcProvider {
    /// Sets the user who is signed in at the provider, by the claims.
    pub fn set_user(&self, user_claims: Value) {
        *self.state.person.lock().unwrap() = user_claims;
    }

    pub fn set_behavior(&self, manner: OidcProviderBehavior) {
        *self.state.behavior.lock().unwrap() = manner;
    }

    /// The forms that the token endpoint received since the last call.
    pub fn take_token_requests(&self) -> Vec<HashMap<String, String>> {
        std::mem::take(&mut *self.state.token_requests.lock().unwrap())
    }

    /// How often the discovery document was requested since [`Self::create_connection`].
    pub fn discovery_count(&self) -> usize {
        self.state.discovery_count.load(Ordering::Relaxed)
    }

    /// How often the userinfo endpoint was requested.
    pub fn userinfo_count(&self) -> usize {
        self.state.userinfo_count.load(Ordering::Relaxed)
    }

    /// Opens the authorization endpoint of the provider and returns the path and query of the redirect back.
    pub async fn follow_authorization(&self, world: &World, go_to: &str) -> String {
        assert!(go_to.starts_with(&format!("{}/authorize?", self.issuer)), "{go_to}");
        let answer = world.http.get(go_to).send().await.unwrap();
        assert_eq!(answer.status(), 302, "{}", answer.text().await.unwrap());
        let back = Url::parse(answer.headers()["location"].to_str().unwrap()).unwrap();
        format!("{}?{}", back.path(), back.query().unwrap())
    }

    /// Creates a connection of the owner's organization to this provider, with this domain, which is verified first.
    pub async fn create_connection(&self, owner: &ApiCaller<'_>, domain: &str) -> Value {
        verify_domain(owner, domain).await;
        let body = json!({
            "name": "Acme", "issuer": self.issuer, "client_id": CLIENT_ID, "client_secret": CLIENT_SECRET,
            "domains": [domain], "enabled": true,
        });
        let created = owner.post(&owner.tenant.path("/connections"), body).await.assert_status(201).body;
        // It was read before the connection was created.
        self.state.discovery_count.store(0, Ordering::Relaxed);
        created
    }
}

/// Verifies a domain of the owner's organization.
pub async fn verify_domain(owner: &ApiCaller<'_>, domain: &str) {
    let path = owner.tenant.path("/domains");
    let added = owner.post(&path, json!({"domain": domain})).await.assert_status(201).body;
    let record = |member: &str| added["record"][member].as_str().unwrap();
    owner.world.dns.publish(record("name"), record("value"));
    owner.post(&format!("{path}/{domain}/verify"), Value::Null).await.assert_status(200);
}

impl Drop for TestOidcProvider {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// The claims of a user whose e-mail address the provider has verified.
pub fn provider_user(subject: &str, email: &str) -> Value {
    json!({"sub": subject, "email": email, "email_verified": true, "name": "Ana Souza", "given_name": "Ana"})
}

fn merge_claims(mut claims: Value, changes: &[(&'static str, Value)]) -> Value {
    for (name, value) in changes {
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(*name)),
            value => claims[*name] = value.clone(),
        }
    }
    claims
}

impl OidcProviderState {
    fn discovery_document(&self) -> Value {
        let issuer = &self.issuer;
        let document = json!({
            "issuer": issuer, "authorization_endpoint": format!("{issuer}/authorize"),
            "token_endpoint": format!("{issuer}/token"), "jwks_uri": format!("{issuer}/keys"),
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            "id_token_signing_alg_values_supported": ["ES256"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "private_key_jwt"],
            "authorization_response_iss_parameter_supported": true,
        });
        let manner = self.behavior.lock().unwrap();
        let endpoint =
            manner.userinfo.as_ref().map(|_| ("userinfo_endpoint", json!(format!("{issuer}/userinfo"))));
        let document = merge_claims(document, endpoint.as_slice());
        merge_claims(document, &manner.description)
    }

    fn authorize(&self, query: &HashMap<String, String>) -> String {
        let manner = self.behavior.lock().unwrap().clone();
        assert_eq!(query["response_type"], "code");
        assert_eq!((&*query["client_id"], &*query["code_challenge_method"]), (CLIENT_ID, "S256"));
        let code = format!("code-{}", self.pending_codes.lock().unwrap().len());
        let mut back = Url::parse(&query["redirect_uri"]).unwrap();
        back.query_pairs_mut().append_pair("state", &query["state"]);
        match &manner.error {
            Some(error) => back.query_pairs_mut().append_pair("error", error),
            None => back.query_pairs_mut().append_pair("code", &code),
        };
        if let Some(iss) = manner.iss.unwrap_or_else(|| Some(self.issuer.clone())) {
            back.query_pairs_mut().append_pair("iss", &iss);
        }
        let pending_code = PendingCode {
            nonce: query["nonce"].clone(),
            challenge: query["code_challenge"].clone(),
            redirect_uri: query["redirect_uri"].clone(),
        };
        self.pending_codes.lock().unwrap().insert(code, pending_code);
        back.into()
    }

    fn token(&self, form: &HashMap<String, String>) -> (u16, String) {
        self.token_requests.lock().unwrap().push(form.clone());
        let manner = self.behavior.lock().unwrap().clone();
        if let Some(answer) = manner.token_response {
            return answer;
        }
        let refused = |error: &str| (400, json!({"error": error}).to_string());
        let is_known = form.get("client_secret").is_some_and(|secret| secret == CLIENT_SECRET)
            || form.contains_key("client_assertion");
        if form["client_id"] != CLIENT_ID || !is_known {
            return (401, json!({"error": "invalid_client"}).to_string());
        }
        let Some(pending_code) = self.pending_codes.lock().unwrap().remove(&form["code"]) else {
            return refused("invalid_grant");
        };
        let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
        if challenge != pending_code.challenge || form["redirect_uri"] != pending_code.redirect_uri {
            return refused("invalid_grant");
        }
        let token = self.id_token(&pending_code.nonce, &manner);
        (
            200,
            json!({"access_token": "an access token", "token_type": "Bearer", "id_token": token}).to_string(),
        )
    }

    fn userinfo(&self, head: &str) -> (u16, String) {
        self.userinfo_count.fetch_add(1, Ordering::Relaxed);
        let is_ours = |line: &str| line.eq_ignore_ascii_case("authorization: Bearer an access token");
        match self.behavior.lock().unwrap().userinfo.clone() {
            Some(answer) if head.lines().any(is_ours) => answer,
            Some(_) => (401, String::new()),
            None => (404, String::new()),
        }
    }

    fn id_token(&self, nonce: &str, manner: &OidcProviderBehavior) -> String {
        let now = self.clock.now().seconds();
        let mut claims = self.person.lock().unwrap().clone();
        let hash = URL_SAFE_NO_PAD.encode(&Sha256::digest("an access token")[..16]);
        for (name, value) in [
            ("iss", json!(self.issuer)),
            ("aud", json!(CLIENT_ID)),
            ("iat", json!(now)),
            ("exp", json!(now + 300)),
            ("nonce", json!(nonce)),
            ("at_hash", json!(hash)),
        ] {
            claims[name] = value;
        }
        let claims = merge_claims(claims, &manner.claims);
        let text = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        match manner.signing {
            ProviderSigning::OwnKey => jwt::sign_jwt(&KEY, JwtType::Id, &claims).unwrap(),
            ProviderSigning::ForeignKey => {
                let header = json!({"alg": "ES256", "kid": KEY.kid(), "typ": "JWT"});
                let signed = format!("{}.{}", text(&header), text(&claims));
                let signature = FOREIGN_KEY.sign(signed.as_bytes()).unwrap();
                format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature))
            }
            ProviderSigning::Unsigned => format!("{}.{}.", text(&json!({"alg": "none"})), text(&claims)),
        }
    }
}

fn parse_form(text: &str) -> HashMap<String, String> {
    url::form_urlencoded::parse(text.as_bytes()).into_owned().collect()
}

async fn handle_connection(mut stream: TcpStream, inside: Arc<OidcProviderState>) {
    let mut text = Vec::new();
    let mut piece = [0; 4096];
    let (head, body) = loop {
        let Ok(read @ 1..) = stream.read(&mut piece).await else { return };
        text.extend_from_slice(&piece[..read]);
        let request_text = String::from_utf8_lossy(&text).into_owned();
        let Some((head, body)) = request_text.split_once("\r\n\r\n") else { continue };
        let is_length = |line: &&str| line.to_ascii_lowercase().starts_with("content-length:");
        let length =
            head.lines().find(is_length).and_then(|line| line.split(':').nth(1)?.trim().parse().ok());
        if body.len() >= length.unwrap_or(0) {
            break (head.to_owned(), body.to_owned());
        }
    };
    let target = head.split(' ').nth(1).unwrap_or_default().to_owned();
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    let (status, extra_headers, body) = match path {
        "/.well-known/openid-configuration" => {
            inside.discovery_count.fetch_add(1, Ordering::Relaxed);
            if inside.behavior.lock().unwrap().is_unreachable {
                return;
            }
            (200, String::new(), inside.discovery_document().to_string())
        }
        "/keys" => (200, String::new(), json!({"keys": [KEY.public_jwk()]}).to_string()),
        "/authorize" => {
            let location = inside.authorize(&parse_form(query));
            (302, format!("location: {location}\r\n"), String::new())
        }
        "/token" => {
            let (status, body) = inside.token(&parse_form(&body));
            (status, String::new(), body)
        }
        "/userinfo" => {
            let (status, body) = inside.userinfo(&head);
            (status, String::new(), body)
        }
        _ => (404, String::new(), String::new()),
    };
    let kind = "content-type: application/json\r\nconnection: close\r\n";
    let response = format!(
        "HTTP/1.1 {status} Said\r\n{kind}{extra_headers}content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let _ = stream.write_all(response.as_bytes()).await;
    let _ = stream.shutdown().await;
}
