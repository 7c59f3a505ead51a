//! Client authentication at the token and introspection endpoints, and the key of a DPoP client.

use crate::dpop::normalize_htu;
use crate::encoding::{encode, form_encode, sha256_base64url};
use crate::signatures::{InvalidKey, SigningAlgorithm, SigningKey};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Url;
use reqwest::header::HeaderMap;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::{Arc, Mutex, PoisonError};

const ASSERTION_SECONDS: i64 = 60;
const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";

/// A client and its registered authentication method.
#[derive(Clone)]
pub struct ClientAuthentication {
    client_id: String,
    method: AuthMethod,
}

#[derive(Clone)]
enum AuthMethod {
    None,
    ClientSecretBasic(String),
    ClientSecretPost(String),
    PrivateKeyJwt { key: Arc<SigningKey>, key_id: Option<String> },
}

/// The header and form fields that authenticate one request.
pub struct AuthenticatedParams {
    pub authorization: Option<String>,
    pub form: Vec<(&'static str, String)>,
}

impl ClientAuthentication {
    /// A public client (`none`).
    pub fn none(client_id: &str) -> Self {
        Self { client_id: client_id.to_owned(), method: AuthMethod::None }
    }

    /// A client whose secret is sent in the `Authorization` header (`client_secret_basic`).
    pub fn client_secret_basic(client_id: &str, secret: &str) -> Self {
        Self { client_id: client_id.to_owned(), method: AuthMethod::ClientSecretBasic(secret.to_owned()) }
    }

    /// A client whose secret is sent in the form (`client_secret_post`).
    pub fn client_secret_post(client_id: &str, secret: &str) -> Self {
        Self { client_id: client_id.to_owned(), method: AuthMethod::ClientSecretPost(secret.to_owned()) }
    }

    /// A client that signs assertions (`private_key_jwt`) with a PKCS#8 key in PEM; `key_id` where the client has several keys.
    pub fn private_key_jwt(
        client_id: &str,
        pem: &str,
        algorithm: SigningAlgorithm,
        key_id: Option<&str>,
    ) -> Result<Self, InvalidKey> {
        let key = Arc::new(SigningKey::from_pem(pem, algorithm)?);
        let method = AuthMethod::PrivateKeyJwt { key, key_id: key_id.map(str::to_owned) };
        Ok(Self { client_id: client_id.to_owned(), method })
    }

    pub(crate) fn authenticate(&self, issuer: &str, now: i64) -> Result<AuthenticatedParams, InvalidKey> {
        let id = ("client_id", self.client_id.clone());
        Ok(match &self.method {
            AuthMethod::None => AuthenticatedParams { authorization: None, form: vec![id] },
            AuthMethod::ClientSecretPost(secret) => {
                AuthenticatedParams { authorization: None, form: vec![id, ("client_secret", secret.clone())] }
            }
            AuthMethod::ClientSecretBasic(secret) => {
                let pair = format!("{}:{}", form_encode(&self.client_id), form_encode(secret));
                AuthenticatedParams {
                    authorization: Some(format!("Basic {}", STANDARD.encode(pair))),
                    form: Vec::new(),
                }
            }
            AuthMethod::PrivateKeyJwt { key, key_id } => {
                let mut header = json!({"alg": key.algorithm().as_str(), "typ": "client-authentication+jwt"});
                if let Some(key_id) = key_id {
                    header["kid"] = json!(key_id);
                }
                let claims = json!({
                    "iss": self.client_id, "sub": self.client_id, "aud": issuer, "iat": now, "exp": now + ASSERTION_SECONDS,
                    "jti": random_id()?,
                });
                let assertion = ("client_assertion", sign_jwt(key, &header, &claims)?);
                let of_type = ("client_assertion_type", ASSERTION_TYPE.to_owned());
                AuthenticatedParams { authorization: None, form: vec![id, of_type, assertion] }
            }
        })
    }
}

/// Signs a JWT with this header and these claims.
fn sign_jwt(key: &SigningKey, header: &Value, claims: &Value) -> Result<String, InvalidKey> {
    let text = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
    let signature = key.sign(text.as_bytes())?;
    Ok(format!("{text}.{}", encode(signature)))
}

/// A random id for `jti`.
#[expect(clippy::disallowed_methods, reason = "a client library uses the randomness of its platform")]
fn random_id() -> Result<String, InvalidKey> {
    let mut bytes = [0; 16];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| InvalidKey)?;
    let mut id = String::new();
    for byte in bytes {
        write!(id, "{byte:02x}").map_err(|_| InvalidKey)?;
    }
    Ok(id)
}

/// The key pair that access tokens are bound to (RFC 9449).
pub struct DpopKey {
    key: SigningKey,
    jwk: Value,
    /// The latest nonce of each server, by origin.
    nonces: Mutex<HashMap<String, String>>,
}

/// The request that a proof is created for.
pub struct DpopProofRequest<'a> {
    pub method: &'a str,
    pub url: &'a str,
    pub token: Option<&'a str>,
    pub now: i64,
}

impl DpopKey {
    pub fn new() -> Result<Self, InvalidKey> {
        let (key, jwk) = SigningKey::generate()?;
        Ok(Self { key, jwk, nonces: Mutex::default() })
    }

    /// Creates a proof for one request; with a token it includes `ath`.
    pub fn create_proof(&self, request: &DpopProofRequest<'_>) -> Result<String, InvalidKey> {
        let htu = normalize_htu(request.url).ok_or(InvalidKey)?;
        let nonce = origin(request.url).and_then(|origin| {
            self.nonces.lock().unwrap_or_else(PoisonError::into_inner).get(&origin).cloned()
        });
        let mut claims = json!({"htm": request.method, "htu": htu, "iat": request.now, "jti": random_id()?});
        if let Some(token) = request.token {
            claims["ath"] = json!(sha256_base64url(token));
        }
        if let Some(nonce) = nonce {
            claims["nonce"] = json!(nonce);
        }
        sign_jwt(&self.key, &json!({"typ": "dpop+jwt", "alg": "ES256", "jwk": self.jwk}), &claims)
    }

    /// Stores the `DPoP-Nonce` of a response; returns whether there was one.
    pub fn update_nonce(&self, url: &str, headers: &HeaderMap) -> bool {
        let nonce = headers.get("dpop-nonce").and_then(|value| value.to_str().ok());
        let (Some(nonce), Some(origin)) = (nonce, origin(url)) else { return false };
        self.nonces.lock().unwrap_or_else(PoisonError::into_inner).insert(origin, nonce.to_owned());
        true
    }
}

fn origin(url: &str) -> Option<String> {
    Url::parse(url).ok().map(|url| url.origin().ascii_serialization())
}
