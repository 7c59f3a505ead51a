//! A client that holds a DPoP key (RFC 9449).

use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

pub struct DpopKey {
    key: EcdsaKeyPair,
    made: AtomicU64,
}

#[expect(clippy::disallowed_methods, reason = "a real issuer compares the proof with a real clock")]
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

impl DpopKey {
    pub fn new() -> Self {
        let random = SystemRandom::new();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).unwrap();
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, pkcs8.as_ref()).unwrap();
        Self { key, made: AtomicU64::new(0) }
    }

    /// Creates a proof for one request; with a token it includes `ath`. Every proof has its own `jti`.
    pub fn create_proof(&self, method: &str, address: &str, token: Option<&str>) -> String {
        let point = self.key.public_key().as_ref();
        let (x, y) = (URL_SAFE_NO_PAD.encode(&point[1..33]), URL_SAFE_NO_PAD.encode(&point[33..]));
        let jwk = json!({"kty": "EC", "crv": "P-256", "x": x, "y": y});
        let id = format!("{x}-{}", self.made.fetch_add(1, Ordering::Relaxed));
        let mut claims = json!({"htm": method, "htu": address, "iat": now(), "jti": id});
        if let Some(token) = token {
            claims["ath"] = json!(URL_SAFE_NO_PAD.encode(Sha256::digest(token)));
        }
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let signed =
            format!("{}.{}", part(&json!({"typ": "dpop+jwt", "alg": "ES256", "jwk": jwk})), part(&claims));
        let signature = self.key.sign(&SystemRandom::new(), signed.as_bytes()).unwrap();
        format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }
}
