//! Verifying DPoP proofs (RFC 9449).

use crate::encoding::{Members, get_optional_time, get_text, get_time, sha256_base64url};
use crate::signatures::{PublicKey, SignedJwt};
use reqwest::Url;
use serde_json::Value;

const PROOF_BYTES_MAX: usize = 8192;
const URL_BYTES_MAX: usize = 2048;
const JTI_BYTES_MAX: usize = 256;
/// The maximum age of a proof, and how far in the future it may be.
const AGE_SECONDS_MAX: i64 = 60;
const FUTURE_SECONDS_MAX: i64 = 15;

/// The private members of a JWK.
const PRIVATE_MEMBERS: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// Normalizes a URL for comparison and drops query and fragment (RFC 9449 §4.3, RFC 3986 §6.2.2 and §6.2.3); `None` where it
/// is not an http URL.
pub fn normalize_htu(text: &str) -> Option<String> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let url = Url::parse(text).ok().filter(|_| is_plain && text.len() <= URL_BYTES_MAX)?;
    let has_userinfo = !url.username().is_empty() || url.password().is_some();
    if !matches!(url.scheme(), "http" | "https") || has_userinfo {
        return None;
    }
    Some(format!("{}{}", url.origin().ascii_serialization(), normalize_path(url.path())?))
}

/// Normalizes percent-encoding (RFC 3986 §6.2.2); `None` where an escape is malformed.
fn normalize_path(path: &str) -> Option<String> {
    let mut parts = path.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        let is_escape = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let byte = u8::from_str_radix(digits, 16).ok().filter(|_| is_escape)?;
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte.into());
        } else {
            out.push('%');
            out.push_str(&digits.to_ascii_uppercase());
        }
        out.push_str(rest);
    }
    Some(out)
}

/// The request that a proof must match.
pub struct DpopRequestContext<'a> {
    pub method: &'a str,
    pub url: &'a str,
    pub token: &'a str,
    /// The key that the token is bound to.
    pub key: &'a str,
    pub now: i64,
}

/// What the replay cache records of a valid proof.
pub struct VerifiedProof {
    pub id: String,
    pub until: i64,
    pub now: i64,
    /// The thumbprint of its key.
    pub key: String,
}

/// Why a proof is rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DpopRejection {
    /// The proof is malformed or does not match the request.
    InvalidProof(&'static str),
    /// The proof is signed with another key than the token's.
    KeyMismatch,
}

/// Verifies a proof for this request.
pub fn verify_proof(text: &str, context: &DpopRequestContext<'_>) -> Result<VerifiedProof, DpopRejection> {
    let wrong = |reason| Err(DpopRejection::InvalidProof(reason));
    let Some((key, claims)) = parse_proof(text) else { return wrong("not a signed DPoP proof") };
    let id = get_text(&claims, "jti").filter(|id| id.len() <= JTI_BYTES_MAX);
    let times = (get_optional_time(&claims, "exp"), get_optional_time(&claims, "nbf"));
    let (Some(id), Some(issued), (Ok(ends), Ok(begins))) = (id, get_time(&claims, "iat"), times) else {
        return wrong("a claim of the proof is missing or malformed");
    };
    if get_text(&claims, "htm") != Some(context.method) {
        return wrong("htm is another method");
    }
    if get_text(&claims, "htu").and_then(normalize_htu).as_deref() != Some(context.url) {
        return wrong("htu is another URL");
    }
    if get_text(&claims, "ath") != Some(&sha256_base64url(context.token)) {
        return wrong("ath is of another token");
    }
    let until = issued.saturating_add(AGE_SECONDS_MAX);
    if until < context.now || ends.is_some_and(|at| at <= context.now) {
        return wrong("the proof is too old");
    }
    let latest = context.now.saturating_add(FUTURE_SECONDS_MAX);
    if issued > latest || begins.is_some_and(|at| at > latest) {
        return wrong("the proof is from the future");
    }
    if key.thumbprint != context.key {
        return Err(DpopRejection::KeyMismatch);
    }
    let id = sha256_base64url(&format!("{} {id}", context.key));
    Ok(VerifiedProof { id, until, now: context.now, key: context.key.to_owned() })
}

/// Parses a proof and verifies its signature with the key in its header.
fn parse_proof(text: &str) -> Option<(PublicKey, Members)> {
    let jwt = SignedJwt::parse(text, PROOF_BYTES_MAX)?;
    let is_proof = get_text(&jwt.header, "typ") == Some("dpop+jwt") && !jwt.has_forbidden_header(Some("jwk"));
    let jwk = jwt.header.get("jwk").and_then(Value::as_object).filter(|_| is_proof)?;
    if PRIVATE_MEMBERS.iter().any(|name| jwk.contains_key(*name)) {
        return None;
    }
    let key = PublicKey::from_jwk(jwk, get_text(&jwt.header, "alg")?.parse().ok()?)?;
    key.verify(jwt.signed, &jwt.signature).then_some((key, jwt.claims))
}
