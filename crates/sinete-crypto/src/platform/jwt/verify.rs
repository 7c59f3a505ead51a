//! Verification of JWTs: no claim is used before the signature is verified, and the header selects nothing
//! but the key.

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

/// The expected values of a JWT.
#[derive(Clone, Copy, Debug)]
pub struct JwtExpectations<'a> {
    /// The expected `typ`.
    pub typ: JwtType,
    /// The accepted algorithms. The key determines which one is used.
    pub algorithms: &'a [SigningAlgorithm],
    /// The expected `iss`, compared byte for byte.
    pub issuer: &'a str,
    /// The expected `aud`; `None` if the caller checks it.
    pub audience: Option<&'a str>,
    /// The time of validation.
    pub now: Timestamp,
    /// The tolerated clock difference to the issuer.
    pub tolerance: Lifetime,
}

/// The claims of a JWT whose signature, type, times, issuer and audience are valid.
#[derive(Clone, Debug, PartialEq)]
pub struct VerifiedJwtClaims {
    members: Map<String, Value>,
}

/// Why a JWT is rejected. The reason is only for our log; clients see one error for all reasons.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JwtRejection {
    /// It exceeds the maximum length.
    #[error("the token has more than {TOKEN_BYTES_MAX} bytes")]
    TooLong,
    /// It is not three base64url parts, the first two being JSON objects without duplicate members.
    #[error("the text is not a signed token")]
    Malformed,
    /// It has critical header parameters (`crit`) that we do not support.
    #[error("the token's header has critical parameters that are not supported")]
    Critical,
    /// The header contains or refers to the verification key.
    #[error("the token's header contains a key")]
    EmbeddedKey,
    /// `typ` is another type.
    #[error("the token has another type")]
    WrongType,
    /// `kid` is unknown.
    #[error("the token is signed with an unknown key")]
    UnknownKey,
    /// `alg` is not the key's algorithm, or not accepted here.
    #[error("the token names another algorithm than its key's, or one that is not accepted here")]
    WrongAlgorithm,
    /// The signature is invalid.
    #[error("the token's signature is wrong")]
    WrongSignature,
    /// A required claim is missing or has the wrong type.
    #[error("the token's claim {0} is missing or malformed")]
    BadClaim(&'static str),
    /// It has expired.
    #[error("the token has expired")]
    Expired,
    /// It is not valid yet.
    #[error("the token is not valid yet")]
    NotYetValid,
    /// `iss` is another issuer.
    #[error("the token is from another issuer")]
    WrongIssuer,
    /// `aud` does not include the expected audience.
    #[error("the token is for another audience")]
    WrongAudience,
}

/// Verifies a JWT with the given keys and returns its claims.
pub fn verify_jwt<'k>(
    token: &str,
    keys: impl IntoIterator<Item = &'k PublicKey>,
    expected: &JwtExpectations<'_>,
) -> Result<VerifiedJwtClaims, JwtRejection> {
    verify_jwt_with_key(token, keys, expected).map(|(claims, _)| claims)
}

/// Like [`verify_jwt`], and also returns the key that verified the signature.
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

/// Decodes a part of a JWT that is a JSON object.
pub(crate) fn parse_object(part: &str) -> Result<Map<String, Value>, JwtRejection> {
    let bytes = URL_SAFE_NO_PAD.decode(part).map_err(|_| JwtRejection::Malformed)?;
    unique_json::parse_object(&bytes).ok_or(JwtRejection::Malformed)
}

/// The header parameters that contain or refer to a key.
pub(crate) const EMBEDDED_KEY_HEADERS: [&str; 4] = ["jwk", "jku", "x5u", "x5c"];

/// Finds the key by `kid`, if the rest of the header fits it.
fn key_for<'k>(
    header: &Map<String, Value>,
    keys: impl IntoIterator<Item = &'k PublicKey>,
    expected: &JwtExpectations<'_>,
) -> Result<&'k PublicKey, JwtRejection> {
    if header.contains_key("crit") {
        return Err(JwtRejection::Critical);
    }
    if EMBEDDED_KEY_HEADERS.iter().any(|member| header.contains_key(*member)) {
        return Err(JwtRejection::EmbeddedKey);
    }
    let text = |member: &str| header.get(member).and_then(Value::as_str);
    if !text("typ").is_some_and(|typ| is_media_type(typ, expected.typ)) {
        return Err(JwtRejection::WrongType);
    }
    let (Some(kid), Some(algorithm)) = (text("kid"), text("alg")) else {
        return Err(JwtRejection::Malformed);
    };
    let key = keys.into_iter().find(|key| key.kid() == kid).ok_or(JwtRejection::UnknownKey)?;
    // RFC 8725 §3.1: the algorithm is a property of the key, not a choice of the token.
    if key.algorithm().as_str() != algorithm || !expected.algorithms.contains(&key.algorithm()) {
        return Err(JwtRejection::WrongAlgorithm);
    }
    Ok(key)
}

/// Compares `typ` as a media type (RFC 7515 §4.1.9): case-insensitive, with optional `application/`.
fn is_media_type(typ: &str, expected: JwtType) -> bool {
    let prefix = "application/";
    let bare = match typ.split_at_checked(prefix.len()) {
        Some((start, rest)) if start.eq_ignore_ascii_case(prefix) => rest,
        _ => typ,
    };
    bare.eq_ignore_ascii_case(expected.as_str())
}

impl VerifiedJwtClaims {
    /// Creates claims whose signature was verified elsewhere.
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
            Some(Value::Array(audiences)) => audiences.iter().any(|one| one == audience),
            _ => false,
        };
        if is_named { Ok(()) } else { Err(JwtRejection::WrongAudience) }
    }

    /// A string claim.
    pub fn text_claim(&self, name: &str) -> Option<&str> {
        self.members.get(name)?.as_str()
    }

    /// A time claim (RFC 7519 §2: seconds, possibly with a fraction). Other values are rejected.
    pub fn time_claim(&self, name: &'static str) -> Result<Option<Timestamp>, JwtRejection> {
        /// Seconds from the epoch to the end of the year 9999.
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

    /// All claims by name.
    pub const fn members(&self) -> &Map<String, Value> {
        &self.members
    }

    /// Deserializes the claims into a type.
    pub fn into_typed<T: DeserializeOwned>(self) -> Result<T, JwtRejection> {
        serde_json::from_value(Value::Object(self.members)).map_err(|_| JwtRejection::Malformed)
    }
}
