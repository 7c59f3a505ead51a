//! Proofs that whoever asks holds a key (RFC 9449), as an API looks at them.

use crate::encoding::{Members, hash_of, text_in, time_if_there, time_in};
use crate::signatures::{PublicKey, SignedText};
use reqwest::Url;
use serde_json::Value;

const PROOF_BYTES_MAX: usize = 8192;
const ADDRESS_BYTES_MAX: usize = 2048;
const ID_BYTES_MAX: usize = 256;
/// How old a proof may be, and how far ahead of our clock.
const AGE_SECONDS_MAX: i64 = 60;
const AHEAD_SECONDS_MAX: i64 = 15;

/// The members of a key that nobody shows to others.
const PRIVATE: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

/// An address in the one spelling in which two are compared, without what follows its path (RFC 3986 §6.2.2, §6.2.3);
/// nothing where no request could be made to it.
pub fn address_of(text: &str) -> Option<String> {
    let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let url = Url::parse(text).ok().filter(|_| is_plain && text.len() <= ADDRESS_BYTES_MAX)?;
    let names_somebody = !url.username().is_empty() || url.password().is_some();
    if !matches!(url.scheme(), "http" | "https") || names_somebody {
        return None;
    }
    Some(format!("{}{}", url.origin().ascii_serialization(), unescaped(url.path())?))
}

/// The path with nothing escaped that need not be, and the rest escaped in capitals; nothing where an escape is cut short.
fn unescaped(path: &str) -> Option<String> {
    let mut parts = path.split('%');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, behind) = part.split_at_checked(2)?;
        let is_escape = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
        let byte = u8::from_str_radix(digits, 16).ok().filter(|_| is_escape)?;
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(byte.into());
        } else {
            out.push('%');
            out.push_str(&digits.to_ascii_uppercase());
        }
        out.push_str(behind);
    }
    Some(out)
}

/// The request that a proof came with.
pub struct Asked<'a> {
    pub method: &'a str,
    pub address: &'a str,
    pub token: &'a str,
    /// The key that the token is bound to.
    pub key: &'a str,
    pub now: i64,
}

/// What must be remembered of a proof that counts.
pub struct Remembered {
    pub id: String,
    pub until: i64,
    pub now: i64,
    /// The key that it is of.
    pub key: String,
}

/// Why a proof does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unproven {
    /// For what it is or says.
    Proof(&'static str),
    /// It is by another key than the token's.
    AnotherKey,
}

/// Why a proof does not count for this request, or what must be remembered of it.
pub fn judge(text: &str, asked: &Asked<'_>) -> Result<Remembered, Unproven> {
    let wrong = |why| Err(Unproven::Proof(why));
    let Some((key, claims)) = read(text) else { return wrong("the proof is no signed proof") };
    let id = text_in(&claims, "jti").filter(|id| id.len() <= ID_BYTES_MAX);
    let times = (time_if_there(&claims, "exp"), time_if_there(&claims, "nbf"));
    let (Some(id), Some(issued), (Ok(ends), Ok(begins))) = (id, time_in(&claims, "iat"), times) else {
        return wrong("the proof lacks something");
    };
    if text_in(&claims, "htm") != Some(asked.method) {
        return wrong("the proof is for another method");
    }
    if text_in(&claims, "htu").and_then(address_of).as_deref() != Some(asked.address) {
        return wrong("the proof is for another address");
    }
    if text_in(&claims, "ath") != Some(&hash_of(asked.token)) {
        return wrong("the proof is for another token");
    }
    let until = issued.saturating_add(AGE_SECONDS_MAX);
    if until < asked.now || ends.is_some_and(|at| at <= asked.now) {
        return wrong("the proof is too old");
    }
    let latest = asked.now.saturating_add(AHEAD_SECONDS_MAX);
    if issued > latest || begins.is_some_and(|at| at > latest) {
        return wrong("the proof is from the future");
    }
    if key.thumbprint != asked.key {
        return Err(Unproven::AnotherKey);
    }
    let id = hash_of(&format!("{} {id}", asked.key));
    Ok(Remembered { id, until, now: asked.now, key: asked.key.to_owned() })
}

/// The key that a proof is signed with and what it says, if it is one at all.
fn read(text: &str) -> Option<(PublicKey, Members)> {
    let read = SignedText::read(text, PROOF_BYTES_MAX)?;
    let is_proof = text_in(&read.header, "typ") == Some("dpop+jwt") && !read.is_strange(Some("jwk"));
    let jwk = read.header.get("jwk").and_then(Value::as_object).filter(|_| is_proof)?;
    if PRIVATE.iter().any(|name| jwk.contains_key(*name)) {
        return None;
    }
    let key = PublicKey::of(jwk, text_in(&read.header, "alg")?.parse().ok()?)?;
    key.verifies(read.signed, &read.signature).then_some((key, read.claims))
}
