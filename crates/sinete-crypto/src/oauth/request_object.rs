//! Request objects (RFC 9101): the parameters are claims, accepted only if signed with a key that the client
//! registered. Unsigned request objects are not supported.

use crate::oauth::client_assertion::{VerificationKeySet, parse_header, split_jws};
use crate::platform::jwt::{EMBEDDED_KEY_HEADERS, JwtRejection, VerifiedJwtClaims, parse_object};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};
use sinete_core::limits::{
    CIBA_SIGNED_REQUEST_LIFETIME_MAX, CLIENT_ASSERTION_JTI_BYTES_MAX, CLOCK_TOLERANCE,
    REQUEST_OBJECT_LIFETIME_MAX,
};
use sinete_core::oauth::security_profile::SecurityProfile;
use sinete_core::platform::signing_keys::SigningAlgorithm;
use sinete_core::time::Timestamp;

/// The expected values of a request object.
#[derive(Clone, Copy, Debug)]
pub struct RequestObjectExpectations<'a> {
    /// The expected client.
    pub client: &'a str,
    /// Our issuer, the expected audience.
    pub issuer: &'a str,
    /// The security profile of the client.
    pub profile: SecurityProfile,
    /// The algorithm that the client registered; `None` allows every supported one.
    pub algorithm: Option<SigningAlgorithm>,
    /// The time of validation.
    pub now: Timestamp,
}

/// A valid signed CIBA request, apart from the replay check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCibaRequest {
    /// The request parameters.
    pub parameters: Vec<(String, String)>,
    /// The `jti`, which is accepted once.
    pub id: String,
    /// When the request is too old to be accepted; its `jti` is stored until then.
    pub replay_expires_at: Timestamp,
}

/// Verifies a request object and returns its parameters, without the registered JWT claims.
pub fn verify_request_object(
    text: &str,
    keys: &VerificationKeySet,
    expected: &RequestObjectExpectations<'_>,
) -> Result<Vec<(String, String)>, JwtRejection> {
    extract_parameters(&verify_claims(text, keys, expected)?)
}

/// Verifies a signed CIBA request (OpenID CIBA §7.1.1): all of `iss`, `aud`, `iat`, `exp`, `nbf` and `jti`
/// are required, and its lifetime is at most an hour.
pub fn verify_signed_ciba_request(
    text: &str,
    keys: &VerificationKeySet,
    expected: &RequestObjectExpectations<'_>,
) -> Result<SignedCibaRequest, JwtRejection> {
    let claims = verify_claims(text, keys, expected)?;
    for name in JWT_REGISTERED_CLAIMS {
        if !claims.members().contains_key(name) {
            return Err(JwtRejection::BadClaim(name));
        }
    }
    let spoken_for = claims.time_claim("nbf")?.zip(claims.time_claim("exp")?);
    let Some((_, until)) =
        spoken_for.filter(|(from, until)| until.since(*from) <= CIBA_SIGNED_REQUEST_LIFETIME_MAX)
    else {
        return Err(JwtRejection::BadClaim("exp"));
    };
    let id = claims.text_claim("jti").filter(|id| (1..=CLIENT_ASSERTION_JTI_BYTES_MAX).contains(&id.len()));
    let id = id.ok_or(JwtRejection::BadClaim("jti"))?.to_owned();
    Ok(SignedCibaRequest {
        parameters: extract_parameters(&claims)?,
        id,
        replay_expires_at: until.plus(CLOCK_TOLERANCE),
    })
}

/// Verifies a request object and returns its claims.
fn verify_claims(
    text: &str,
    keys: &VerificationKeySet,
    expected: &RequestObjectExpectations<'_>,
) -> Result<VerifiedJwtClaims, JwtRejection> {
    let (signed, payload, signature) = split_jws(text)?;
    let header = parse_header(text)?;
    if header.contains_key("crit") {
        return Err(JwtRejection::Critical);
    }
    if EMBEDDED_KEY_HEADERS.iter().any(|member| header.contains_key(*member)) {
        return Err(JwtRejection::EmbeddedKey);
    }
    if !has_request_object_type(&header) {
        return Err(JwtRejection::WrongType);
    }
    let key = keys.find_key(&header, expected.algorithm)?;
    let signature = URL_SAFE_NO_PAD.decode(signature).map_err(|_| JwtRejection::Malformed)?;
    key.verify_signature(signed.as_bytes(), &signature).map_err(|_| JwtRejection::WrongSignature)?;
    let claims = VerifiedJwtClaims::from_verified(parse_object(payload)?);
    check_issuer_and_audience(&claims, expected)?;
    Ok(claims)
}

fn extract_parameters(claims: &VerifiedJwtClaims) -> Result<Vec<(String, String)>, JwtRejection> {
    claims
        .members()
        .iter()
        .filter(|(name, _)| !JWT_REGISTERED_CLAIMS.contains(&name.as_str()))
        .map(|(name, value)| to_parameter(name, value))
        .collect()
}

/// Claims about the token, which are not request parameters.
const JWT_REGISTERED_CLAIMS: [&str; 6] = ["aud", "exp", "iat", "iss", "jti", "nbf"];

/// RFC 9101 §10.8: `typ`, if present, distinguishes request objects from other tokens of the client.
fn has_request_object_type(header: &Map<String, Value>) -> bool {
    match header.get("typ") {
        None => true,
        Some(Value::String(typ)) => {
            let bare = typ.to_ascii_lowercase();
            matches!(bare.strip_prefix("application/").unwrap_or(&bare), "jwt" | "oauth-authz-req+jwt")
        }
        Some(_) => false,
    }
}

fn check_issuer_and_audience(
    claims: &VerifiedJwtClaims,
    expected: &RequestObjectExpectations<'_>,
) -> Result<(), JwtRejection> {
    // RFC 9101 §4, §10.1: `iss` and `aud` are required, so that the request object is accepted only here and
    // only for its client.
    let is_own = |value: &Value| value == expected.client;
    if !claims.members().get("iss").is_some_and(is_own)
        || !claims.members().get("client_id").is_none_or(is_own)
    {
        return Err(JwtRejection::WrongIssuer);
    }
    // Client assertions have `sub`; request objects do not.
    if claims.members().contains_key("sub") {
        return Err(JwtRejection::BadClaim("sub"));
    }
    let is_for_us = match claims.members().get("aud") {
        Some(Value::String(one)) => one == expected.issuer,
        Some(Value::Array(audiences)) => audiences.iter().any(|one| one == expected.issuer),
        Some(_) | None => false,
    };
    if !is_for_us {
        return Err(JwtRejection::WrongAudience);
    }
    let latest = expected.now.plus(CLOCK_TOLERANCE);
    if claims.time_claim("exp")?.is_some_and(|expires| expires.plus(CLOCK_TOLERANCE) <= expected.now) {
        return Err(JwtRejection::Expired);
    }
    let from = [claims.time_claim("nbf")?, claims.time_claim("iat")?];
    if from.into_iter().flatten().any(|from| from > latest) {
        return Err(JwtRejection::NotYetValid);
    }
    match expected.profile {
        SecurityProfile::Standard => Ok(()),
        SecurityProfile::Fapi2 => require_short_lifetime(claims, expected.now),
    }
}

/// FAPI 2.0 Message Signing §5.3.1: `nbf` is at most 60 minutes in the past, and `exp` at most 60 minutes
/// after `nbf`.
fn require_short_lifetime(claims: &VerifiedJwtClaims, now: Timestamp) -> Result<(), JwtRejection> {
    let from = claims.time_claim("nbf")?.ok_or(JwtRejection::BadClaim("nbf"))?;
    let until = claims.time_claim("exp")?.ok_or(JwtRejection::BadClaim("exp"))?;
    if now.since(from) > REQUEST_OBJECT_LIFETIME_MAX {
        return Err(JwtRejection::BadClaim("nbf"));
    }
    if until.since(from) > REQUEST_OBJECT_LIFETIME_MAX {
        return Err(JwtRejection::BadClaim("exp"));
    }
    Ok(())
}

/// Converts a claim to a parameter: strings as they are, other values as JSON.
fn to_parameter(name: &str, value: &Value) -> Result<(String, String), JwtRejection> {
    match (name, value) {
        // RFC 9101 §4: a request object does not refer to another one.
        ("request" | "request_uri", _) => Err(JwtRejection::BadClaim("request")),
        (_, Value::String(text)) => Ok((name.to_owned(), text.clone())),
        (_, Value::Null) => Ok((name.to_owned(), String::new())),
        (_, other) => Ok((name.to_owned(), other.to_string())),
    }
}

#[cfg(test)]
mod tests;
