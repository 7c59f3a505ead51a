//! How a client proves who it is, and that it holds a key.

use crate::encoding::{encode, form_encoded, hash_of};
use crate::proofs::address_of;
use crate::signatures::{Algorithm, NotAKey, SigningKey};
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

/// A client, and how it proves who it is: the one way that it registered.
#[derive(Clone)]
pub struct Client {
    id: String,
    proof: Proof,
}

#[derive(Clone)]
enum Proof {
    Nothing,
    SecretInHeader(String),
    SecretInForm(String),
    Key { key: Arc<SigningKey>, key_id: Option<String> },
}

/// What goes into a request: a header, and a part of the form.
pub struct Shown {
    pub authorization: Option<String>,
    pub form: Vec<(&'static str, String)>,
}

impl Client {
    /// A client that proves nothing.
    pub fn public(id: &str) -> Self {
        Self { id: id.to_owned(), proof: Proof::Nothing }
    }

    /// A client with a secret, which goes into the header (`client_secret_basic`).
    pub fn with_secret(id: &str, secret: &str) -> Self {
        Self { id: id.to_owned(), proof: Proof::SecretInHeader(secret.to_owned()) }
    }

    /// A client with a secret, which goes into the form (`client_secret_post`).
    pub fn with_secret_in_form(id: &str, secret: &str) -> Self {
        Self { id: id.to_owned(), proof: Proof::SecretInForm(secret.to_owned()) }
    }

    /// A client with a key (`private_key_jwt`): a PKCS#8 key in PEM, and its id where the client has several.
    pub fn with_key(
        id: &str,
        pem: &str,
        algorithm: Algorithm,
        key_id: Option<&str>,
    ) -> Result<Self, NotAKey> {
        let key = Arc::new(SigningKey::from_pem(pem, algorithm)?);
        let proof = Proof::Key { key, key_id: key_id.map(str::to_owned) };
        Ok(Self { id: id.to_owned(), proof })
    }

    pub(crate) fn shown(&self, issuer: &str, now: i64) -> Result<Shown, NotAKey> {
        let id = ("client_id", self.id.clone());
        Ok(match &self.proof {
            Proof::Nothing => Shown { authorization: None, form: vec![id] },
            Proof::SecretInForm(secret) => {
                Shown { authorization: None, form: vec![id, ("client_secret", secret.clone())] }
            }
            Proof::SecretInHeader(secret) => {
                let pair = format!("{}:{}", form_encoded(&self.id), form_encoded(secret));
                Shown { authorization: Some(format!("Basic {}", STANDARD.encode(pair))), form: Vec::new() }
            }
            Proof::Key { key, key_id } => {
                let mut header = json!({"alg": key.algorithm().as_str(), "typ": "client-authentication+jwt"});
                if let Some(key_id) = key_id {
                    header["kid"] = json!(key_id);
                }
                let claims = json!({
                    "iss": self.id, "sub": self.id, "aud": issuer, "iat": now, "exp": now + ASSERTION_SECONDS,
                    "jti": new_id()?,
                });
                let assertion = ("client_assertion", signed(key, &header, &claims)?);
                let of_type = ("client_assertion_type", ASSERTION_TYPE.to_owned());
                Shown { authorization: None, form: vec![id, of_type, assertion] }
            }
        })
    }
}

/// A signed text with this header and these claims.
fn signed(key: &SigningKey, header: &Value, claims: &Value) -> Result<String, NotAKey> {
    let text = format!("{}.{}", encode(header.to_string()), encode(claims.to_string()));
    let signature = key.sign(text.as_bytes())?;
    Ok(format!("{text}.{}", encode(signature)))
}

/// An id that nobody used.
#[expect(clippy::disallowed_methods, reason = "a library's user has no randomness of their own to hand in")]
fn new_id() -> Result<String, NotAKey> {
    let mut bytes = [0; 16];
    aws_lc_rs::rand::fill(&mut bytes).map_err(|_| NotAKey)?;
    let mut id = String::new();
    for byte in bytes {
        write!(id, "{byte:02x}").map_err(|_| NotAKey)?;
    }
    Ok(id)
}

/// A key that tokens are bound to (RFC 9449).
pub struct Holder {
    key: SigningKey,
    jwk: Value,
    /// What each server wants its next proof to repeat.
    nonces: Mutex<HashMap<String, String>>,
}

/// The request that a proof is for.
pub struct ProvenRequest<'a> {
    pub method: &'a str,
    pub address: &'a str,
    pub token: Option<&'a str>,
    pub now: i64,
}

impl Holder {
    pub fn new() -> Result<Self, NotAKey> {
        let (key, jwk) = SigningKey::generate()?;
        Ok(Self { key, jwk, nonces: Mutex::default() })
    }

    /// A proof for one request, beside this token where there is one.
    pub fn proof(&self, request: &ProvenRequest<'_>) -> Result<String, NotAKey> {
        let address = address_of(request.address).ok_or(NotAKey)?;
        let nonce = origin(request.address).and_then(|origin| {
            self.nonces.lock().unwrap_or_else(PoisonError::into_inner).get(&origin).cloned()
        });
        let mut claims = json!({"htm": request.method, "htu": address, "iat": request.now, "jti": new_id()?});
        if let Some(token) = request.token {
            claims["ath"] = json!(hash_of(token));
        }
        if let Some(nonce) = nonce {
            claims["nonce"] = json!(nonce);
        }
        signed(&self.key, &json!({"typ": "dpop+jwt", "alg": "ES256", "jwk": self.jwk}), &claims)
    }

    /// Remembers the nonce of an answer, and says whether there was one.
    pub fn learn(&self, address: &str, headers: &HeaderMap) -> bool {
        let nonce = headers.get("dpop-nonce").and_then(|value| value.to_str().ok());
        let (Some(nonce), Some(origin)) = (nonce, origin(address)) else { return false };
        self.nonces.lock().unwrap_or_else(PoisonError::into_inner).insert(origin, nonce.to_owned());
        true
    }
}

fn origin(address: &str) -> Option<String> {
    Url::parse(address).ok().map(|url| url.origin().ascii_serialization())
}
