//! What an API does with a bearer token: signature, issuer, audience, time, organization, and then the scope.

use aws_lc_rs::signature::{ECDSA_P256_SHA256_FIXED, UnparsedPublicKey};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use std::collections::HashMap;
use std::time::Duration;
use tokio::sync::RwLock;

/// Who guards which API.
pub struct Guard {
    issuer: String,
    audience: String,
    web: reqwest::Client,
    /// The public keys of the issuer, by their ids.
    keys: RwLock<HashMap<String, Vec<u8>>>,
}

/// What a token that counts says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bearer {
    /// Who it speaks for.
    pub subject: String,
    /// The one organization it speaks in.
    pub organization: String,
    scope: String,
}

/// Why a request is turned away.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It shows no token.
    NoToken,
    /// Its token does not count.
    InvalidToken,
    /// Its token does not allow this.
    InsufficientScope,
}

impl Guard {
    /// A guard for the API of this identifier, behind that issuer.
    pub fn new(issuer: &str, audience: &str) -> Self {
        let web = reqwest::Client::builder().timeout(Duration::from_secs(5)).build().unwrap_or_default();
        Self { issuer: issuer.to_owned(), audience: audience.to_owned(), web, keys: RwLock::default() }
    }

    /// What the token in an `Authorization` header says, if it counts now.
    pub async fn check(&self, authorization: Option<&str>, now: i64) -> Result<Bearer, Refused> {
        let header = authorization.ok_or(Refused::NoToken)?;
        let (scheme, token) = header.split_once(' ').ok_or(Refused::NoToken)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Refused::NoToken);
        }
        self.read(token.trim(), now).await.ok_or(Refused::InvalidToken)
    }

    async fn read(&self, token: &str, now: i64) -> Option<Bearer> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, claims) = signed.split_once('.')?;
        let (header, claims) = (json(header)?, json(claims)?);
        // Only access tokens, and only signed the way this API expects.
        if header["typ"] != "at+jwt" || header["alg"] != "ES256" {
            return None;
        }
        let key = self.key(header["kid"].as_str()?).await?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        UnparsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, key).verify(signed.as_bytes(), &signature).ok()?;
        let counts = claims["iss"] == self.issuer.as_str()
            && claims["aud"] == self.audience.as_str()
            // Nobody is asked for a certificate here, so that a token that is bound to one is not its holder's.
            && claims.get("cnf").is_none()
            && claims["exp"].as_i64().is_some_and(|ends| now < ends);
        let text = |name: &str| claims[name].as_str().map(str::to_owned);
        let bearer = Bearer { subject: text("sub")?, organization: text("org")?, scope: text("scope")? };
        counts.then_some(bearer)
    }

    /// The key of this id. One that is not known is looked for once: keys change.
    async fn key(&self, kid: &str) -> Option<Vec<u8>> {
        if let Some(key) = self.keys.read().await.get(kid) {
            return Some(key.clone());
        }
        let published = self.web.get(format!("{}/.well-known/jwks.json", self.issuer)).send().await.ok()?;
        let published: Value = published.json().await.ok()?;
        let mut keys = self.keys.write().await;
        *keys = published["keys"].as_array()?.iter().filter_map(point).collect();
        keys.get(kid).cloned()
    }
}

impl Bearer {
    /// Whether the token speaks for this organization. What it allows, it allows there and nowhere else.
    pub fn must_speak_for(&self, organization: &str) -> Result<(), Refused> {
        if self.organization == organization { Ok(()) } else { Err(Refused::InsufficientScope) }
    }

    /// Whether the token allows this: it names the permission, or all actions of its resource.
    pub fn must_allow(&self, permission: &str) -> Result<(), Refused> {
        let all = permission.split_once(':').map(|(resource, _)| format!("{resource}:*"));
        let allows = |scope: &str| scope == permission || Some(scope) == all.as_deref();
        if self.scope.split(' ').any(allows) { Ok(()) } else { Err(Refused::InsufficientScope) }
    }
}

/// A P-256 key by its id, as the uncompressed point that signatures are checked with.
fn point(key: &Value) -> Option<(String, Vec<u8>)> {
    let coordinate = |name: &str| URL_SAFE_NO_PAD.decode(key[name].as_str()?).ok();
    if key["alg"] != "ES256" {
        return None;
    }
    let point = [vec![4], coordinate("x")?, coordinate("y")?].concat();
    Some((key["kid"].as_str()?.to_owned(), point))
}

fn json(part: &str) -> Option<Value> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}
