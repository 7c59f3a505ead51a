//! Authorization requests that their client signed (RFC 9101): the parameters are claims, and count only if the
//! signature is by a key that the client registered. There is no request that is merely encoded.

use crate::oauth::client_assertion::{VerificationKeySet, parse_header, split_jws};
use crate::platform::jwt::{BRINGS_KEY, JwtRejection, VerifiedJwtClaims, parse_object};
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

/// What a signed request must be to count.
#[derive(Clone, Copy, Debug)]
pub struct RequestObjectExpectations<'a> {
    /// The client it must be from.
    pub client: &'a str,
    /// Who we are: it must be for us.
    pub issuer: &'a str,
    /// The profile that the client keeps to.
    pub profile: SecurityProfile,
    /// The algorithm the client registered; left out, any we know.
    pub algorithm: Option<SigningAlgorithm>,
    /// The time it is judged at.
    pub now: Timestamp,
}

/// A signed request that says everything about itself, and counts if it was not seen before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedCibaRequest {
    /// What it asks for.
    pub parameters: Vec<(String, String)>,
    /// Its own id, which counts once.
    pub id: String,
    /// When it would be refused for its age: until then its id is remembered.
    pub forgotten_at: Timestamp,
}

/// The parameters in a signed request, if it counts. Claims about the token itself are not among them.
pub fn verify_request_object(
    text: &str,
    keys: &VerificationKeySet,
    expected: &RequestObjectExpectations<'_>,
) -> Result<Vec<(String, String)>, JwtRejection> {
    extract_parameters(&verify_claims(text, keys, expected)?)
}

/// The same for a request that says of itself from whom it is, for whom and for how long (OpenID CIBA §7.1.1): nothing of
/// that may be left out, and it counts for an hour at most.
pub fn verify_signed_ciba_request(
    text: &str,
    keys: &VerificationKeySet,
    expected: &RequestObjectExpectations<'_>,
) -> Result<SignedCibaRequest, JwtRejection> {
    let claims = verify_claims(text, keys, expected)?;
    for name in OF_THE_TOKEN {
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
        forgotten_at: until.plus(CLOCK_TOLERANCE),
    })
}

/// What a signed request says, if it counts.
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
    if BRINGS_KEY.iter().any(|member| header.contains_key(*member)) {
        return Err(JwtRejection::BringsKey);
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
        .filter(|(name, _)| !OF_THE_TOKEN.contains(&name.as_str()))
        .map(parameter)
        .collect()
}

/// Claims that are about the token and no parameters.
const OF_THE_TOKEN: [&str; 6] = ["aud", "exp", "iat", "iss", "jti", "nbf"];

/// RFC 9101 §10.8: a type, where it names one, tells a request from every other token of its client.
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
    // RFC 9101 §4, §10.1: who it is from and for whom is in it, so that it counts nowhere else and for nobody else.
    let is_own = |value: &Value| value == expected.client;
    if !claims.members().get("iss").is_some_and(is_own)
        || !claims.members().get("client_id").is_none_or(is_own)
    {
        return Err(JwtRejection::WrongIssuer);
    }
    // A proof of who the client is has a subject; a request has none.
    if claims.members().contains_key("sub") {
        return Err(JwtRejection::BadClaim("sub"));
    }
    let is_for_us = match claims.members().get("aud") {
        Some(Value::String(one)) => one == expected.issuer,
        Some(Value::Array(several)) => several.iter().any(|one| one == expected.issuer),
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
        SecurityProfile::Fapi2 => must_be_short_lived(claims, expected.now),
    }
}

/// FAPI 2.0 Message Signing §5.3.1: a request begins at most 60 minutes ago, and ends at most 60 minutes after it begins.
fn must_be_short_lived(claims: &VerifiedJwtClaims, now: Timestamp) -> Result<(), JwtRejection> {
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

/// A claim as the parameter it stands for: text as it is, anything else as its JSON.
fn parameter((name, value): (&String, &Value)) -> Result<(String, String), JwtRejection> {
    match (name.as_str(), value) {
        // RFC 9101 §4: a request does not refer to another one.
        ("request" | "request_uri", _) => Err(JwtRejection::BadClaim("request")),
        (_, Value::String(text)) => Ok((name.clone(), text.clone())),
        (_, Value::Null) => Ok((name.clone(), String::new())),
        (_, other) => Ok((name.clone(), other.to_string())),
    }
}

#[cfg(test)]
mod tests;
