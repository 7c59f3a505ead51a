//! Verifying a token: nothing in it is believed before its signature, and the header chooses nothing.

use super::JwtType;
use crate::platform::signing_keys::PublicKey;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use sinete_core::limits::TOKEN_BYTES_MAX;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::{Lifetime, Timestamp};
use sinete_core::unique_json;

/// What a token must be to count.
#[derive(Clone, Copy, Debug)]
pub struct JwtExpectations<'a> {
    /// The type its header must name.
    pub of_type: JwtType,
    /// The algorithms that are acceptable here. The key decides which one of them it is.
    pub algorithms: &'a [SigningAlgorithm],
    /// Who must have issued it, byte for byte.
    pub issuer: &'a str,
    /// For whom it must be, unless that is for the caller to judge.
    pub audience: Option<&'a str>,
    /// The time it is judged at.
    pub now: Timestamp,
    /// How far the issuer's clock may be from ours.
    pub tolerance: Lifetime,
}

/// The claims of a token whose signature, type, times, issuer and audience were found right.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedJwtClaims {
    members: Map<String, Value>,
}

/// Why a text is not a token that counts. The difference is for our log; outside all of them look alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JwtRejection {
    /// Longer than any token.
    #[error("the token has more than {TOKEN_BYTES_MAX} bytes")]
    TooLong,
    /// Not three parts of base64url, of which two are JSON objects without repeated members.
    #[error("the text is not a signed token")]
    Malformed,
    /// It asks us to understand something that we do not.
    #[error("the token's header demands an extension")]
    Critical,
    /// It brings the key to verify it with.
    #[error("the token's header brings its own key")]
    BringsKey,
    /// It is a token of another type.
    #[error("the token is of another type")]
    WrongType,
    /// No key of that name is among ours.
    #[error("the token is signed with an unknown key")]
    UnknownKey,
    /// The algorithm is not that of the key, or not acceptable here.
    #[error("the token names another algorithm than its key's, or one that is not accepted here")]
    WrongAlgorithm,
    /// The signature is wrong.
    #[error("the token's signature is wrong")]
    WrongSignature,
    /// A claim that every such token has is missing or of the wrong kind.
    #[error("the token's claim {0} is missing or malformed")]
    BadClaim(&'static str),
    /// Its time is over.
    #[error("the token has expired")]
    Expired,
    /// Its time has not come.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// Somebody else issued it.
    #[error("the token is from another issuer")]
    WrongIssuer,
    /// It is for somebody else.
    #[error("the token is for another audience")]
    WrongAudience,
}

/// The claims of the token, if it is what was expected. Only the keys given can have signed it.
pub fn verify_jwt<'k>(
    token: &str,
    keys: impl IntoIterator<Item = &'k PublicKey>,
    expected: &JwtExpectations<'_>,
) -> Result<VerifiedJwtClaims, JwtRejection> {
    verify_jwt_with_key(token, keys, expected).map(|(claims, _)| claims)
}

/// The same, with the key that signed it.
pub fn verify_jwt_with_key<'k>(
    token: &str,
    keys: impl IntoIterator<Item = &'k PublicKey>,
    expected: &JwtExpectations<'_>,
) -> Result<(VerifiedJwtClaims, &'k PublicKey), JwtRejection> {
    if token.len() > TOKEN_BYTES_MAX {
        return Err(JwtRejection::TooLong);
    }
    let (signed, signature) = token.rsplit_once('.').ok_or(JwtRejection::Malformed)?;
    let (header, payload) = signed.split_once('.').ok_or(JwtRejection::Malformed)?;
    if payload.contains('.') {
        return Err(JwtRejection::Malformed);
    }
    let header = parse_object(header)?;
    let key = key_for(&header, keys, expected)?;
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| JwtRejection::Malformed)?;
    key.verify_signature(signed.as_bytes(), &signature).map_err(|_| JwtRejection::WrongSignature)?;
    let claims = VerifiedJwtClaims { members: parse_object(payload)? };
    claims.check_times(expected)?;
    claims.check_issuer_and_audience(expected)?;
    Ok((claims, key))
}

/// A part of a token that is a JSON object.
pub(crate) fn parse_object(part: &str) -> Result<Map<String, Value>, JwtRejection> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| JwtRejection::Malformed)?;
    unique_json::parse_object(&bytes).ok_or(JwtRejection::Malformed)
}

/// The members by which a header would have us use a key that it brings along.
pub(crate) const BRINGS_KEY: [&str; 4] = ["jwk", "jku", "x5u", "x5c"];

/// The key that the header names, if everything else the header says fits that key.
fn key_for<'k>(
    header: &Map<String, Value>,
    keys: impl IntoIterator<Item = &'k PublicKey>,
    expected: &JwtExpectations<'_>,
) -> Result<&'k PublicKey, JwtRejection> {
    if header.contains_key("crit") {
        return Err(JwtRejection::Critical);
    }
    if BRINGS_KEY.iter().any(|member| header.contains_key(*member)) {
        return Err(JwtRejection::BringsKey);
    }
    let text = |member: &str| header.get(member).and_then(Value::as_str);
    if !text("typ").is_some_and(|typ| is_media_type(typ, expected.of_type)) {
        return Err(JwtRejection::WrongType);
    }
    let (Some(kid), Some(algorithm)) = (text("kid"), text("alg")) else {
        return Err(JwtRejection::Malformed);
    };
    let key = keys.into_iter().find(|key| key.kid() == kid).ok_or(JwtRejection::UnknownKey)?;
    // RFC 8725 §3.1: the algorithm is a property of the key, never a choice of the token.
    if key.algorithm().as_str() != algorithm || !expected.algorithms.contains(&key.algorithm()) {
        return Err(JwtRejection::WrongAlgorithm);
    }
    Ok(key)
}

/// RFC 7515 §4.1.9: a media type, in any case, whose `application/` may be left out.
fn is_media_type(typ: &str, expected: JwtType) -> bool {
    let prefix = "application/";
    let bare = match typ.split_at_checked(prefix.len()) {
        Some((start, rest)) if start.eq_ignore_ascii_case(prefix) => rest,
        _ => typ,
    };
    bare.eq_ignore_ascii_case(expected.as_str())
}

impl VerifiedJwtClaims {
    /// The claims of a token whose signature was found right elsewhere.
    pub(crate) const fn from_verified(members: Map<String, Value>) -> Self {
        Self { members }
    }

    fn check_times(&self, expected: &JwtExpectations<'_>) -> Result<(), JwtRejection> {
        let latest = expected.now.plus(expected.tolerance);
        let expires = self.time_claim("exp")?.ok_or(JwtRejection::BadClaim("exp"))?;
        if expires.plus(expected.tolerance) <= expected.now {
            return Err(JwtRejection::Expired);
        }
        if self.time_claim("nbf")?.is_some_and(|from| from > latest) {
            return Err(JwtRejection::NotYetValid);
        }
        if self.time_claim("iat")?.is_some_and(|issued| issued > latest) {
            return Err(JwtRejection::NotYetValid);
        }
        Ok(())
    }

    fn check_issuer_and_audience(&self, expected: &JwtExpectations<'_>) -> Result<(), JwtRejection> {
        if self.text_claim("iss") != Some(expected.issuer) {
            return Err(JwtRejection::WrongIssuer);
        }
        let Some(audience) = expected.audience else { return Ok(()) };
        let is_named = match self.members.get("aud") {
            Some(Value::String(one)) => one == audience,
            Some(Value::Array(several)) => several.iter().any(|one| one == audience),
            _ => false,
        };
        if is_named { Ok(()) } else { Err(JwtRejection::WrongAudience) }
    }

    /// A claim that is text.
    pub fn text_claim(&self, name: &str) -> Option<&str> {
        self.members.get(name)?.as_str()
    }

    /// A claim that is a time (RFC 7519 §2: seconds, perhaps with a fraction). Anything else there is refused.
    pub fn time_claim(&self, name: &'static str) -> Result<Option<Timestamp>, JwtRejection> {
        /// The year 9999 ends before this many seconds have passed.
        const SECONDS_MAX: f64 = 253_402_300_800.0;
        match self.members.get(name) {
            None => Ok(None),
            Some(value) => match value.as_f64() {
                Some(seconds) if (0.0..=SECONDS_MAX).contains(&seconds) => {
                    Ok(Some(Timestamp::from_micros((seconds * 1_000_000.0) as i64)))
                }
                _ => Err(JwtRejection::BadClaim(name)),
            },
        }
    }

    /// Every claim, by name.
    pub const fn members(&self) -> &Map<String, Value> {
        &self.members
    }

    /// The claims as a type of the caller's.
    pub fn into_typed<T: DeserializeOwned>(self) -> Result<T, JwtRejection> {
        serde_json::from_value(Value::Object(self.members)).map_err(|_| JwtRejection::Malformed)
    }
}
